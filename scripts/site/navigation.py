"""The navigation of the site: sections in the order in which a reader needs them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any

from scripts.site.pages import pages, title_of

SECTIONS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Start", ("README.md", "docs/guides/first-hour.md", "examples/*")),
    ("Guides", ("docs/guides/*",)),
    (
        "Operate",
        ("helm/*", "docs/dashboards.md", "docs/logs.md", "docs/retention.md", "docs/keys.md", "docs/performance.md"),
    ),
    ("Topics", ("docs/*",)),
    ("Runbooks", ("docs/runbooks/*",)),
    ("Reference", ("docs/generated/*",)),
    ("Change it", ("ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md")),
    ("Decisions", ("docs/adr/*",)),
)
"""Each section with the patterns of its pages; a page is in the first section that takes it."""


def navigation() -> list[dict[str, Any]]:
    """Return the navigation as zensical reads it.

    Raises:
        ValueError: a page that no section takes.
    """
    left = set(pages())
    sections: list[dict[str, Any]] = []
    for name, patterns in SECTIONS:
        taken = [page for pattern in patterns for page in _matching(pattern, left)]
        left.difference_update(taken)
        if taken:
            sections.append({name: [{title_of(page): str(pages()[page])} for page in taken]})
    if left:
        raise ValueError(f"pages in no section of the site: {sorted(map(str, left))}; add them to {__name__}")
    return sections


def _matching(pattern: str, left: set[PurePosixPath]) -> Iterator[PurePosixPath]:
    """Pages of one folder in the order of their names, its index first; ``examples/*`` takes folders below as well."""
    deep = pattern.startswith(("examples/", "helm/"))
    folder = PurePosixPath(pattern).parent
    found = [
        page
        for page in left
        if (page.match(pattern) if not deep else page.is_relative_to(folder)) and (deep or page.parent == folder)
    ]
    yield from sorted(found, key=lambda page: (page.name != "index.md", str(page)))
