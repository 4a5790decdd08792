"""Every state of a deposit that can be reached meets every input: nothing raises, and every law holds afterwards.

States are distinguished by what decides about them; a breadth-first search visits each kind once.
"""

from __future__ import annotations

from collections import deque
from typing import Any

import pytest

from tests.property.deposits.catalogue import for_deposit
from tests.property.deposits.laws import check
from tests.support.deposit_scenes import DepositScene, rules
from travelrule.deposits.machine import MACHINE
from travelrule.deposits.state import DepositState
from travelrule.deposits.table import TABLE
from travelrule.machine.transition_table import NEW

STATES_MAX = 700


def kind_of(state: DepositState | None) -> object:
    """What decides about a state, without its ids, times and counts."""
    if state is None:
        return None
    match = state.match and (state.match.exchange, state.match.amount)
    search = state.search and (state.search.accepted, state.search.hastened, state.search.polls > 0)
    found = state.found.entity_id if state.found is not None and state.status in ("requesting", "held") else None
    here = (state.status, state.chain, state.case.verdict, state.outcome, state.refused, state.held_for)
    joined = (match, state.told, state.unannounced, state.looked_up, state.wallet is None, len(state.candidates))
    asked = (search, found, state.missed, state.received is None, state.unreachable)
    return here, joined, asked, tuple(sorted(state.timers))


@pytest.mark.parametrize(
    "text",
    [
        'deny_list = ["banned"]',
        '[searches]\nattempts = 1\n[verdicts]\nCOUNTERPARTY_UNREACHABLE = "deny"\nAMOUNT_MISMATCH = "deny"',
    ],
    ids=["holding", "denying"],
)
def test_every_deposit_meets_every_input(text):
    scene = DepositScene(rules=rules(text))
    seen: dict[object, Any] = {None: None}
    waiting: deque[Any] = deque([None])
    visited = 0
    while waiting and visited < STATES_MAX:
        state = waiting.popleft()
        visited += 1
        for data in for_deposit(state):
            item = scene.input(data)
            decision = MACHINE.decide(state, item, scene.rules, scene.now)
            check(state, item, decision, scene.rules)
            kind = kind_of(decision.state)
            if kind not in seen:
                seen[kind] = decision.state
                waiting.append(decision.state)
    assert {state.status for state in seen.values() if state is not None} == set(TABLE.transitions) - {NEW}
