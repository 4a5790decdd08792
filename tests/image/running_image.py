"""A program of an image, started as a runtime starts it: its own root file system, which is read-only; its user;
no environment but the image's and the given one.

A mount namespace of its own holds what a runtime would mount. Network and processes are the machine's.
"""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

TEMPORARY = "/tmp"  # noqa: S108 - in the image, not on this machine
# Mounted by every runtime; the program needs of them the null device, its own process and names of hosts.
_BOUND = ("/dev", "/etc/resolv.conf", "/etc/hosts")


@dataclass(frozen=True, slots=True)
class RunningImage:
    """``root``: files of the image. ``configuration``: as ``Buildah.configuration``. ``volumes``: directory of this
    machine by path in the image; writable for the image's user, as an empty volume is.
    """

    root: Path
    configuration: Mapping[str, Any]
    volumes: Mapping[str, Path] = field(default_factory=dict)

    @property
    def user(self) -> tuple[int, int]:
        """User and group of the image."""
        user, _, group = self.configuration["User"].partition(":")
        return int(user), int(group)

    def environment(self, given: Mapping[str, str]) -> dict[str, str]:
        """The image's environment and the given one, which wins."""
        own = dict(line.split("=", 1) for line in self.configuration["Env"])
        return own | dict(given)

    def command(
        self, arguments: Sequence[str], given: Mapping[str, str], entrypoint: Sequence[str] | None = None
    ) -> list[str]:
        """The command of this machine that runs the image's entry point with ``arguments``; it becomes that process.

        ``env`` of the image finds the program in the image's ``PATH``, as a runtime does.
        """
        words = [*(self.configuration["Entrypoint"] if entrypoint is None else entrypoint), *arguments]
        variables = [f"{name}={value}" for name, value in self.environment(given).items()]
        user, group = self.user
        inside = ["chroot", f"--userspec={user}:{group}", "--groups=", str(self.root), "/usr/bin/env"]
        inside += [f"--chdir={self.configuration['WorkingDir']}", "-i", *variables, *words]
        return [
            "unshare",
            "--mount",
            "--propagation=private",
            "sh",
            "-euc",
            f"{self._mounts()}\nexec {shlex.join(inside)}",
        ]

    def run(
        self, arguments: Sequence[str], given: Mapping[str, str], entrypoint: Sequence[str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run it to its end."""
        command = self.command(arguments, given, entrypoint)
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=240)

    def _mounts(self) -> str:
        user, group = self.user
        lines = [f"mount --bind {self._inside('/')} {self._inside('/')}"]
        for path in _BOUND:
            target = self._inside(path)
            lines.append(f"mkdir -p {target}" if Path(path).is_dir() else f"touch {target}")
        lines += [f"mkdir -p {self._inside(target)}" for target in self.volumes]
        lines.append(f"mount -o remount,bind,ro {self._inside('/')}")
        lines += [f"mount --rbind {path} {self._inside(path)}" for path in _BOUND]
        lines.append(f"mount -t proc proc {self._inside('/proc')}")
        lines.append(f"mount -t tmpfs tmpfs {self._inside(TEMPORARY)}")
        if not self.volumes:
            home = self._inside(self.configuration["WorkingDir"])
            lines.append(f"mount -t tmpfs -o uid={user},gid={group},mode=0750 tmpfs {home}")
        for target, source in self.volumes.items():
            lines.append(f"chown {user}:{group} {shlex.quote(str(source))}")
            lines.append(f"mount --bind {shlex.quote(str(source))} {self._inside(target)}")
        return "\n".join(lines)

    def _inside(self, path: str) -> str:
        return shlex.quote(str(self.root / path.lstrip("/")))
