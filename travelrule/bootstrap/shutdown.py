"""The shutdown of a process: requested by a signal or a failure, and completed within a limit."""

from __future__ import annotations

import asyncio
import faulthandler
import signal
from collections.abc import Callable

DRAIN_SECONDS = 45
"""The limit of a regular shutdown; below the 60 s that an orchestrator usually waits before SIGKILL."""


def _watch() -> None:
    faulthandler.dump_traceback_later(DRAIN_SECONDS, exit=True)


class Shutdown:
    """The request to end the process. A start that is not complete is cancelled; a started process drains.

    If a part hangs nevertheless (a client that swallows its cancellation, a thread), a watchdog outside Python ends the
    process with exit 1. No state is only in memory, so other processes continue as after a crash.
    """

    def __init__(self, watch: Callable[[], None] | None = None) -> None:
        self._watch = watch or _watch
        self.asked = asyncio.Event()
        self.started = False

    def install(self) -> None:
        """Install the handlers of SIGTERM and SIGINT."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self.ask)

    def ask(self) -> None:
        """Request the end of the process. The first call starts the watchdog."""
        if not self.asked.is_set():
            self._watch()
        self.asked.set()

    async def while_starting(self, serving: asyncio.Task[None]) -> bool:
        """Await ``serving``; cancel it if the end is requested before ``started`` is set. Return whether it was."""
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
