"""What happened in a run, second by second: the tales, and which fault they fell into."""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.chaos.subject import Tale

LATE_SECONDS = 3.0
"""What takes longer than this was delayed by a fault."""


@dataclass
class Strike:
    """One fault. Times are seconds of the loop's clock; ``over_at`` is the end of the outage, or the kill."""

    name: str
    began_at: float
    over_at: float | None = None
    served_s: float | None = None

    def recovered_s(self, tales: list[Tale]) -> float | None:
        """From the end of the fault until the last of ``tales`` that it delayed was served; None: not all were."""
        over_at = self.over_at
        if over_at is None or any(tale.served_at is None for tale in tales):
            return None
        return max((tale.served_at - over_at for tale in tales if _late(tale) and tale.served_at), default=0.0)


def _late(tale: Tale, now: float = 0.0) -> bool:
    if tale.requested_at is None:
        return False
    return (tale.served_at or now) - tale.requested_at > LATE_SECONDS


@dataclass
class Ledger:
    """Everything that a run did."""

    tales: list[Tale] = field(default_factory=list)
    strikes: list[Strike] = field(default_factory=list)

    def backlog(self, now: float) -> int:
        """How many wait for longer than anything waits when nothing is broken."""
        return sum(tale.served_at is None and _late(tale, now) for tale in self.tales)

    def of(self, strike: Strike) -> list[Tale]:
        """The tales that began after this fault began and before the next one did."""
        place = self.strikes.index(strike)
        until = self.strikes[place + 1].began_at if place + 1 < len(self.strikes) else float("inf")
        return [
            tale
            for tale in self.tales
            if tale.requested_at is not None and strike.began_at <= tale.requested_at < until
        ]
