"""An oracle that cannot fail is worth nothing: each fault that is planted here must end the run, and be named."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest

from schemas.events.deposits import DepositSettled
from tests.simulation import engine_model as engine_models
from tests.simulation.engine_jobs import EngineJobs
from tests.simulation.simulation import Simulation, SimulationFailed, repeated_by
from travelrule.deposits.state import DepositState
from travelrule.engine.calls.call_executor import CallExecutor
from travelrule.engine.directory.counterparties import CounterpartyDirectory
from travelrule.engine.registry import MACHINES
from travelrule.exchange.beneficiary.state import ExchangeState
from travelrule.exchange.originator.state import WithdrawalState
from travelrule.machine.case import Case
from travelrule.machine.decision import Decision
from travelrule.machine.effects import CallHub, DropCalls, Emit, Reply
from travelrule.machine.input import Input
from travelrule.machine.internal_inputs import CallResult, TimerDue
from travelrule.machine.port import Machine
from travelrule.machine.retry_policy import Retry, next_action
from travelrule.messages.inbound_request import AuthorizationReceived, TxidReportReceived
from travelrule.policy.policy import Policy

WITHDRAWALS = 100
SEEDS = range(11, 17)
Planted = Callable[[Any, Input, Decision[Any]], Decision[Any]]
"""(state before, input, what the machine decided) -> what the planted fault makes of it."""


def mutated(kind: str, plant: Planted) -> dict[str, Machine]:
    real = MACHINES[kind]

    def decide(state: Any, item: Input, policy: Policy, now: datetime) -> Decision[Any]:
        return plant(state, item, real.decide(state, item, policy, now))

    return {**MACHINES, kind: replace(real, decide=decide)}


def with_effects(decision: Decision[Any], change: Callable[[Any], Any]) -> Decision[Any]:
    """Each effect replaced; ``None`` drops it."""
    return replace(decision, effects=tuple(new for old in decision.effects if (new := change(old)) is not None))


def and_says(decision: Decision[Any], kind: str, key: str, case: Case, **words: Any) -> Decision[Any]:
    """One verdict more."""
    data = {
        "subject": f"{kind}:{key}",
        "verdict": case.verdict,
        "reasons": list(case.reasons),
        "needs": [],
        "final": True,
        "policyVersion": case.policy_version,
        **words,
    }
    return replace(decision, effects=(*decision.effects, Emit("verdicts", key, f"{kind}.verdict.v1", data)))


def no_conclusion_timer(before: Any, item: Input, decision: Decision[Any]) -> Decision[Any]:
    if not isinstance(decision.state, WithdrawalState):
        return decision
    timers = {name: at for name, at in decision.state.timers.items() if name != "conclude"}
    return replace(decision, state=replace(decision.state, timers=timers))


def silent_conclusion(before: Any, item: Input, decision: Decision[Any]) -> Decision[Any]:
    """The timer runs, and tells nobody."""
    return with_effects(decision, lambda one: None if getattr(one, "code", "") == "EXCHANGE_NOT_CONCLUDED" else one)


def verdict_twice(before: Any, item: Input, decision: Decision[Any]) -> Decision[Any]:
    verdicts = [one for one in decision.effects if isinstance(one, Emit) and one.topic == "verdicts"]
    return replace(decision, effects=(*decision.effects, *verdicts))


def verdict_again(before: Any, item: Input, decision: Decision[Any]) -> Decision[Any]:
    """The answer to a txid report makes it say once more what it said long ago."""
    if not isinstance(item.data, CallResult) or item.data.operation != "txid-report" or before is None:
        return decision
    to = before.request.destination.vasp_entity_id
    return and_says(decision, "withdrawal", before.withdrawal_id, decision.state.case, counterparty=to)


def no_reason(before: Any, item: Input, decision: Decision[Any]) -> Decision[Any]:
    def strip(one: Any) -> Any:
        return (
            replace(one, data={**one.data, "reasons": []}) if isinstance(one, Emit) and "reasons" in one.data else one
        )

    return with_effects(decision, strip)


def another_policy(before: Any, item: Input, decision: Decision[Any]) -> Decision[Any]:
    def change(one: Any) -> Any:
        old = isinstance(one, Emit) and "policyVersion" in one.data
        return replace(one, data={**one.data, "policyVersion": "yesterday"}) if old else one

    return with_effects(decision, change)


def txid_replaced(before: Any, item: Input, decision: Decision[Any]) -> Decision[Any]:
    """A second report with another transaction is believed."""
    if not isinstance(item.data, TxidReportReceived) or not isinstance(decision.state, ExchangeState):
        return decision
    return replace(decision, state=replace(decision.state, txid=item.data.txid))


def allowed_unverified(before: Any, item: Input, decision: Decision[Any]) -> Decision[Any]:
    def change(one: Any) -> Any:
        denied = isinstance(one, Emit) and "DENIED_INPUT_NAME_MISMATCHED" in one.data.get("reasons", ())
        if not denied:
            return one
        words = {"verdict": "allow", "reasons": ["VERIFIED"], "needs": [], "final": True}
        return replace(one, data={**one.data, **words})

    return with_effects(decision, change)


def verified_unstored(before: Any, item: Input, decision: Decision[Any]) -> Decision[Any]:
    if before is not None or not isinstance(item.data, AuthorizationReceived):
        return decision
    replies = tuple(one for one in decision.effects if isinstance(one, Reply))
    return Decision(None, replies, status="rejected", code="X")


def authorized_first(before: Any, item: Input, decision: Decision[Any]) -> Decision[Any]:
    """Personal data at once, instead of the question whether the address is there."""

    def change(one: Any) -> Any:
        return replace(one, operation="transfer-authorization") if _is(one, "address-search") else one

    return with_effects(decision, change)


def to_somebody_else(before: Any, item: Input, decision: Decision[Any]) -> Decision[Any]:
    def change(one: Any) -> Any:
        return replace(one, target="east") if _is(one, "transfer-authorization") else one

    return with_effects(decision, change)


def in_clear(before: Any, item: Input, decision: Decision[Any]) -> Decision[Any]:
    def change(one: Any) -> Any:
        if not _is(one, "transfer-authorization"):
            return one
        name = decision.state.request.originator.natural.last_name
        return replace(one, clear={**one.clear, "note": name})

    return with_effects(decision, change)


def finish_forgotten(before: Any, item: Input, decision: Decision[Any]) -> Decision[Any]:
    return with_effects(decision, lambda one: None if _is(one, "finish") else one)


def report_taken_back(before: Any, item: Input, decision: Decision[Any]) -> Decision[Any]:
    """Everything that is under way is dropped when the block comes."""
    return replace(decision, effects=(*decision.effects, DropCalls())) if "mined" in item.type else decision


def impure(before: Any, item: Input, decision: Decision[Any]) -> Decision[Any]:
    if not isinstance(decision.state, WithdrawalState) or before is not None:
        return decision
    return replace(decision, state=replace(decision.state, fingerprint=str(uuid4())))


def credited_early(before: Any, item: Input, decision: Decision[Any]) -> Decision[Any]:
    def change(one: Any) -> Any:
        early = isinstance(one, Emit) and "AWAITING_FINALITY" in one.data.get("reasons", ())
        words = {"verdict": "allow", "reasons": ["MATCHED"], "final": True}
        return replace(one, data={**one.data, **words}) if early else one

    return with_effects(decision, change)


def final_is_not_final(before: Any, item: Input, decision: Decision[Any]) -> Decision[Any]:
    """A chain event moves a verdict that was final."""
    if "mined" not in item.type or before is None or before.case.verdict != "allow" or decision.status != "applied":
        return decision
    return and_says(decision, "withdrawal", before.withdrawal_id, before.case, verdict="deny", reasons=["X"])


def verdict_after_credit(before: Any, item: Input, decision: Decision[Any]) -> Decision[Any]:
    """The money is with the customer, and then it is denied."""
    if not isinstance(item.data, DepositSettled) or item.data.outcome != "credited" or decision.status != "applied":
        return decision
    return and_says(decision, "deposit", before.deposit_id, before.case, verdict="deny", reasons=["X"])


def allowed_twice(before: Any, item: Input, decision: Decision[Any]) -> Decision[Any]:
    """The reminder that a deposit is not settled allows it once more."""
    if not isinstance(item.data, TimerDue) or item.data.name != "settle":
        return decision
    case, state = decision.state.case, decision.state
    known = {"counterparty": state.counterparty} if state.counterparty else {}
    return and_says(decision, "deposit", state.deposit_id, case, **known)


def never_searched_again(before: Any, item: Input, decision: Decision[Any]) -> Decision[Any]:
    """The timer of a search only restarts the search: the deposit is searched indefinitely."""
    if not isinstance(item.data, TimerDue) or item.data.name != "search" or before is None:
        return decision
    return Decision(replace(before, timers={**before.timers, "search": item.data.due_at + timedelta(days=1)}))


def nobody_is_reminded(before: Any, item: Input, decision: Decision[Any]) -> Decision[Any]:
    if not isinstance(decision.state, DepositState):
        return decision
    timers = {name: at for name, at in decision.state.timers.items() if name != "held"}
    return replace(decision, state=replace(decision.state, timers=timers))


def timer_that_stays(before: Any, item: Input, decision: Decision[Any]) -> Decision[Any]:
    return Decision(before, status="duplicate") if item.type == "timer.due" and before is not None else decision


def deposit_without_timer(before: Any, item: Input, decision: Decision[Any]) -> Decision[Any]:
    if decision.state is None or decision.state.status != "searching":
        return decision
    timers = {name: at for name, at in decision.state.timers.items() if name != "search"}
    return replace(decision, state=replace(decision.state, timers=timers))


def _is(one: Any, operation: str) -> bool:
    return isinstance(one, CallHub) and one.operation == operation


@dataclass(frozen=True)
class Fault:
    kind: str
    plant: Planted
    named: str


FAULTS = [
    Fault("withdrawal", no_conclusion_timer, "nobody watches"),
    Fault("withdrawal", silent_conclusion, "without an alert"),
    Fault("withdrawal", verdict_twice, "2 verdicts|the same verdict twice"),
    Fault("withdrawal", verdict_again, "the same verdict twice|overruled a final verdict"),
    Fault("withdrawal", no_reason, "a verdict without a reason"),
    Fault("deposit", another_policy, "a policy that is not in force"),
    Fault("exchange", txid_replaced, "a stored txid was replaced"),
    Fault("withdrawal", allowed_unverified, "allowed without verified"),
    Fault("exchange", verified_unstored, "not stored"),
    Fault("withdrawal", authorized_first, "an authorization that nobody sends|before the address was checked"),
    Fault("withdrawal", to_somebody_else, "before the address was checked|nobody meant|is down"),
    Fault("withdrawal", in_clear, "unsealed"),
    Fault("withdrawal", finish_forgotten, "a finish that nobody sends"),
    Fault("withdrawal", report_taken_back, "that nobody sends"),
    Fault("withdrawal", impure, "decided otherwise the second time"),
    Fault("deposit", credited_early, "before it is final"),
    Fault("withdrawal", final_is_not_final, "overruled a final verdict"),
    Fault("withdrawal", timer_that_stays, "it would spin"),
    Fault("deposit", deposit_without_timer, "without its timer"),
    Fault("deposit", verdict_after_credit, "overruled a final verdict"),
    Fault("deposit", allowed_twice, "the same verdict twice|overruled a final verdict|not in force"),
    Fault("deposit", never_searched_again, "is searching for ever"),
    Fault("deposit", nobody_is_reminded, "a hold that nobody is reminded of"),
]


async def failure_of(simulation: Simulation) -> str:
    try:
        await simulation.play(WITHDRAWALS)
    except SimulationFailed as failure:
        return str(failure)
    return ""


async def is_found(named: str, machines: dict[str, Machine] | None = None) -> None:
    """The fault ends one of a few runs, says what is wrong, and by which seed it is had again."""
    for seed in SEEDS:
        simulation = Simulation(seed, machines)
        simulation.hub.searches.lists_who_is_down = False
        said = await failure_of(simulation)
        if said:
            assert re.search(named, said), said
            assert said.startswith(f"seed {seed}, ")
            assert repeated_by(seed, WITHDRAWALS) in said
            return
    pytest.fail(f"nobody noticed: {named}")


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.plant.__name__)
async def test_a_fault_of_a_machine_is_found(fault: Fault) -> None:
    await is_found(fault.named, mutated(fault.kind, fault.plant))


async def test_an_engine_that_forgets_what_it_has_seen_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    real = engine_models.EngineModel.apply

    def forgetful(self: Any, item: Input) -> Any:
        self.inputs.pop((item.source, item.id), None)
        return real(self, item)

    monkeypatch.setattr(engine_models.EngineModel, "apply", forgetful)
    await is_found("decided on twice|had an effect twice")


async def test_a_gap_in_a_sequence_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    real, numbers = engine_models.EngineModel._emit, itertools.count()

    def skips(self: Any, slot: Any, item: Any, effect: Emit) -> None:
        if next(numbers) == 200:
            counter = f"{effect.topic}:{effect.key}"
            slot.sequences[counter] = slot.sequences.get(counter, 0) + 1
        real(self, slot, item, effect)

    monkeypatch.setattr(engine_models.EngineModel, "_emit", skips)
    await is_found("a gap in")


async def test_a_timer_that_the_engine_loses_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    real, numbers = EngineJobs._timer_due, itertools.count()

    def loses(self: Any, *due: Any) -> None:
        if next(numbers) % 20:
            real(self, *due)

    monkeypatch.setattr(EngineJobs, "_timer_due", loses)
    await is_found("was lost")


async def test_a_deposit_that_is_held_for_ever_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hub that asks only who is up, and a program that takes this for everybody."""

    async def nobody(self: Any, asked: Any, own: str) -> bool:
        return False

    monkeypatch.setattr(CounterpartyDirectory, "left_out", nobody)
    await is_found("held for ever")


async def test_calls_to_a_vasp_that_is_down_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CallExecutor, "_deferred", lambda self, call, target: None)
    await is_found("which is down")


async def test_a_loop_of_refused_keys_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def again_and_again(*arguments: Any, **facts: Any) -> Any:
        if arguments[1].code in ("INVALID_RECEIVER_PUBLIC_KEY", "INVALID_ENCRYPTED_BODY"):
            return Retry(facts["now"], refresh_key=True)
        return next_action(*arguments, **facts)

    async def no_refresh(self: Any, entity_id: str, **_: Any) -> tuple[()]:
        return ()

    monkeypatch.setattr("travelrule.engine.calls.call_executor.next_action", again_and_again)
    monkeypatch.setattr("tests.simulation.operator.ModelDirectory.refresh_keys", no_refresh)
    await is_found("never to a loop")


async def test_answers_that_are_not_bound_to_their_requests_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "travelrule.exchange.originator.authorization.binding_fault", lambda report, checks, verified: None
    )
    await is_found("given to another")


async def test_without_a_fault_the_same_seed_passes() -> None:
    """What the tests above found was planted."""
    assert (await Simulation(11).play(WITHDRAWALS)).exchanges > WITHDRAWALS
