"""The end of a process: asked for by a signal or a failure, and reached within a limit in every state."""

from __future__ import annotations

import asyncio
import faulthandler
import signal
from collections.abc import Callable

DRAIN_SECONDS = 45
"""What an orderly end may take in all; below the 60 s that an orchestrator usually waits before SIGKILL."""


def _watch() -> None:
    faulthandler.dump_traceback_later(DRAIN_SECONDS, exit=True)


class Shutdown:
    """Whether the process is to end. Two states: while it starts, its start is given up; afterwards it drains.

    What hangs all the same (a client that swallows its cancellation, a thread) is ended by a watchdog outside of
    Python, with exit 1: nothing lives only in memory, so the others take over as after a crash.
    """

    def __init__(self, watch: Callable[[], None] | None = None) -> None:
        self._watch = watch or _watch
        self.asked = asyncio.Event()
        self.started = False

    def install(self) -> None:
        """Obey SIGTERM and SIGINT from now on."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self.ask)

    def ask(self) -> None:
        """End the process. The first call starts the clock."""
        if not self.asked.is_set():
            self._watch()
        self.asked.set()

    async def while_starting(self, serving: asyncio.Task[None]) -> bool:
        """Await ``serving``, but give it up if the end is asked for before it has ``started``; True if it was."""
        asking = asyncio.create_task(self.asked.wait())
        try:
            await asyncio.wait({serving, asking}, return_when=asyncio.FIRST_COMPLETED)
            given_up = not serving.done() and not self.started
            if given_up:
                serving.cancel()
            (ended,) = await asyncio.gather(serving, return_exceptions=True)
            if isinstance(ended, BaseException) and not (given_up and isinstance(ended, asyncio.CancelledError)):
                raise ended
        finally:
            asking.cancel()
        return given_up
