"""Programs that a benchmark runs beside itself: the product, the hub, and the reference programs."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import aiohttp
import orjson

from tests.services.process import ROOT

START_SECONDS = 60.0
STOP_SECONDS = 30.0
OK = 200
LAST_CHARACTERS = 2000


class ProgramFailed(RuntimeError):
    """A program did not start, or ended before its time; the text ends with its log."""


class Program:
    """One Python program with a log file. ``hook`` goes before the module's name, such as ``-m cProfile``."""

    def __init__(
        self,
        name: str,
        arguments: Sequence[str],
        folder: Path,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.name = name
        self._arguments = list(arguments)
        self._folder = folder
        self._environment = dict(environment or {})
        self._process: asyncio.subprocess.Process | None = None

    @property
    def pid(self) -> int:
        """The process id."""
        if self._process is None:
            raise ProgramFailed(f"{self.name} was not started")
        return self._process.pid

    async def start(self) -> None:
        """Start it in a folder of its own; the checkout is importable from there."""
        self._folder.mkdir(parents=True, exist_ok=True)
        clean = {name: value for name, value in os.environ.items() if not name.startswith("TRAVELRULE_")}
        with (self._folder / f"{self.name}.log").open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                *self._arguments,
                env={**clean, "PYTHONPATH": str(ROOT), **self._environment},
                cwd=self._folder,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    async def until_answering(self, url: str) -> None:
        """Wait until ``url`` answers 200."""
        async with aiohttp.ClientSession() as session:
            for _ in range(int(START_SECONDS * 20)):
                self.must_run()
                try:
                    async with session.get(url) as answer:
                        if answer.status == OK:
                            return
                except aiohttp.ClientError:
                    pass  # not listening yet
                await asyncio.sleep(0.05)  # between two real questions
        raise ProgramFailed(f"{self.name} does not get ready\n{self.log()}")

    async def until_written(self, file: Path) -> dict[str, object]:
        """Wait until the program has written ``file`` (a JSON object) and give its content."""
        for _ in range(int(START_SECONDS * 20)):
            self.must_run()
            if file.exists():
                return dict(orjson.loads(file.read_bytes()))
            await asyncio.sleep(0.05)  # the file is the only sign that another process gives
        raise ProgramFailed(f"{self.name} has not written {file.name}\n{self.log()}")

    def must_run(self) -> None:
        """Raise ``ProgramFailed`` if it has ended."""
        if self._process is None or self._process.returncode is not None:
            raise ProgramFailed(f"{self.name} ended by itself\n{self.log()}")

    async def stop(self) -> None:
        """End it in order; kill it if it takes too long."""
        await self._end(signal.SIGTERM)

    async def kill(self) -> None:
        """End it with SIGKILL."""
        await self._end(signal.SIGKILL)

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

    def log(self) -> str:
        """The end of what it wrote."""
        file = self._folder / f"{self.name}.log"
        return file.read_text(errors="replace")[-LAST_CHARACTERS:] if file.exists() else "(no log)"
