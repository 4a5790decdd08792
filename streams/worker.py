"""The Faust application as one service of a process that also runs other roles in the same event loop."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import Coroutine
from typing import Any

import faust
from aiokafka import TopicPartition
from faust.exceptions import ConsumerNotStarted

from streams.backlog import Backlog
from streams.connection import Connection
from streams.progress import STALL_SECONDS, CommitProgress
from streams.sensor import ConsumerSensor
from streams.topics import Topics
from travelrule import logs
from travelrule.errors import ServiceUnavailable, TravelRuleError

START_SECONDS = 60.0
STOP_SECONDS = 20.0
ABANDON_SECONDS = 5.0
"""Further time for a client that hangs; then the process ends without it."""
READY_STALL_SECONDS = 30.0
"""Assigned partitions without a commit for so long are not being served. Liveness allows more (``STALL_SECONDS``):
a restart costs a rebalance."""

log = logs.get("worker")


class WorkerFailed(TravelRuleError):  # noqa: N818 -- names the state, as HTTP does
    """The consumer is broken and does not recover: the process ends, and the group takes over."""

    code = "WORKER_FAILED"


class FaustWorker:
    """Starts and stops the application, and reports when it fails.

    Shut down this first, while the committer runs (``stop`` waits until everything taken is acknowledged), the
    committer last. ``failure`` returns the reason why the process has to exit.
    """

    def __init__(
        self,
        app: faust.App,
        connection: Connection,
        topics: Topics,
        progress: CommitProgress,
        *,
        stall_s: float = STALL_SECONDS,
        stop_s: float = STOP_SECONDS,
    ) -> None:
        self._app = app
        self._topics = topics
        self._progress = progress
        self._stall_s = stall_s
        self._stop_s = stop_s
        self._broken: asyncio.Future[BaseException] | None = None
        self._early: BaseException | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._stopping = False
        self._connection = connection
        self._backlog: Backlog | None = None

    @property
    def backlog(self) -> Backlog:
        """The group's backlog as the broker reports it; RuntimeError before ``start``."""
        if self._backlog is None:
            raise RuntimeError("the worker was not started")
        return self._backlog

    def _subscribed(self) -> list[str]:
        return sorted({name for agent in self._app.agents.values() for name in agent.channel.topics})

    async def start(self) -> None:
        """Join the group and consume. ServiceUnavailable if no broker answers in time."""
        loop = asyncio.get_running_loop()
        self._app.loop = loop
        self._app.sensors.add(ConsumerSensor(self._topics))
        self._broken = loop.create_future()
        if self._early is not None:
            self._broken.set_result(self._early)
        await self._start_application()
        self._backlog = Backlog(self._connection, self._app.conf.id, self._subscribed(), self.assignment)
        self._tasks = [asyncio.create_task(self._guarded(work)) for work in (self._watch(), self._backlog.run())]

    async def _start_application(self) -> None:
        starting = asyncio.create_task(self._app.start())
        try:
            # Faust swallows a cancellation in some of its waits, so a timeout around it would not end.
            await asyncio.wait({starting}, timeout=START_SECONDS)
        except asyncio.CancelledError:
            await self._abandon(starting)
            raise
        error = starting.exception() if starting.done() else TimeoutError()
        if error is not None or self._app.should_stop:
            await self._abandon(starting)
            raise ServiceUnavailable("broker", "check TRAVELRULE_BROKER_URL and the topics") from error

    async def _abandon(self, starting: asyncio.Task[Any]) -> None:
        starting.cancel()
        await self._quietly_stop(ABANDON_SECONDS)
        await asyncio.wait({starting}, timeout=ABANDON_SECONDS)

    async def _guarded(self, work: Coroutine[Any, Any, None]) -> None:
        """Run a service whose failure ends the worker: without it the worker is not watched."""
        try:
            await work
        except Exception as error:  # noqa: BLE001 -- any error is reported as the reason of the end
            self.fail(error)

    async def failure(self) -> BaseException:
        """Wait for the reason why this worker cannot continue; never returns after an orderly ``stop``."""
        if self._broken is None:
            raise RuntimeError("the worker was not started")
        return await asyncio.shield(self._broken)

    def fail(self, error: BaseException) -> None:
        """Report that the worker cannot continue; the first report counts."""
        if self._broken is None:
            self._early = self._early or error
        elif not self._broken.done():
            log.error("worker-failed", error=error)
            self._broken.set_result(error)

    async def stop(self) -> None:
        """Take nothing more, wait until everything taken is acknowledged, commit, leave the group.

        After ``stop_s`` (the committer is stuck) it ends without that: unacknowledged records are delivered again.
        """
        self._stopping = True
        if self._backlog is not None:
            self._backlog.end()
        await self._quietly_stop(self._stop_s)
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=ABANDON_SECONDS)
        self._tasks = []

    async def _quietly_stop(self, seconds: float) -> None:
        stopping = asyncio.create_task(self._app.stop())
        # Faust swallows a cancellation while it waits for acknowledgements, so a timeout around it would not end.
        done, _ = await asyncio.wait({stopping}, timeout=seconds)
        if not done:
            log.warning("worker-stop-stuck", pending=self._progress.pending)
            ending = asyncio.create_task(self._app.consumer.stop())  # ends that wait
            await asyncio.wait({stopping, ending}, timeout=ABANDON_SECONDS, return_when=asyncio.ALL_COMPLETED)
        for task in {stopping, *([ending] if not done else [])}:
            if not task.done():
                log.warning("worker-abandoned", pending=self._progress.pending)
                task.cancel()
            elif (error := task.exception()) is not None:
                # The end of a broken application; the process ends next.
                log.warning("worker-stop-failed", error=error)

    async def _watch(self) -> None:
        """Report a crash: Faust itself reports it only if its own worker runs the loop."""
        await self._app.wait_until_stopped()
        if self._stopping:
            return
        if self._app.crashed:
            self.fail(self._app.crash_reason or WorkerFailed("the consumer crashed"))
        else:
            self.fail(WorkerFailed("the consumer stopped by itself"))

    def assignment(self) -> set[TopicPartition]:
        """Return the partitions that this process consumes."""
        with contextlib.suppress(ConsumerNotStarted, AttributeError):
            return {TopicPartition(tp.topic, tp.partition) for tp in self._app.consumer.assignment()}
        return set()

    def alive(self) -> bool:
        """Whether there is progress: nothing is pending, or records were acknowledged and committed recently."""
        return self.stalled_seconds() <= self._stall_s

    def ready(self) -> bool:
        """Whether this process consumes its assigned partitions, according to the broker.

        False without partitions, while the broker does not answer, and while records wait behind a committed offset
        that does not move, taken or not.
        """
        if self._backlog is None or not self.assignment():
            return False
        age = self._backlog.age_seconds()
        if age is None or age > READY_STALL_SECONDS:
            return False
        return self.stalled_seconds() <= min(READY_STALL_SECONDS, self._stall_s)

    def stalled_seconds(self) -> float:
        """Return for how long records have waited for this process without progress; 0 if none waits."""
        waiting = self._backlog.stalled_seconds() if self._backlog else 0.0
        return max(self._progress.stalled_seconds(), waiting)

    def partitions_assigned(self) -> dict[str, int]:
        """Return how many partitions of each topic (without prefix) this process consumes."""
        assigned = self.assignment() if self._backlog else ()
        owned = Counter(partition.topic for partition in assigned)
        return {self._topics.logical(physical): owned[physical] for physical in self._subscribed()}

    def partitions_unserved(self) -> dict[str, int]:
        """Return how many partitions of each topic (without prefix) no member of the group has; empty if unknown."""
        known = self._backlog.unserved if self._backlog else {}
        return {self._topics.logical(physical): number for physical, number in known.items()}

    def broker_answer_age_seconds(self) -> float | None:
        """Return the time since the broker last answered about the group; None before it did."""
        return self._backlog.age_seconds() if self._backlog else None

    def lag_records(self) -> dict[str, int]:
        """Return the uncommitted records of the group by topic (without prefix)."""
        lag = self._backlog.lag_records() if self._backlog else {}
        return {self._topics.logical(physical): lag.get(physical, 0) for physical in self._subscribed()}

    def lag_seconds(self) -> dict[str, float]:
        """Return the age of the oldest uncommitted event by topic (without prefix); 0 without any."""
        taken = self._progress.lag_seconds()
        waiting = self._backlog.stalled_topics() if self._backlog else {}
        return {
            name: max(taken.get(name, 0.0), waiting.get(physical, 0.0))
            for physical, name in ((physical, self._topics.logical(physical)) for physical in self._subscribed())
        }
