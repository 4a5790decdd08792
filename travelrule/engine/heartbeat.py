"""The heartbeat: a time stamp that passes through the queue of inputs and the database.

While Kafka is idle and no call is due, no other metric distinguishes a process that commits from one that hangs. A
heartbeat waits in the queue behind every record that was taken, and then writes one row, so that it also fails on a
database that accepts no writes. It is no input: it has no effect and leaves no record.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from typing import Protocol

from travelrule import metrics
from travelrule.engine.periodic_job import PeriodicJob

INTERVAL_SECONDS = 10.0


class HeartbeatQueue(Protocol):
    """What the job needs of the intake."""

    async def pass_heartbeat(self) -> None:
        """See ``Intake.pass_heartbeat``."""


class HeartbeatJob:
    """Passes a heartbeat at intervals. ``write`` is ``LeaseRepository.write_heartbeat``."""

    def __init__(
        self, intake: HeartbeatQueue, write: Callable[[], Awaitable[None]], wall: Callable[[], float] = time.time
    ) -> None:
        self._intake = intake
        self._write = write
        self._wall = wall

    async def run(self, database_failed: Callable[[BaseException], bool]) -> None:
        """Pass heartbeats until cancelled."""
        await PeriodicJob("heartbeat", self._step, interval=INTERVAL_SECONDS, failed=database_failed).run()

    async def _step(self) -> bool:
        await self.round()
        return False

    async def round(self) -> None:
        """Pass one heartbeat."""
        at = self._wall()
        await self._intake.pass_heartbeat()
        await self._write()
        metrics.HEARTBEAT_TIMESTAMP_SECONDS.set(at)
        metrics.HEARTBEAT_DURATION_SECONDS.observe(max(self._wall() - at, 0.0))
