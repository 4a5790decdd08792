"""The events of a run by time: the scripts, and the fault that each one met."""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.chaos.subject import SubjectScript

LATE_SECONDS = 3.0
"""What takes longer than this was delayed by a fault."""


@dataclass
class FaultWindow:
    """One fault. Times are seconds of the loop's clock; ``over_at`` is the end of the outage, or the kill."""

    name: str
    began_at: float
    over_at: float | None = None
    served_s: float | None = None

    def recovered_s(self, scripts: list[SubjectScript]) -> float | None:
        """From the end of the fault until the last of ``scripts`` that it delayed was served; None: not all were."""
        over_at = self.over_at
        if over_at is None or any(script.served_at is None for script in scripts):
            return None
        return max(
            (script.served_at - over_at for script in scripts if _late(script) and script.served_at), default=0.0
        )


def _late(script: SubjectScript, now: float = 0.0) -> bool:
    if script.requested_at is None:
        return False
    return (script.served_at or now) - script.requested_at > LATE_SECONDS


@dataclass
class Timeline:
    """Everything that a run did."""

    scripts: list[SubjectScript] = field(default_factory=list)
    strikes: list[FaultWindow] = field(default_factory=list)

    def backlog(self, now: float) -> int:
        """How many wait for longer than anything waits when nothing is broken."""
        return sum(script.served_at is None and _late(script, now) for script in self.scripts)

    def of(self, strike: FaultWindow) -> list[SubjectScript]:
        """The scripts that began after this fault began and before the next one did."""
        place = self.strikes.index(strike)
        until = self.strikes[place + 1].began_at if place + 1 < len(self.strikes) else float("inf")
        return [
            script
            for script in self.scripts
            if script.requested_at is not None and strike.began_at <= script.requested_at < until
        ]
