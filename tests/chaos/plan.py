"""How much of everything a run has: the short form, and the full ones of withdrawals and of deposits."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

from tests.chaos.faults import FAULTS
from tests.chaos.search_faults import SEARCH_FAULTS

ALL_FAULTS = {**FAULTS, **SEARCH_FAULTS}
FORGETS_TRANSFERS = frozenset({"hub-kill", "hub-restart"})
"""Robots live in the hub's process: after these they know no transfer any more."""
IN_DEPOSITS = (
    *("kill-worker", "kill-gateway", "kill-in-rebalance", "freeze-worker", "broker-kill", "broker-freeze"),
    *("postgres-restart", "postgres-kill", "hub-500", "member-down", "key-rotation"),
)
"""Faults of withdrawals that deposits meet as well; the hub's own come with the searches."""


@dataclass(frozen=True, slots=True)
class Plan:
    """``per_second``: customers. ``settle_s``: the longest wait for one fault's backlog before the next one strikes;
    ``quiet_s``: the longest wait at the end.
    """

    name: str
    withdrawals: int
    deposits: int
    per_second: float
    faults: tuple[str, ...]
    settle_s: float
    quiet_s: float

    @property
    def customers(self) -> int:
        """How many there are at least."""
        return self.withdrawals + self.deposits

    @property
    def with_robots(self) -> bool:
        """Whether robots can be asked: not if they forget."""
        return not FORGETS_TRANSFERS.intersection(self.faults)

    def only(self, faults: Sequence[str] | None, customers: int | None) -> Plan:
        """The same with other faults and other numbers, where they are given."""
        share = (customers or self.customers) / self.customers
        return replace(
            self,
            faults=tuple(faults or self.faults),
            withdrawals=round(self.withdrawals * share),
            deposits=round(self.deposits * share),
        )


def short_plan(rng: random.Random) -> Plan:
    """For CI: every kind of thing breaks once, for withdrawals and deposits together, in under four minutes."""
    disturbed = [
        rng.choice([name for name in FAULTS if name.startswith("hub-")]),
        rng.choice([name for name in SEARCH_FAULTS if name.startswith("search-")]),
    ]
    always = ["kill-worker", "kill-gateway", "broker-kill", "postgres-kill", "callbacks-lost", "callbacks-forged"]
    faults = [*always, "hub-kill", *disturbed]
    rng.shuffle(faults)
    return Plan("short", 250, 250, 5.0, tuple(faults), 10, 120)


def full_withdrawals(rng: random.Random) -> Plan:
    """Everything that we know how to break while withdrawals are under way."""
    faults = list(FAULTS)
    rng.shuffle(faults)
    return Plan("withdrawals", 2000, 0, 4.0, tuple(faults), 40, 600)


def full_deposits(rng: random.Random) -> Plan:
    """The same for deposits, half of them anonymous; the hub is killed twice in the middle of searches."""
    faults = [*IN_DEPOSITS, *SEARCH_FAULTS, "hub-kill"]
    rng.shuffle(faults)
    return Plan("deposits", 0, 2000, 4.0, tuple(faults), 40, 600)


FULL = {"withdrawals": full_withdrawals, "deposits": full_deposits}
