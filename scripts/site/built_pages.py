"""The pages that were built: every link leads somewhere, and nothing comes from another host."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADED = {("script", "src"), ("img", "src"), ("link", "href"), ("iframe", "src"), ("source", "src")}
"""Attributes whose targets a browser loads when it shows a page."""
NOT_LOADED = {"canonical", "edit", "next", "prev", "alternate"}
"""Kinds of ``link`` elements that a browser does not load."""


class BuiltPage(HTMLParser):
    """What a page refers to and what can be referred to in it."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the anchors and references of an element."""
        given = {name: value or "" for name, value in attrs}
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        for name, value in given.items():
            if (tag, name) in LOADED and given.get("rel") not in NOT_LOADED:
                self.loaded.append(value)
            elif (tag, name) == ("a", "href"):
                self.links.append(value)


@cache
def _page(path: Path) -> BuiltPage:
    return BuiltPage(path)


def faults(site: Path) -> list[str]:
    """Return each link of the site that leads nowhere, and each thing that it loads from another host."""
    return [
        f"{path.relative_to(site)}: {fault}" for path in sorted(site.rglob("*.html")) for fault in _faults(site, path)
    ]


def _faults(site: Path, path: Path) -> Iterator[str]:
    page = _page(path)
    yield from (f"loads {target}" for target in page.loaded if urlsplit(target).netloc)
    for target in sorted({*page.links, *page.loaded}):
        parts = urlsplit(target)
        if parts.scheme or parts.netloc or not target:
            continue
        wanted = path if not parts.path else _file(site, path, unquote(parts.path))
        if not wanted.is_file():
            yield f"{target} leads nowhere"
        elif parts.fragment and wanted.suffix == ".html" and not _has(wanted, unquote(parts.fragment)):
            yield f"{target} names a heading that is not there"


def _file(site: Path, path: Path, target: str) -> Path:
    base = site if target.startswith("/") else path.parent
    found = Path(os.path.normpath(base / target.lstrip("/")))
    return found / "index.html" if found.is_dir() else found


def _has(path: Path, anchor: str) -> bool:
    return anchor in _page(path).anchors or anchor == "__skip"
