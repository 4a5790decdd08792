"""Every state that can be reached meets every input: nothing raises, and every law holds afterwards.

States are distinguished by what decides about them; a breadth-first search visits each kind once and stops at a number
of attempts, because a restarted exchange is the same again.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from schemas.wire_model import Wire
from tests.property.exchange.catalogue import for_exchange, for_withdrawal
from tests.property.exchange.laws import check
from tests.support.exchange_scenes import inbound
from tests.support.scene import Scene
from tests.support.vasps import policy
from travelrule.engine.registry import MACHINES
from travelrule.exchange.beneficiary.state import ExchangeState
from travelrule.exchange.originator.builder import owes_conclusion
from travelrule.exchange.originator.refused_request import RefusedRequestState
from travelrule.exchange.originator.state import WithdrawalState
from travelrule.exchange.table import BENEFICIARY, ORIGINATING

ATTEMPTS_MAX = 2


def kind_of(state: Any) -> object:
    """What decides about a state, without its ids and times; of earlier attempts only whether they wait or owe."""
    if isinstance(state, RefusedRequestState):
        return state.case.verdict, state.case.final, min(state.case.reminders, 2)
    if isinstance(state, WithdrawalState):
        earlier = frozenset((one.status == "wait", owes_conclusion(one)) for one in state.attempts[:-1])
        last = state.attempt and (state.attempt.status, bool(state.attempt.give_up), state.attempt.report)
        owed = state.attempt and state.attempt.finish
        facts = (state.recorded, state.chain, state.txid is None, state.case.verdict, state.case.final)
        tries = tuple(name in state.timers for name in ("try-again", "search-again", "report-again"))
        if state.request.destination.kind == "unknown":
            # The obligations of attempts before the search are distinguished where the search does not matter.
            return bool(state.attempts), facts, _search_of(state), tries
        return earlier, last, owed, facts, tries
    if isinstance(state, ExchangeState):
        seen = (state.chain, state.credited, state.deposit_id, state.asking)
        return state.status, state.txid, state.vout, seen, tuple(state.timers), state.answer["result"]
    return None


def _search_of(state: WithdrawalState) -> object:
    """What decides about a search: how often it ran, and its status."""
    search = state.search
    return search and (search.over, search.asks_at is None, search.called_back, search.searches)


def explore(scene: Scene, catalogue: Callable[[Any], Iterator[Wire]]) -> list[Any]:
    """Visit every kind of state once, with every input; return the states."""
    decide = MACHINES[scene.subject.partition(":")[0]].decide
    seen: dict[object, Any] = {None: None}
    waiting: deque[Any] = deque([None])
    while waiting:
        state = waiting.popleft()
        for data in catalogue(state):
            item = scene.input(data)
            decision = decide(state, item, scene.rules, scene.now)
            check(state, item, decision, scene.rules)
            after = decision.state
            kind = kind_of(after)
            if kind not in seen and len(getattr(after, "attempts", ())) <= ATTEMPTS_MAX:
                seen[kind] = after
                waiting.append(after)
    return [state for state in seen.values() if state is not None]


HOLDING = 'operator_override = true\ndeny_list = ["banned"]'
DENYING = """
accept_found_vasp = true
deny_list = ["banned"]
[verdicts]
COUNTERPARTY_UNREACHABLE = "deny"
COUNTERPARTY_UNKNOWN = "deny"
DENIED_CORRECTABLE = "deny"
"""


@pytest.mark.parametrize("rules", [HOLDING, DENYING], ids=["holding", "denying"])
def test_every_withdrawal_meets_every_input(rules):
    states = explore(Scene(rules=policy(rules)), for_withdrawal)
    assert {one.case.verdict for one in states if isinstance(one, RefusedRequestState)} == {"hold", "deny"}
    states = [state for state in states if isinstance(state, WithdrawalState)]
    reached = {one.status for state in states for one in state.attempts}
    # ``verified`` is passed through: the same decision that allows the withdrawal queues it.
    assert reached == set(ORIGINATING.transitions) - {"verified"}
    searches = [state.search for state in states if state.search is not None]
    assert {one.searches for one in searches} == {1, 2, 3}
    assert {one.over for one in searches} == {True, False}


def test_every_inbound_exchange_meets_every_input():
    states = explore(inbound(), for_exchange)
    assert {state.status for state in states} == set(BENEFICIARY.transitions) - {"new"}
    assert {state.chain for state in states} == {"none", "broadcast", "final", "retracted"}
