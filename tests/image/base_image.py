"""A stand-in for the base image of the Containerfile, made of the same Debian packages.

No registry of images is needed: ``mmdebstrap`` unpacks Debian's minimal system, which the base image is as well.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from tests.services.cache import cached
from tests.services.debian import install
from tests.services.process import ServiceError

SUITE = "bookworm"
NAME = f"docker.io/library/debian:{SUITE}-slim"
# What the slim image of Debian leaves out as well.
_LEFT_OUT = ("/usr/share/doc/*", "/usr/share/man/*", "/usr/share/info/*", "/usr/share/locale/*", "/usr/share/lintian/*")
_EMPTIED = ("var/lib/apt/lists", "var/cache/apt", "var/log")


def program(name: str) -> str:
    """The path of a program of Debian; installs its package, which has the same name, when that is allowed."""
    if os.geteuid() != 0:
        raise ServiceError("building an image needs root: buildah and mmdebstrap change owners and mount file systems")
    if not shutil.which(name):
        install(name)
    if found := shutil.which(name):
        return found
    raise ServiceError(f"{name} is missing: apt-get install {name}")


def base_archive() -> Path:
    """The root file system of the stand-in, as a tar archive; unpacked once."""
    return cached(f"debian-{SUITE}-minbase-1", _fill) / "root.tar"


def _fill(folder: Path) -> None:
    options = [f"--dpkgopt=path-exclude={pattern}" for pattern in _LEFT_OUT]
    emptied = " ".join(f'"$1"/{path}/*' for path in _EMPTIED)
    command = [program("mmdebstrap"), "--mode=root", "--variant=minbase", *options]
    command += [f"--customize-hook=rm -rf {emptied}", SUITE, str(folder / "root.tar")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ServiceError(f"Debian {SUITE} could not be unpacked:\n{done.stderr}")
