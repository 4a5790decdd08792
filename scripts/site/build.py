"""Put the site's source together and have zensical build it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path, PurePosixPath

import yaml

from scripts.site.diagrams import diagram_program
from scripts.site.markdown import site_markdown
from scripts.site.navigation import navigation
from scripts.site.pages import ROOT, files_of, pages, place_of

STAGE = ROOT / ".cache" / "site"
SITE = ROOT / "site"
THEME = Path(__file__).parent / "theme"


class SiteError(Exception):
    """The site cannot be built; the text says why."""


def build_site(site: Path = SITE, stage: Path = STAGE) -> None:
    """Write the site into a folder, which is replaced.

    Raises:
        SiteError: a page links to a file that does not exist, or zensical reports a fault.
    """
    shutil.rmtree(stage, ignore_errors=True)
    source = stage / "source"
    write_source(source)
    (source / "assets").mkdir(exist_ok=True)
    shutil.copy(diagram_program(), source / "assets" / "mermaid.min.js")
    configuration = stage / "mkdocs.yml"
    configuration.write_text(_configuration(), encoding="utf-8")
    command = [sys.executable, "-m", "zensical", "build", "--clean", "--strict", "-f", str(configuration)]
    done = subprocess.run(command, cwd=stage, capture_output=True, text=True, check=False)  # noqa: S603 - fixed words
    if done.returncode or not (stage / "built" / "index.html").is_file():
        raise SiteError(f"zensical built nothing:\n{done.stdout}\n{done.stderr}")
    shutil.rmtree(site, ignore_errors=True)
    shutil.move(stage / "built", site)


def write_source(folder: Path) -> None:
    """Write every page, and every file that a page links to, where it is on the site."""
    wanted: set[PurePosixPath] = set()
    for source, place in pages().items():
        content = (ROOT / source).read_text(encoding="utf-8")
        _write(folder / place, site_markdown(source, content, wanted.add).encode())
    for source in sorted(wanted):
        if (ROOT / source).is_dir():
            _write_folder(folder, source)
        elif (ROOT / source).is_file():
            _write(folder / place_of(source), (ROOT / source).read_bytes())
        else:
            raise SiteError(f"a page links to {source}, which does not exist")


def _write_folder(folder: Path, source: PurePosixPath) -> None:
    """Write a page that lists the files of a folder, and the files."""
    page = place_of(source)
    lines = [f"# {source}", ""]
    for path in files_of(source):
        if path not in pages():
            _write(folder / place_of(path), (ROOT / path).read_bytes())
        lines.append(f"- [{path.relative_to(source)}]({os.path.relpath(place_of(path), page.parent)})")
    _write(folder / page, "\n".join([*lines, ""]).encode())


def _configuration() -> str:
    """The checkout's ``mkdocs.yml`` with the navigation and the folders of this build."""
    base = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").replace("scripts/site/theme", str(THEME))
    more = {"docs_dir": "source", "site_dir": "built", "nav": navigation()}
    return base + yaml.safe_dump(more, allow_unicode=True, sort_keys=False)


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
