"""Whatever waits is watched: every state of every machine is walked, and what waits in it has a timer or a call.

The walk goes in breadth from nothing, by every input that a state can meet, every result of a call that is under way
and every timer that runs. States are distinguished by all of their fields but times, personal data and the names of
ids; counts above two are one. What is under way is taken from the effects, as the engine does.
"""

from __future__ import annotations

import dataclasses
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest

from schemas.wire_model import Wire
from tests.property.assessments.catalogue import for_assessment
from tests.property.deposits.catalogue import for_deposit
from tests.property.exchange.catalogue import for_exchange, for_withdrawal
from tests.simulation.liveness_laws import unattended
from tests.support import assessment_scenes as assessed
from tests.support import deposit_scenes as deposited
from tests.support import exchange_scenes as exchanged
from tests.support import scene, vasps
from travelrule.assessments.table import TABLE as OF_ASSESSMENTS
from travelrule.deposits.table import TABLE as OF_DEPOSITS
from travelrule.engine.registry import MACHINES
from travelrule.exchange.table import BENEFICIARY, ORIGINATING
from travelrule.machine.decision import Decision
from travelrule.machine.effects import CallHub, DropCalls, LookUp
from travelrule.machine.internal_inputs import CallResult, TimerDue
from travelrule.machine.transition_table import NEW

MANY = 2
STATES_MAX = 1000
"""Of one walk, the nearest ones; every status must be among them."""
OPAQUE = frozenset({"fingerprint", "request", "detected", "payload", "answer", "salt", "session", "wallet", "received"})
"""What no machine waits for: kept apart only by being there."""

SAID = frozenset(
    {
        *(
            "asked_at",
            "reasons",
            "needs",
            "missing",
            "reminders",
            "policy_version",
            "vout",
            "place",
            "sighting",
            "told",
        ),
        *("counterparty", "country", "alliance", "reason", "polls", "hastened", "alerted", "error", "hub_id", "gates"),
        *("entity_id", "facts", "cause", "deposit_id", "finish_reason"),
    }
)
"""What is only said, or counted to be said."""

Calls = tuple[tuple[str, str, datetime], ...]
"""Operation, transferId and due time of what is under way."""


def kind_of(value: Any, names: dict[str, int]) -> object:
    """A state without times, personal data and names."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = [(field.name, getattr(value, field.name)) for field in dataclasses.fields(value)]
        return tuple(
            bool(content) if name in OPAQUE else kind_of(content, names) for name, content in fields if name not in SAID
        )
    if isinstance(value, dict):
        return tuple(sorted((name, type(content).__name__) for name, content in value.items()))
    if isinstance(value, (tuple, list)):
        return tuple(kind_of(one, names) for one in value[-MANY:])
    if isinstance(value, Wire):
        return True
    if isinstance(value, datetime):
        return True
    if isinstance(value, int) and not isinstance(value, bool):
        return min(value, MANY)
    if isinstance(value, str) and (len(value) > 30 or ":" in value):
        return names.setdefault(value, len(names))
    return value


def moment_of(data: Wire, calls: Calls, now: datetime) -> datetime:
    """A timer comes when it is due, a result after its call was due, anything else a second later."""
    if isinstance(data, TimerDue):
        return max(now, data.due_at)
    due = [at for operation, of, at in calls if _is_of(data, operation, of)]
    return max(now, *due[:1]) + timedelta(seconds=1) if due else now + timedelta(seconds=1)


def under_way(calls: Calls, data: Wire, decision: Decision[Any], now: datetime) -> Calls:
    """The calls after a decision: the result that came ends its call, some are taken back, others begin."""
    left = list(calls)
    if isinstance(data, CallResult) and data.outcome in ("answered", "failed"):
        left.remove(next(one for one in left if _is_of(data, one[0], one[1])))
    for effect in decision.effects:
        match effect:
            case DropCalls(operations):
                left = [one for one in left if operations and one[0] not in operations]
            case CallHub():
                left.append((effect.operation, effect.correlation_id, effect.due_at or now))
            case LookUp(question):
                left.append(("look-up", question, now))
    return tuple(sorted(left))


def _is_of(data: Wire, operation: str, transfer_id: str) -> bool:
    return isinstance(data, CallResult) and (data.operation, data.correlation_id) == (operation, transfer_id)


def possible(inputs: Iterable[Wire], state: Any, calls: Calls) -> Iterator[Wire]:
    """Only calls that are under way have results, and only timers that run come due."""
    running = {(operation, of) for operation, of, _ in calls}
    for data in inputs:
        if isinstance(data, CallResult) and (data.operation, data.correlation_id) not in running:
            continue
        if isinstance(data, TimerDue):
            continue
        yield data
    for name, due_at in getattr(state, "timers", {}).items():
        yield TimerDue(name=name, due_at=due_at)


def walk(make: Callable[[], Any], catalogue: Callable[[Any], Iterable[Wire]]) -> set[str]:
    """Visit every kind of state; return the statuses that were seen."""
    scene = make()
    machine = MACHINES[scene.subject.partition(":")[0]]
    first: tuple[Any, Calls, datetime] = (None, (), scene.now)
    seen: set[object] = {None}
    waiting = deque([first])
    statuses = set()
    while waiting and len(seen) < STATES_MAX:
        state, calls, now = waiting.popleft()
        for data in possible(catalogue(state), state, calls):
            scene.now = moment_of(data, calls, now)
            decision = machine.decide(state, scene.input(data), scene.rules, scene.now)
            if decision.state is None or decision.status in ("rejected", "parked"):
                continue
            left = under_way(calls, data, decision, scene.now)
            reason = unattended(decision.state, {(operation, of) for operation, of, _ in left})
            assert not reason, f"{reason}: after {type(data).__name__} in {kind_of(state, {})}"
            names: dict[str, int] = {}
            kind = kind_of(decision.state, names), tuple(sorted((one, str(names.get(of))) for one, of, _ in left))
            if kind not in seen:
                seen.add(kind)
                waiting.append((decision.state, left, scene.now))
                statuses |= statuses_of(decision.state)
    return statuses


def statuses_of(state: Any) -> set[str]:
    attempts = getattr(state, "attempts", None)
    return {one.status for one in attempts} if attempts is not None else {getattr(state, "status", "")}


WITHDRAWALS = ["", 'sanctions = "required"', 'sanctions = "required"\n[screening]\nwithdrawals = "wallet"']


def test_every_waiting_state_of_a_withdrawal_is_watched() -> None:
    seen: set[str] = set()
    for text in WITHDRAWALS:
        seen |= walk(lambda text=text: scene.Scene(rules=vasps.policy(text)), for_withdrawal)
    transient = {"verified"}  # pending follows in the same decision
    assert seen >= set(ORIGINATING.transitions) - transient


def test_every_waiting_state_of_an_inbound_exchange_is_watched() -> None:
    assert walk(exchanged.inbound, for_exchange) == set(BENEFICIARY.transitions) - {NEW}


@pytest.mark.parametrize("text", ["", 'sanctions = "required"\n[screening]\ndeposits = ["transaction", "kyt"]'])
def test_every_waiting_state_of_a_deposit_is_watched(text: str) -> None:
    seen = walk(lambda: deposited.DepositScene(rules=deposited.rules(text)), for_deposit)
    assert seen >= set(OF_DEPOSITS.transitions) - {NEW}


@pytest.mark.parametrize("subject", [assessed.SCREENING, assessed.ASSESSMENT])
def test_every_waiting_state_of_an_assessment_is_watched(subject: str) -> None:
    seen = walk(lambda: assessed.AssessmentScene(subject=subject), lambda state: for_assessment(subject, state))
    assert seen >= set(OF_ASSESSMENTS.transitions) - {NEW} - ({"dropped"} if subject == assessed.SCREENING else set())


@pytest.mark.parametrize("kind", ["wallet", "owner", "vasp", "arrival", "data-request", "disclosure"])
def test_a_machine_without_timers_has_no_field_for_them(kind: str) -> None:
    """What these machines wait for is told in ``unattended``; one that gets timers must be walked too."""
    walked = {"withdrawal", "exchange", "deposit", "screening", "assessment"}
    assert kind in MACHINES.keys() - walked
    assert MACHINES.keys() == walked | {"wallet", "owner", "vasp", "arrival", "data-request", "disclosure"}
