"""The navigation of the site: sections in the order in which a reader needs them."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Any

from scripts.site.pages import pages, title_of

SECTIONS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Start", ("README.md", "docs/guides/first-hour.md", "examples/*")),
    ("Guides", ("docs/guides/first-hour.md", "docs/guides/connect-a-platform.md", "docs/guides/*")),
    (
        "Operate",
        (
            "helm/*",
            "deploy/*",
            "docs/dashboards.md",
            "docs/logs.md",
            "docs/retention.md",
            "docs/keys.md",
            "docs/performance.md",
        ),
    ),
    ("In depth", ("docs/*",)),
    ("Runbooks", ("docs/runbooks/*",)),
    ("Reference", ("docs/generated/*",)),
    ("Change it", ("ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md")),
    ("Decisions", ("docs/adr/*",)),
)
"""Each section with the patterns of its pages; a page is where it is named, else in the first section that takes it."""


def navigation() -> list[dict[str, Any]]:
    """Return the navigation as zensical reads it.

    Raises:
        ValueError: a page that no section takes.
    """
    named = {PurePosixPath(pattern) for _, patterns in SECTIONS for pattern in patterns}
    left = set(pages())
    sections: list[dict[str, Any]] = []
    for name, patterns in SECTIONS:
        taken = [page for pattern in patterns for page in _matching(pattern, left, named)]
        left.difference_update(taken)
        if taken:
            sections.append({name: [{title_of(page): str(pages()[page])} for page in taken]})
    if left:
        raise ValueError(f"pages in no section of the site: {sorted(map(str, left))}; add them to {__name__}")
    return sections


def _matching(pattern: str, left: set[PurePosixPath], named: set[PurePosixPath]) -> list[PurePosixPath]:
    """Return the pages of a pattern in the order of their names, an index first.

    Outside of ``docs`` a pattern takes the folders below as well.
    """
    wanted, folder = PurePosixPath(pattern), PurePosixPath(pattern).parent
    if wanted in left:
        return [wanted]
    deep = folder.parts[:1] != ("docs",)
    found = [
        page
        for page in left - named
        if wanted.name == "*" and (page.is_relative_to(folder) if deep else page.parent == folder)
    ]
    return sorted(found, key=lambda page: (page.name != "index.md", str(page)))
