"""Periodic work of a process: under a lease or not, woken by commits, with one back-off for every failure.

A database that is gone is met by every job at once. Each waits twice as long after each failure, up to a bound, logs
one line when the outage begins and one when it is over, and counts the failed rounds in between.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable

from travelrule import logs, metrics

PAUSE_SECONDS_MIN = 0.5
PAUSE_SECONDS_MAX = 5.0

log = logs.get("jobs")


class Outage:
    """Tracks the failures of one job: how long to wait, and what is logged."""

    def __init__(self, job: str, *, pause_max: float = PAUSE_SECONDS_MAX) -> None:
        self._job = job
        self._pause_max = pause_max
        self._failed = 0

    def record_failure(self, error: BaseException) -> float:
        """Count one more failure; return the seconds to wait before the next attempt."""
        metrics.JOB_FAILURES_TOTAL.labels(periodic_job=self._job).inc()
        if not self._failed:
            log.warning("database-unavailable", job=self._job, error=error)
        self._failed += 1
        # The exponent is bounded too: an outage of days must not make a number of a thousand digits.
        return min(PAUSE_SECONDS_MIN * 2.0 ** min(self._failed - 1, 16), self._pause_max)

    def end(self) -> None:
        """The job succeeded."""
        if self._failed:
            log.info("database-available", job=self._job, failed=self._failed)
            self._failed = 0


class PeriodicJob:
    """Runs ``step`` until cancelled: again at once while it returns True, else after ``interval`` seconds.

    ``lease`` is taken or renewed before each step; another owner's work is looked at again after ``interval``. ``wake``
    ends a rest, and a pause after a failure once its shortest time is over: a commit was possible. It is cleared before
    the step reads, so that what is committed meanwhile is not missed. ``failed`` returns True for an outage, after
    which the job continues; any other error ends it. The time of the last success is reported unless the job is
    ``endless``: its step ends with an outage only.
    """

    def __init__(
        self,
        name: str,
        step: Callable[[], Awaitable[bool]],
        *,
        interval: float,
        failed: Callable[[BaseException], bool],
        lease: Callable[[], Awaitable[bool]] | None = None,
        wake: asyncio.Event | None = None,
        endless: bool = False,
    ) -> None:
        self._step = step
        self._interval = interval
        self._is_outage = failed
        self._lease = lease
        self._wake = wake
        self._outage = Outage(name)
        self._last_success = None if endless else metrics.JOB_LAST_SUCCESS_TIMESTAMP_SECONDS.labels(periodic_job=name)

    async def run(self) -> None:
        """Raise what is not an outage."""
        while True:
            if self._wake is not None:
                self._wake.clear()
            try:
                ours = self._lease is None or await self._lease()
                more = ours and await self._step()
            except Exception as error:
                if not self._is_outage(error):
                    raise
                await self._pause(self._outage.record_failure(error))
                continue
            self._outage.end()
            if not ours:
                await asyncio.sleep(self._interval)
                continue
            if self._last_success is not None:
                self._last_success.set(time.time())
            if not more:
                await _wait(self._wake, self._interval)

    async def _pause(self, seconds: float) -> None:
        await asyncio.sleep(PAUSE_SECONDS_MIN)
        await _wait(self._wake, seconds - PAUSE_SECONDS_MIN)


async def _wait(event: asyncio.Event | None, seconds: float) -> None:
    if event is None:
        await asyncio.sleep(seconds)
        return
    try:
        async with asyncio.timeout(seconds):
            await event.wait()
    except TimeoutError:
        return
