"""Which files of the checkout are pages of the site, and where they are on it."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).parents[2]
TOP = {
    "README.md": "index.md",
    "ARCHITECTURE.md": "architecture.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
}
"""Pages at the top of the checkout and their places."""
BESIDE = ("deploy", "examples", "helm")
"""Folders whose pages are on the site under their own path."""
LEFT_OUT = {"node_modules", "target", "__pycache__"}
"""Folders that tools write into."""
FILES = PurePosixPath("files")
"""Where files are that pages link to and that are no pages."""


@cache
def pages() -> dict[PurePosixPath, PurePosixPath]:
    """Return the place on the site of each page, both relative: to the checkout, to the site's source."""
    found = {PurePosixPath(source): PurePosixPath(place) for source, place in TOP.items()}
    for path in sorted((ROOT / "docs").rglob("*.md")):
        found[_relative(path)] = PurePosixPath(path.relative_to(ROOT / "docs").as_posix())
    for folder in BESIDE:
        for path in sorted((ROOT / folder).rglob("*.md")):
            if not LEFT_OUT & set(path.parts):
                found[_relative(path)] = _relative(path).with_name(path.name.replace("README", "index"))
    return found


def place_of(source: PurePosixPath) -> PurePosixPath:
    """Return where a file of the checkout is on the site, page or not; a folder is a page that lists its files."""
    if source in pages():
        return pages()[source]
    if (ROOT / source).is_dir():
        return FILES / source / "index.md"
    return PurePosixPath(source.relative_to("docs")) if source.is_relative_to("docs") else FILES / source


def files_of(folder: PurePosixPath) -> list[PurePosixPath]:
    """Return the files below a folder of the checkout that people or generators wrote, without hidden ones."""
    found = [path.relative_to(ROOT) for path in (ROOT / folder).rglob("*") if path.is_file()]
    shown = [path for path in found if not LEFT_OUT & set(path.parts) and not path.name.startswith(".")]
    return sorted(PurePosixPath(path.as_posix()) for path in shown)


def title_of(source: PurePosixPath) -> str:
    """Return the first heading of a page, without marks."""
    content = (ROOT / source).read_text(encoding="utf-8")
    heading = re.search(r"^# (.+)$", content, re.MULTILINE)
    if heading is None:
        raise ValueError(f"{source} has no heading: begin it with a line '# Title'")
    return re.sub(r"[`*]", "", heading[1])


def _relative(path: Path) -> PurePosixPath:
    return PurePosixPath(path.relative_to(ROOT).as_posix())
