"""The program that draws the diagrams in the reader's browser, served by the site itself."""

from __future__ import annotations

import base64
import hashlib
import shutil
import subprocess
import tarfile
from pathlib import Path

from tests.services.cache import cached

VERSION = "12.3.0"
SHA512 = "4113TdXeLAsMruJ79OpFL5O8+LTFXhQqZ260rF3tgUmiNAtRm4Uume04I+65PRN6yZ69J4f8rVYWW8zRk65UYw=="
"""Of the package, in base64."""
MEMBERS = ("package/dist/mermaid.min.js", "package/LICENSE")


class DiagramError(Exception):
    """The program is not here and cannot be fetched; the text says what is missing."""


def diagram_program() -> Path:
    """Return the path of Mermaid; fetches its npm package into the cache once.

    Raises:
        DiagramError: npm is missing, or the package is not the expected one.
    """
    return cached(f"mermaid-{VERSION}", _fetch) / MEMBERS[0]


def _fetch(folder: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise DiagramError("npm is missing: it fetches Mermaid, which draws the diagrams (Debian: apt-get install npm)")
    command = [npm, "pack", "--silent", f"mermaid@{VERSION}"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)  # noqa: S603 - fixed words
    archive = folder / f"mermaid-{VERSION}.tgz"
    if not archive.is_file():
        raise DiagramError(f"npm did not fetch mermaid {VERSION}: {done.stderr.strip()}")
    digest = base64.b64encode(hashlib.sha512(archive.read_bytes()).digest()).decode()
    if digest != SHA512:
        raise DiagramError(f"the package of mermaid {VERSION} is not the expected one: its SHA-512 is {digest}")
    with tarfile.open(archive) as package:
        for member in MEMBERS:
            package.extract(member, folder, filter="data")
    archive.unlink()
