"""How bad the network is: calm, storms and outages, drawn from the seed."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import datetime, timedelta

CALM = 0.03
FATES = (
    ("lost-before", 4),
    ("lost-after", 6),
    ("late", 3),
    ("double", 5),
    ("not-sent", 3),
    ("408-before", 2),
    ("408-after", 4),
    ("429", 3),
    ("500", 3),
    ("503", 3),
    ("garbage", 2),
    ("field-missing", 2),
    ("payload-missing", 1),
    ("nonce", 2),
    ("key-refused", 2),
    ("stop", 1),
    ("crossed", 2),
    ("echoed", 2),
)
"""What may happen to one request, and how often beside the others."""
_NAMES = [name for name, _ in FATES]
_WEIGHTS = [weight for _, weight in FATES]


@dataclass(frozen=True, slots=True)
class FaultPeriod:
    """A time of bad faults. ``share`` of all requests meets a fate; ``away``: the hub is not reachable at all."""

    begins: datetime
    ends: datetime
    share: float
    away: bool = False


class NetworkFaults:
    """The fate of each request. After ``clears`` nothing goes wrong any more."""

    def __init__(self, dice: random.Random, begins: datetime, clears: datetime) -> None:
        self.clears = clears
        self._dice = dice
        self._spells: list[FaultPeriod] = []
        days = (clears - begins).total_seconds() / 86_400
        for _ in range(max(2, int(days))):
            start = begins + timedelta(seconds=dice.uniform(0, days * 86_400))
            hours = dice.choice((0.1, 0.5, 2.0, 8.0))
            self._spells.append(FaultPeriod(start, start + timedelta(hours=hours), dice.choice((0.2, 0.5, 0.9))))
        for _ in range(max(1, int(days / 3))):
            start = begins + timedelta(seconds=dice.uniform(0, days * 86_400))
            hours = dice.choice((0.05, 0.5, 3.0, 30.0))
            self._spells.append(FaultPeriod(start, min(clears, start + timedelta(hours=hours)), 1.0, away=True))

    def away(self, now: datetime) -> bool:
        return any(period.away and period.begins <= now < period.ends for period in self._spells)

    def away_lately(self, now: datetime, lately: timedelta) -> bool:
        """Whether the hub was not reachable at some moment of the last time."""
        return any(period.away and period.begins <= now and period.ends > now - lately for period in self._spells)

    def fate(self, now: datetime) -> str:
        """What happens to a request now: ``fine``, or one of ``FATES``."""
        if now >= self.clears:
            return "fine"
        if self.away(now):
            return "not-sent"
        share = max([period.share for period in self._spells if period.begins <= now < period.ends], default=CALM)
        if self._dice.random() >= share:
            return "fine"
        return self._dice.choices(_NAMES, _WEIGHTS)[0]
