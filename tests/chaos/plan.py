"""How much of everything a run has: the short form, and the full ones of withdrawals and of deposits."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

from tests.chaos.answer_faults import ANSWER_FAULTS
from tests.chaos.broker_faults import BROKER_FAULTS
from tests.chaos.faults import FAULTS
from tests.chaos.search_faults import SEARCH_FAULTS

ALL_FAULTS = {**FAULTS, **BROKER_FAULTS, **ANSWER_FAULTS, **SEARCH_FAULTS}
FORGETS_TRANSFERS = frozenset({"hub-kill", "hub-restart"})
"""Robots live in the hub's process: after these they know no transfer any more."""
ALWAYS_IN_DEPOSITS = (
    *("callbacks-lost", "callbacks-doubled", "callbacks-forged", "hub-kill", "hub-kill", "hub-restart"),
    *("kill-worker", "kill-gateway", "kill-in-rebalance", "broker-kill", "postgres-kill", "member-down"),
    "key-rotation",
)
SOMETIMES_IN_DEPOSITS = (
    *("freeze-worker", "broker-freeze", "postgres-restart", "hub-500", "leaders-move", *ANSWER_FAULTS),
    *(name for name in SEARCH_FAULTS if name.startswith("search-")),
)
SAMPLED = 6
"""How many of the latter a run of deposits has, so that it takes no longer than one of withdrawals."""


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
    brokers: int = 3

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
    """For CI: every kind of thing breaks once, for withdrawals and deposits together, in some four minutes.

    Half of the seeds have three brokers and moving leaders; of the falsified answers each has two kinds.
    """
    disturbed = [
        rng.choice([name for name in FAULTS if name.startswith("hub-")]),
        rng.choice([name for name in SEARCH_FAULTS if name.startswith("search-")]),
    ]
    always = ["kill-worker", "kill-gateway", "broker-kill", "postgres-kill", "callbacks-lost", "callbacks-forged"]
    falsified = [rng.choice(["answers-crossed", "answers-echoed"]), rng.choice(["answers-cut", "answers-dripping"])]
    brokers = rng.choice([1, 3])
    if brokers > 1:
        always[always.index("kill-worker")] = "leaders-move"  # which kills one too
    faults = [*always, "hub-kill", *disturbed, *falsified]
    rng.shuffle(faults)
    return Plan("short", 250, 250, 5.0, tuple(faults), 10, 120, brokers)


def full_withdrawals(rng: random.Random) -> Plan:
    """Everything that we know how to break while withdrawals are under way."""
    faults = [*FAULTS, *BROKER_FAULTS, *ANSWER_FAULTS]
    rng.shuffle(faults)
    return Plan("withdrawals", 2000, 0, 4.0, tuple(faults), 40, 600)


def full_deposits(rng: random.Random) -> Plan:
    """The same for deposits, half of them anonymous; the hub is killed twice in the middle of searches."""
    faults = [*ALWAYS_IN_DEPOSITS, *rng.sample(SOMETIMES_IN_DEPOSITS, SAMPLED)]
    rng.shuffle(faults)
    return Plan("deposits", 0, 2000, 4.0, tuple(faults), 40, 600)


FULL = {"withdrawals": full_withdrawals, "deposits": full_deposits}
