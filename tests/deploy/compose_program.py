"""The loader of Compose, as a program of its own: it checks and resolves a file as ``docker compose config`` does."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.services.cache import cached
from tests.services.helm import go
from tests.services.process import ServiceError

SOURCE = Path(__file__).with_name("loader")


class ComposeRefusedError(Exception):
    """The loader refused the file; the text is its message."""


def loaded(file: Path, environment: Mapping[str, str]) -> dict[str, Any]:
    """The project of a compose file: variables, paths and defaults resolved.

    Raises:
        ComposeRefusedError: the file is wrong.
    """
    pinned = b"".join((SOURCE / name).read_bytes() for name in ("go.sum", "main.go"))
    program = cached(f"compose-loader-{hashlib.sha256(pinned).hexdigest()[:16]}", _build) / "loader"
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("TRAVELRULE_", "COMPOSE_"))}
    done = subprocess.run(
        [str(program), str(file)],
        cwd=file.parent,
        env=clean | dict(environment),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise ComposeRefusedError(done.stdout + done.stderr)
    project: dict[str, Any] = json.loads(done.stdout)
    return project


def _build(place: Path) -> None:
    environment = os.environ | {"GOTOOLCHAIN": "local", "CGO_ENABLED": "0", "GOFLAGS": "-buildvcs=false"}
    command = [go(), "build", "-mod=readonly", "-trimpath", "-o", f"{place}/", "."]
    done = subprocess.run(command, cwd=SOURCE, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ServiceError(f"the loader of Compose could not be built:\n{done.stderr}")
