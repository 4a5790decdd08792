"""What happened in a run, second by second: the stories, and which fault they fell into."""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.chaos.stories import Story

LATE_SECONDS = 3.0
"""What takes longer than this was delayed by a fault."""


@dataclass
class Strike:
    """One fault. Times are seconds of the loop's clock; ``over_at`` is the end of the outage, or the kill."""

    name: str
    began_at: float
    over_at: float | None = None
    served_s: float | None = None

    def recovered_s(self, stories: list[Story]) -> float | None:
        """From the end of the fault until the last of ``stories`` that it delayed was served; None: not all were."""
        over_at = self.over_at
        if over_at is None or any(story.served_at is None for story in stories):
            return None
        return max((story.served_at - over_at for story in stories if _late(story) and story.served_at), default=0.0)


def _late(story: Story, now: float = 0.0) -> bool:
    if story.requested_at is None:
        return False
    return (story.served_at or now) - story.requested_at > LATE_SECONDS


@dataclass
class Ledger:
    """Everything that a run did."""

    stories: list[Story] = field(default_factory=list)
    strikes: list[Strike] = field(default_factory=list)

    def backlog(self, now: float) -> int:
        """How many wait for longer than anything waits when nothing is broken."""
        return sum(story.served_at is None and _late(story, now) for story in self.stories)

    def of(self, strike: Strike) -> list[Story]:
        """The stories that began after this fault began and before the next one did."""
        place = self.strikes.index(strike)
        until = self.strikes[place + 1].began_at if place + 1 < len(self.strikes) else float("inf")
        return [
            story
            for story in self.stories
            if story.requested_at is not None and strike.began_at <= story.requested_at < until
        ]
