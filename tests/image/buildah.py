"""Images without a container runtime: Debian's buildah runs the steps of a Containerfile in a chroot, as root."""

from __future__ import annotations

import ast
import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.image.base_image import NAME, base_archive, program
from tests.services.process import ServiceError

# Settings of pip that name files of this machine, which a build does not see.
_WITH_PATHS = ("cert", "client-cert", "find-links", "cache-dir", "build", "src", "log")
_INSIDE = "/run/host"


class Buildah:
    """Images and containers in one directory, which nothing else uses."""

    def __init__(self, storage: Path) -> None:
        self._storage = storage
        self._program = program("buildah")
        storage.mkdir(parents=True)

    def run(self, *arguments: str) -> str:
        """Run one command; return its standard output.

        Raises:
            ServiceError: it failed; the text is what it printed.
        """
        places = ("--root", str(self._storage / "root"), "--runroot", str(self._storage / "run"))
        command = [self._program, *places, "--storage-driver", "vfs", *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=_environment())
        if done.returncode:
            raise ServiceError(f"buildah {arguments[0]} ended with {done.returncode}\n{done.stdout}\n{done.stderr}")
        return done.stdout.strip()

    def import_base(self) -> None:
        """Make the stand-in of the base image known under the base image's name."""
        container = self.run("from", "scratch")
        self.run("add", container, str(base_archive()), "/")
        self.run("commit", "--quiet", container, NAME)
        self.run("rm", container)

    def build(self, context: Path, tag: str, *arguments: str) -> None:
        """Build the Containerfile of ``context``, every step again; its base is an image that is in this storage."""
        volumes = [f"--volume={outside}:{inside}:ro" for outside, inside in self._mounts()]
        steps = ("build", "--isolation=chroot", "--pull-never", "--no-cache", f"--tag={tag}", *volumes, *arguments)
        self.run(*steps, f"--file={context / 'Containerfile'}", str(context))

    def configuration(self, tag: str) -> dict[str, Any]:
        """The image's configuration in the form of the OCI: ``User``, ``Env``, ``Entrypoint``, ``Labels``, ..."""
        found: dict[str, Any] = json.loads(self.run("inspect", "--type", "image", tag))["OCIv1"]["config"]
        return found

    @contextlib.contextmanager
    def files(self, tag: str) -> Iterator[Path]:
        """The root of a container of this image, as a directory; gone at the end, the image stays."""
        container = self.run("from", "--pull-never", tag)
        try:
            yield Path(self.run("mount", container))
        finally:
            self.run("rm", container)

    def _mounts(self) -> list[tuple[Path, str]]:
        """The files of this machine that pip needs inside a build; no step names them and no layer holds them."""
        lines = [f"{name} = {value}" for name, value in _pip_settings().items() if name not in _WITH_PATHS]
        mounts = []
        if authority := _pip_settings().get("cert"):
            mounts.append((Path(authority), f"{_INSIDE}/authorities.pem"))
            lines.append(f"cert = {_INSIDE}/authorities.pem")
        configuration = self._storage / "pip.conf"
        configuration.write_text("\n".join(["[global]", *lines, ""]), encoding="utf-8")
        return [*mounts, (configuration, "/etc/pip.conf")]


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith(("TRAVELRULE_", "PIP_"))}


def _pip_settings() -> dict[str, str]:
    """Pip's settings on this machine by name, those of the environment last."""
    listed = subprocess.run([sys.executable, "-m", "pip", "config", "list"], capture_output=True, text=True, check=True)
    rows = [line.partition("=") for line in listed.stdout.splitlines()]
    in_order = sorted(rows, key=lambda row: row[0].startswith(":env:"))
    return {name.rpartition(".")[2]: str(ast.literal_eval(value)) for name, _, value in in_order}
