"""Programs that are heavy to build or fetch, outside the checkout: a fresh clone finds them again.

They are in ``${XDG_CACHE_HOME:-~/.cache}/travelrule``; deleting that directory costs time and nothing else.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path


def cache_directory() -> Path:
    """The directory of everything cached; made if it does not exist."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    directory = Path(base) / "travelrule"
    directory.mkdir(parents=True, exist_ok=True)
    return directory


def cached(name: str, fill: Callable[[Path], None]) -> Path:
    """The directory ``name`` of the cache, which ``fill`` fills once, given an empty directory.

    The name holds the version of what is in it (``helm-v3.19.0``), so that a newer one is not taken for it. ``fill``
    works in a directory beside it, which is renamed when it is complete: an interrupted or failed fill leaves nothing
    behind. One process fills, the others wait.

    Raises:
        Whatever ``fill`` raises.
    """
    place = cache_directory() / name
    with (cache_directory() / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if place.is_dir():
            return place
        for left in cache_directory().glob(f"{name}.part-*"):
            shutil.rmtree(left, ignore_errors=True)
        part = Path(tempfile.mkdtemp(prefix=f"{name}.part-", dir=cache_directory()))
        part.chmod(0o755)  # PostgreSQL and other services run as another user
        try:
            fill(part)
            part.rename(place)
        finally:
            shutil.rmtree(part, ignore_errors=True)
    return place
