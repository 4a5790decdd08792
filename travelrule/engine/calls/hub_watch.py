"""Detection of hub outages from the requests of this process.

During an outage calls that can wait are not sent, except one probe in ``PROBE_SECONDS``. The first answer ends the
outage. In memory and per process, because each process has connections of its own.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from travelrule import logs, metrics
from travelrule.store.call_rows import CallRepository

FAILURES_TO_DOWN = 3
PROBE_SECONDS = 1.0
RESUMED_PER_SECOND = 20.0
"""How many of the delayed calls come due per second after an outage, so that the hub is not overloaded."""

log = logs.get("hub-client")


class HubWatch:
    """Counts consecutive failures. A failure of a counterparty counts as an answer of the hub."""

    def __init__(self) -> None:
        self._failures = 0
        self._failed_at: datetime | None = None
        self._probe_at: datetime | None = None
        metrics.HUB_UP.set(1)

    @property
    def up(self) -> bool:
        """Whether the hub answers."""
        return self._failures < FAILURES_TO_DOWN

    def may_try(self, now: datetime) -> bool:
        """Return whether a call that can wait is sent now: always while the hub is up, else if the next probe is due,
        which it then is.
        """
        if self.up:
            return True
        if self._probe_at is not None and now < self._probe_at:
            return False
        self._probe_at = now + timedelta(seconds=PROBE_SECONDS)
        return True

    def record_failure(self, now: datetime) -> None:
        """Count a request that the hub did not answer, or answered with a failure of its own."""
        self._failures += 1
        self._failed_at = now
        if self._failures == FAILURES_TO_DOWN:
            self._probe_at = now + timedelta(seconds=PROBE_SECONDS)
            metrics.HUB_UP.set(0)
            log.warning("hub-down")

    def record_answer(self) -> bool:
        """Note an answer. Return True if it ends an outage."""
        back = not self.up
        self._failures = 0
        if back:
            metrics.HUB_UP.set(1)
            log.info("hub-up")
        return back

    def record_answer_to_another(self, asked_at: datetime) -> None:
        """Note that the hub answered what another process asked at that time. It ends an outage if this process failed
        before only: one without calls to make would not see the end.
        """
        if not self.up and self._failed_at is not None and asked_at > self._failed_at:
            self.record_answer()


async def resume_calls(calls: CallRepository, now: datetime, jitter: float) -> None:
    """Make the calls that were delayed by the outage due, spread over time."""
    moved = await calls.resume_hub_held(now, RESUMED_PER_SECOND, jitter)
    if moved:
        log.info("calls-resumed", calls=moved)
