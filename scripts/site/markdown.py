"""Markdown as GitHub shows it, turned into what the site's reader shows alike: links, lists, tables."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from pathlib import PurePosixPath

from scripts.site.pages import ROOT, pages, place_of

TARGET = re.compile(r"\]\(([^)\s]+)\)")
CODE = re.compile(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)")
FENCE = re.compile(r"^(\s*)(```+|~~~+)")
ITEM = re.compile(r"^(\s*)(?:[-*+]|\d+\.) ")
HEADING = re.compile(r"#{1,6} (.+?)\s*#*$")
ANCHOR = re.compile(r"<a (?:id|name)=\"([^\"]+)\"")
FOREIGN = re.compile(r"[a-z][a-z0-9+.-]*:")
NESTED = 4
"""Blanks by which the site's reader nests; GitHub nests by the width of the list's mark, 2 or 3."""

Linked = Callable[[PurePosixPath], None]


def site_markdown(source: PurePosixPath, content: str, linked: Linked) -> str:
    """Return a page as the site's source; ``linked`` is called with each file that it links to and that is no page."""
    lines: list[str] = []
    shift = 0
    for line, plain in prose(content):
        if plain:
            shift = 0
            if _begins_block(lines[-1] if lines else "", line):
                lines.append("")
            lines.append(_nested(_with_targets(source, line, linked)))
        else:
            mark = FENCE.match(line)
            if not shift and mark and mark[1]:
                shift = NESTED * -(-len(mark[1]) // NESTED) - len(mark[1])
            lines.append(" " * shift + line if line else line)
    return "\n".join(lines) + "\n"


def prose(content: str) -> Iterator[tuple[str, bool]]:
    """Each line of a page, and whether it is text (not in a fence)."""
    fence = ""
    for line in content.splitlines():
        mark = FENCE.match(line)
        if not fence and mark:
            fence = mark[2]
            yield line, False
        elif fence:
            if line.strip() and set(line.strip()) == {fence[0]} and len(line.strip()) >= len(fence):
                fence = ""
            yield line, False
        else:
            yield line, True


def link_targets(content: str) -> Iterator[str]:
    """The targets of the links and images of a page; what is shown as code is no link."""
    for line, plain in prose(content):
        if plain:
            yield from (found[1] for found in TARGET.finditer(_without_code(line)))


def resolved(source: PurePosixPath, target: str) -> tuple[PurePosixPath, str] | None:
    """Return the file of the checkout and the anchor that a link leads to; None if it leads to another host."""
    path, _, anchor = target.partition("#")
    if FOREIGN.match(path):
        return None
    wanted = PurePosixPath(os.path.normpath(source.parent / path)) if path else source
    if (ROOT / wanted).is_dir():
        wanted = next((page for page in (wanted / "README.md", wanted / "index.md") if page in pages()), wanted)
    return wanted, anchor


def anchors(content: str) -> set[str]:
    """The anchors of a page: one for each heading as GitHub names it, and those that are written as elements."""
    found: dict[str, int] = {}
    named: set[str] = set()
    for line, plain in prose(content):
        heading = HEADING.match(line) if plain else None
        if heading:
            slug = _slug(heading[1])
            named.add(f"{slug}-{found[slug]}" if slug in found else slug)
            found[slug] = found.get(slug, 0) + 1
        if plain:
            named |= set(ANCHOR.findall(line))
    return named


def _slug(heading: str) -> str:
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    return re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", "-")


def _without_code(line: str) -> str:
    return CODE.sub(lambda code: " " * len(code[0]), line)


def _with_targets(source: PurePosixPath, line: str, linked: Linked) -> str:
    for found in reversed(list(TARGET.finditer(_without_code(line)))):
        line = line[: found.start(1)] + _site_target(source, found[1], linked) + line[found.end(1) :]
    return line


def _site_target(source: PurePosixPath, target: str, linked: Linked) -> str:
    found = resolved(source, target)
    if found is None or target.startswith("#"):
        return target
    wanted, anchor = found
    if wanted not in pages():
        linked(wanted)
    return os.path.relpath(place_of(wanted), place_of(source).parent) + (f"#{anchor}" if anchor else "")


def _begins_block(before: str, line: str) -> bool:
    """GitHub begins a list or a table without a blank line before it, the site's reader does not."""
    if not before.strip() or before.startswith(("#", " ")):
        return False
    begins_list = bool(ITEM.match(line)) and not line.startswith(" ") and not ITEM.match(before)
    return begins_list or (line.startswith("|") and not before.startswith("|"))


def _nested(line: str) -> str:
    item = ITEM.match(line)
    return " " * (NESTED * -(-len(item[1]) // NESTED)) + line.lstrip(" ") if item and item[1] else line
