"""Whether the hub answers, as this process sees it: from every request it makes.

While the hub is away most calls that can wait are not sent at all: one request in ``PROBE_SECONDS`` asks whether it is
back. The first answer ends that. In memory on purpose: each process sees with its own connections.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from travelrule import logs, metrics
from travelrule.store.call_rows import CallRepository

FAILURES_TO_DOWN = 3
PROBE_SECONDS = 1.0
RESUMED_PER_SECOND = 20.0
"""How many of the calls that waited for the hub are due in each second after it is back: it may be weak yet."""

log = logs.get("hub-client")


class HubWatch:
    """Counts failures in a row; a failure of a counterparty is an answer of the hub."""

    def __init__(self) -> None:
        self._failures = 0
        self._probe_at: datetime | None = None
        metrics.HUB_UP.set(1)

    @property
    def up(self) -> bool:
        """Whether requests get answers."""
        return self._failures < FAILURES_TO_DOWN

    def may_try(self, now: datetime) -> bool:
        """Whether a call that can wait is sent now: always while the hub is up, else as the next probe."""
        if self.up:
            return True
        if self._probe_at is not None and now < self._probe_at:
            return False
        self._probe_at = now + timedelta(seconds=PROBE_SECONDS)
        return True

    def failed(self, now: datetime) -> None:
        """A request got no answer of the hub, or its word that it failed."""
        self._failures += 1
        if self._failures == FAILURES_TO_DOWN:
            self._probe_at = now + timedelta(seconds=PROBE_SECONDS)
            metrics.HUB_UP.set(0)
            log.warning("hub-down")

    def answered(self) -> bool:
        """A request was answered. True: the hub was away until now."""
        back = not self.up
        self._failures = 0
        if back:
            metrics.HUB_UP.set(1)
            log.info("hub-up")
        return back


async def resume_calls(calls: CallRepository, now: datetime, jitter: float) -> None:
    """Let go on, one after the other, what waited for the hub."""
    moved = await calls.resume_hub_held(now, RESUMED_PER_SECOND, jitter)
    if moved:
        log.info("calls-resumed", calls=moved)
