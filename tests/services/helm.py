"""Helm, built from its Go module once; ``python -m tests.services.helm`` prints where it is."""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from tests.services.cache import cached
from tests.services.process import ServiceError

VERSION = "v3.19.0"
_GO_LEAST = (1, 24)


@functools.cache
def helm() -> str:
    """The program: the one on the PATH if it is of this minor version, else one of our own.

    Raises:
        ServiceError: Go is missing or too old, or the build failed.
    """
    if (found := shutil.which("helm")) and _is_wanted(found):
        return found
    program = cached(f"helm-{VERSION}", _build) / "helm"
    if not _is_wanted(str(program)):
        raise ServiceError(f"{program} is not helm {VERSION}: remove its directory, it is built again")
    return str(program)


def go() -> str:
    """The Go compiler.

    Raises:
        ServiceError: it is missing or too old.
    """
    least = ".".join(map(str, _GO_LEAST))
    found = shutil.which("go") or shutil.which("go", path="/usr/local/go/bin")
    if found is None:
        raise ServiceError(f"go is missing: install Go {least} or later (https://go.dev/doc/install)")
    answer = subprocess.run([found, "env", "GOVERSION"], capture_output=True, text=True, check=True).stdout.strip()
    numbers = re.match(r"go(\d+)\.(\d+)", answer)
    if numbers is None or (int(numbers[1]), int(numbers[2])) < _GO_LEAST:
        raise ServiceError(f"{found} is {answer}: install Go {least} or later (https://go.dev/doc/install)")
    return found


def _is_wanted(program: str) -> bool:
    """A helm from the module reports the minor version only, a released one all of it."""
    asked = [program, "version", "--template", "{{.Version}}"]
    reported = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()
    return reported in {VERSION, VERSION.rpartition(".")[0]} or reported.startswith(f"{VERSION}+")


def _build(place: Path) -> None:
    sys.stderr.write(f"building helm {VERSION}: a few minutes, once\n")
    done = subprocess.run(
        [go(), "install", f"helm.sh/helm/v3/cmd/helm@{VERSION}"],
        env=os.environ | {"GOBIN": str(place), "GOTOOLCHAIN": "local"},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise ServiceError(f"helm {VERSION} could not be built:\n{done.stderr}")


def main() -> int:
    """Print the path of the program, which is built first where it is missing."""
    try:
        sys.stdout.write(f"{helm()}\n")
    except ServiceError as failed:
        sys.stderr.write(f"{failed}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
