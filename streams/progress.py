"""Records that this process has taken from Kafka and not yet acknowledged: the worker's lag and liveness.

Live means progress: a process that holds records and has acknowledged none for too long is stuck although it runs,
and stalls its consumer group at the next rebalance.
"""

from __future__ import annotations

import time
from collections.abc import Callable

STALL_SECONDS = 120.0
"""Longer than any transaction and any retry of the database driver."""


class CommitProgress:
    """Counts records by topic (without prefix) and partition. ``wall`` and ``steady`` are clocks in seconds."""

    def __init__(self, wall: Callable[[], float] = time.time, steady: Callable[[], float] = time.monotonic) -> None:
        self._wall = wall
        self._steady = steady
        self._pending: dict[tuple[str, int], dict[int, float]] = {}
        self._moved_at = steady()
        self.acknowledged_total = 0

    def taken(self, topic: str, partition: int, offset: int, written_at: float) -> None:
        """Record that the engine holds this record; ``written_at`` is its Kafka time, seconds since 1970."""
        if not self.pending:
            self._moved_at = self._steady()  # idle time is no stall
        self._pending.setdefault((topic, partition), {})[offset] = written_at

    def acknowledged(self, topic: str, partition: int, offset: int) -> None:
        """Record that its effects are committed and its offset is released."""
        records = self._pending.get((topic, partition), {})
        records.pop(offset, None)
        if not records:
            self._pending.pop((topic, partition), None)
        self._moved_at = self._steady()
        self.acknowledged_total += 1

    @property
    def pending(self) -> int:
        """The number of records taken and not acknowledged."""
        return sum(len(records) for records in self._pending.values())

    def lag_seconds(self) -> dict[str, float]:
        """Return the age of the oldest unacknowledged record of each topic that has one."""
        now = self._wall()
        oldest: dict[str, float] = {}
        for (topic, _), records in self._pending.items():
            written_at = next(iter(records.values()))  # offsets are taken in order
            oldest[topic] = max(oldest.get(topic, 0.0), now - written_at, 0.0)
        return oldest

    def stalled_seconds(self) -> float:
        """Return for how long records have been pending without any acknowledgement; 0 if none is pending."""
        return self._steady() - self._moved_at if self._pending else 0.0
