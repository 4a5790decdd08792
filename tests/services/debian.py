"""Programs of Debian's packages: installed or unpacked if that is allowed, else named."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def install(*packages: str) -> None:
    """Install the packages if this process may; the caller checks whether they are installed then.

    One at a time, because several processes of a run may each miss something.
    """
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        return
    with _alone():
        _run("apt-get", "update", "-qq")
        _run("apt-get", "install", "-y", "-qq", *packages)


def unpack(package: str, folder: Path) -> None:
    """Unpack the files of one package into ``folder`` if this process may; the caller checks whether they are there.

    Nothing is installed, so no service of the package is registered or started. It needs no rights of root where the
    package lists are present. What the package depends on is not fetched.
    """
    if not shutil.which("apt-get") or not shutil.which("dpkg-deb"):
        return
    with _alone(), tempfile.TemporaryDirectory(prefix="travelrule-package-") as download:
        Path(download).chmod(0o755)
        if not _download(package, download) and os.geteuid() == 0:
            _run("apt-get", "update", "-qq")
            _download(package, download)
        for archive in Path(download).glob("*.deb"):
            _run("dpkg-deb", "--extract", str(archive), str(folder))


def _download(package: str, folder: str) -> bool:
    _run("apt-get", "download", "-qq", package, folder=folder)
    return any(Path(folder).glob("*.deb"))


@contextmanager
def _alone() -> Iterator[None]:
    lock_file = Path(tempfile.gettempdir()) / f"travelrule-apt-{os.geteuid()}.lock"
    with lock_file.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _run(*command: str, folder: str | None = None) -> None:
    silent = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    subprocess.run(command, check=False, capture_output=True, env=silent, cwd=folder)
