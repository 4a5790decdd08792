"""Processes of the demo: each a ``travelrule`` command with its own environment, folder and log file."""

from __future__ import annotations

import asyncio
import ctypes
import os
import signal
import socket
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import aiohttp

from travelrule.errors import ServiceUnavailable

START_SECONDS = 60.0
STOP_SECONDS = 40.0
LOOK_SECONDS = 0.1
PR_SET_PDEATHSIG = 1


def free_port() -> int:
    """A free loopback port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def die_with_parent() -> None:
    """In the child, before it executes the command: make it end with the process that started it."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


class DemoProcess:
    """One command. It can be stopped, killed and started again with the same or another environment."""

    def __init__(self, name: str, arguments: Sequence[str], environment: Mapping[str, str], folder: Path) -> None:
        self.name = name
        self.environment = dict(environment)
        self._arguments = list(arguments)
        self._folder = folder
        self._process: asyncio.subprocess.Process | None = None

    @property
    def log_file(self) -> Path:
        """The log file of the process."""
        return self._folder / f"{self.name}.log"

    @property
    def running(self) -> bool:
        """Whether the process is running."""
        return self._process is not None and self._process.returncode is None

    async def start(self) -> None:
        """Start the command; it does not outlive this process."""
        self._folder.mkdir(parents=True, exist_ok=True)
        clean = {name: value for name, value in os.environ.items() if not name.startswith("TRAVELRULE_")}
        with self.log_file.open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "travelrule",
                *self._arguments,
                env={**clean, **self.environment},
                cwd=self._folder,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                preexec_fn=die_with_parent,
            )

    async def until_answering(self, url: str) -> None:
        """Wait until ``url`` answers 200. Raise ``ServiceUnavailable`` with the log's path if it does not in time."""
        async with aiohttp.ClientSession() as session:
            for _ in range(int(START_SECONDS / LOOK_SECONDS)):
                if not self.running:
                    raise ServiceUnavailable(self.name, f"it ended by itself: see {self.log_file}")
                try:
                    async with session.get(url) as answer:
                        if answer.status == 200:  # noqa: PLR2004
                            return
                except aiohttp.ClientError:
                    pass  # not listening yet
                await asyncio.sleep(LOOK_SECONDS)
        raise ServiceUnavailable(self.name, f"it does not get ready: see {self.log_file}")

    async def stop(self) -> None:
        """Stop it with SIGTERM; kill it after a limit."""
        await self._end(signal.SIGTERM)

    async def kill(self) -> None:
        """End it with SIGKILL, without any clean-up."""
        await self._end(signal.SIGKILL)

    def send(self, number: signal.Signals) -> None:
        """Send it a signal, if it is running."""
        if self._process is not None and self.running:
            self._process.send_signal(number)

    async def _end(self, number: signal.Signals) -> None:
        process = self._process
        if process is None or process.returncode is not None:
            return
        process.send_signal(number)
        try:
            async with asyncio.timeout(STOP_SECONDS):
                await process.wait()
        except TimeoutError:
            process.kill()
            await process.wait()
