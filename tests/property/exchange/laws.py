"""What must hold after every decision, whatever was decided: the oracle of the property tests (design section 5)."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from schemas.events.callbacks import OwnershipResultBody, OwnershipSessionBody, SearchResultBody
from schemas.events.exchanges import ExchangeBody
from schemas.events.verdicts import WithdrawalVerdictBody
from schemas.events.withdrawals import WithdrawalCancelled
from travelrule.engine.registry import MACHINES
from travelrule.exchange.beneficiary.state import ExchangeState
from travelrule.exchange.originator.refused_request import RefusedRequestState
from travelrule.exchange.originator.state import WithdrawalState
from travelrule.exchange.table import SIDES
from travelrule.machine.decision import Decision
from travelrule.machine.effects import Alert, CallHub, DropCalls, Emit, EndUnsent, Reply, SendMessage
from travelrule.machine.input import Input
from travelrule.machine.transition_table import NEW
from travelrule.messages.arrival import ARRIVAL_MESSAGES, ArrivalReported, ArrivalWithdrawn, arrival_subject
from travelrule.messages.assessment import ASSESSMENT_MESSAGES
from travelrule.policy.policy import Policy

SEARCHES = ("wallet-search", "wallet-search-result")
EVENTS: dict[str, type[BaseModel]] = {
    "exchange.changed.v1": ExchangeBody,
    "withdrawal.verdict.v1": WithdrawalVerdictBody,
    "wallet-search.result.v1": SearchResultBody,
    "ownership.session.v1": OwnershipSessionBody,
    "ownership.result.v1": OwnershipResultBody,
}


def check(before: Any, item: Input, decision: Decision[Any], policy: Policy) -> None:
    """Every law, for one decision."""
    after = decision.state
    if decision.status in ("rejected", "parked"):
        assert after == before
        assert all(isinstance(effect, Reply) for effect in decision.effects)
        assert decision.status == "parked" or decision.code
        return
    if after is before and not decision.effects:
        return
    _events_fit(decision)
    kind = item.subject.partition(":")[0]
    machine = MACHINES[kind]
    assert machine.load(machine.dump(after)) == after
    projection = machine.project(after)
    assert projection.due_at == min(after.timers.values(), default=None)
    assert (projection.due_timer in after.timers) is (projection.due_at is not None)
    assert _txid(before) in (None, _txid(after)), "a stored txid is never replaced"
    if isinstance(after, RefusedRequestState):
        _refused_request(before, decision)
    if isinstance(after, WithdrawalState):
        _withdrawal(None if isinstance(before, RefusedRequestState) else before, item, decision, policy)
        if isinstance(before, RefusedRequestState):
            assert after.recorded or not before.case.final, "what was given up is not requested again"
    if isinstance(after, ExchangeState):
        _exchange(before, decision)


def _txid(state: Any) -> str | None:
    return getattr(state, "txid", None)


def _events_fit(decision: Decision[Any]) -> None:
    for effect in decision.effects:
        if isinstance(effect, Emit):
            EVENTS[effect.type].model_validate(effect.data)
        if isinstance(effect, SendMessage):
            assert isinstance(effect.data, (ARRIVAL_MESSAGES | ASSESSMENT_MESSAGES)[effect.type])


def _walk(side: str, start: str, statuses: list[str], end: str) -> None:
    """The emitted statuses are a way through the table from the old status to the new one."""
    at = start
    for status in statuses:
        assert status == at or status in SIDES[side].transitions[at].values(), f"{at} to {status}"
        at = status
    assert at == end, "every change of status is emitted"


def _withdrawal(before: WithdrawalState | None, item: Input, decision: Decision[Any], policy: Policy) -> None:
    after: WithdrawalState = decision.state
    emitted = [effect.data for effect in decision.effects if isinstance(effect, Emit)]
    for attempt in after.attempts:
        old = before.find(attempt.transfer_id) if before is not None else None
        statuses = [data["status"] for data in emitted if "side" in data and data["transferId"] == attempt.transfer_id]
        _walk("originating", old.status if old else NEW, statuses, attempt.status)
        sent = attempt.status in ("verified", "pending", "processing", "wait-confirm", "confirmed")
        if attempt.finish == "owed" or (sent and attempt.report not in ("accepted", "failed")):
            assert "conclude" in after.timers, "what is owed is watched"
        assert attempt.finish == "none" or attempt.status == "canceled"
        if old is not None and old.status == attempt.status == "wait" and attempt.give_up and not old.give_up:
            assert EndUnsent("transfer-authorization") in decision.effects, "nothing personal leaves for what is over"
    if before is not None:
        assert [one.transfer_id for one in after.attempts][: len(before.attempts)] == [
            one.transfer_id for one in before.attempts
        ]
        if before.case.final and after.case != before.case:
            assert isinstance(item.data, WithdrawalCancelled), "only the platform overrules what is final"
    _verdicts(after, [data for data in emitted if "verdict" in data], policy)
    _calls(before, item, decision, policy)
    _search(before, item, decision, policy)
    _failures(before, decision)
    _gates(before, decision, policy)


def _refused_request(before: Any, decision: Decision[Any]) -> None:
    """A refused request never moves value: it is on hold, watched, or denied finally; no call or message follows."""
    after: RefusedRequestState = decision.state
    assert before is None or isinstance(before, RefusedRequestState), "a known withdrawal is not forgotten"
    assert all(isinstance(effect, Emit | Alert) for effect in decision.effects)
    verdicts = [effect.data for effect in decision.effects if isinstance(effect, Emit)]
    assert len(verdicts) <= 1
    for data in verdicts:
        assert data["policyVersion"] == after.case.policy_version
        assert data["deadLetterId"] == after.dead_letter_id
    assert (after.case.verdict, after.case.final, "held" in after.timers) in (
        ("hold", False, True),
        ("deny", True, False),
    )
    if before is not None and before.case.final:
        assert after == before


def _gates(before: WithdrawalState | None, decision: Decision[Any], policy: Policy) -> None:
    """Messages go to assessments only, one at a time; nothing is sent past a gate that the policy requires."""
    after: WithdrawalState = decision.state
    told = [effect for effect in decision.effects if isinstance(effect, SendMessage)]
    assert {effect.type for effect in told} <= {"assessment.wanted", "assessment.dropped"}
    wanted = [effect for effect in told if effect.type == "assessment.wanted"]
    assert [effect.subject for effect in wanted[-1:]] == ([after.gate.subject] if wanted and after.gate else [])
    if after.case.final:
        assert after.gate is None, "nobody waits for what cannot change a final verdict"
    sends = [one for one in decision.effects if isinstance(one, CallHub) and one.operation == "transfer-authorization"]
    if sends and policy.sanctions == "required":
        assert "lists" in after.passed, "no personal data leaves before the lists were looked at"
    if sends and policy.screening.withdrawals == "wallet":
        assert "wallet" in after.passed


def _verdicts(after: WithdrawalState, verdicts: list[dict[str, Any]], policy: Policy) -> None:
    assert len(verdicts) <= 1
    for data in verdicts:
        assert data["policyVersion"] == policy.version
        assert data["verdict"] == after.case.verdict
        if data["verdict"] != "allow":
            continue
        reason = data["reasons"][0]
        if reason == "VERIFIED":
            assert after.attempt is not None
            assert after.attempt.payload, "no allow without a stored verified answer"
            assert after.attempt.status in ("pending", "processing", "wait-confirm", "confirmed")
        elif reason == "OPERATOR":
            assert policy.operator_override
        elif reason == "OWNERSHIP_PROVEN":
            assert after.request.destination.kind == "unhosted"
        else:
            assert reason.startswith("EXEMPT_")


def _calls(before: WithdrawalState | None, item: Input, decision: Decision[Any], policy: Policy) -> None:
    after: WithdrawalState = decision.state
    for call in decision.effects:
        if not isinstance(call, CallHub):
            continue
        if call.operation in SEARCHES:
            _question(before, item, call, after, policy)
            continue
        attempt = after.find(call.correlation_id)
        assert attempt is not None
        assert call.target == attempt.counterparty
        assert policy.may_send_to(call.target) or call.operation in ("finish", "txid-report")
        if call.operation == "transfer-authorization":
            assert attempt is after.attempt
            assert attempt.status == "wait"
            assert call.target == after.request.destination.vasp_entity_id
            assert before is not None
            assert not before.case.final
        if call.operation == "address-search":
            assert call.payload is not None
            assert call.payload["Beneficiary"]["beneficiaryPersons"] == []
        if call.operation == "txid-report":
            assert call.clear["txid"] == after.txid
        if call.operation == "finish":
            assert attempt.finish == "owed"


def _question(
    before: WithdrawalState | None, item: Input, call: CallHub, after: WithdrawalState, policy: Policy
) -> None:
    """A call of a search: to the hub itself, for the search that runs, and never sooner than ten seconds again."""
    search = after.search
    assert search is not None
    assert not search.over
    assert not after.case.final
    assert after.request.destination.kind == "unknown"
    assert call.target == ""
    assert call.payload is None
    assert call.correlation_id == call.clear["requestId"] == search.request_id
    assert after.find(call.correlation_id) is None
    old = before.search if before is not None else None
    if call.operation == "wallet-search":
        assert old is None or old.request_id != search.request_id, "a new search has a new id"
        return
    assert call.due_at == search.asks_at
    assert old is not None
    assert old.request_id == search.request_id
    # ``item.at`` is the time of the decision in these tests.
    asked = [at for at in (old.asked_at, old.asks_at) if at is not None and at <= item.at]
    for at in asked:
        assert call.due_at is not None
        assert (call.due_at - at).total_seconds() >= policy.time_limits.search_poll


def _search(before: WithdrawalState | None, item: Input, decision: Decision[Any], policy: Policy) -> None:
    """A search ends once, is told once, and whatever waits has a call or a timer."""
    after: WithdrawalState = decision.state
    old, new = (before.search if before is not None else None), after.search
    told = [one.data for one in decision.effects if isinstance(one, Emit) and one.type == "wallet-search.result.v1"]
    dropped = {name for effect in decision.effects if isinstance(effect, DropCalls) for name in effect.operations}
    running = old is not None and not old.over
    goes_on = running and new is not None and not new.over and new.request_id == old.request_id
    if running and not goes_on:
        assert told or set(SEARCHES) <= dropped, "a search ends by its result or is taken back"
    assert [data["requestId"] for data in told] == ([old.request_id] if told and old is not None else [])
    assert len(told) <= 1
    assert not told or (running and not goes_on), "a result is told when it ends the search, and never again"
    if told and told[0]["outcome"] == "found":
        assert policy.may_send_to(told[0]["counterparty"]) or after.case.verdict != "allow"
    asked = {effect.operation for effect in decision.effects if isinstance(effect, CallHub)}
    if new is not None and not new.over and not goes_on:
        assert "wallet-search" in asked, "a search that runs was asked for"
    if goes_on and old.asks_at != new.asks_at:
        assert "wallet-search-result" in asked, "a result that is waited for was asked for"
    if after.request.destination.kind == "unknown" and after.case.verdict == "open" and not after.recorded:
        assert new is not None or after.gate is not None
        assert new is None or not new.over or after.timers or after.gate is not None, (
            "what has no verdict is searched, or will be"
        )
    if after.case.final:
        assert new is None
        assert not {"search-again", "try-again", "held"} & set(after.timers)


def _failures(before: WithdrawalState | None, decision: Decision[Any]) -> None:
    """A report or a finish that fails for good is never silent."""
    alerts = {effect.code for effect in decision.effects if isinstance(effect, Alert)}
    for attempt in decision.state.attempts:
        old = before.find(attempt.transfer_id) if before is not None else None
        if attempt.report == "missed":
            assert "report-again" in decision.state.timers, "a report that was not taken is made again"
        if attempt.report == "failed" and (old is None or old.report != "failed"):
            assert "TXID_REPORT_FAILED" in alerts
        if attempt.finish == "failed" and (old is None or old.finish != "failed"):
            assert "FINISH_FAILED" in alerts


def _exchange(before: ExchangeState | None, decision: Decision[Any]) -> None:
    after: ExchangeState = decision.state
    statuses = [effect.data["status"] for effect in decision.effects if isinstance(effect, Emit)]
    _walk("beneficiary", before.status if before else NEW, statuses, after.status)
    replies = [effect.body for effect in decision.effects if isinstance(effect, Reply)]
    for reply in replies:
        if reply["result"] == "verified":
            assert after.answer == reply, "verified is never answered for what is not stored"
            assert before is not None or after.status == "verified"
    if after.status == "verified":
        assert "open" in after.timers, "what waits for txid or finish is watched"
    _meeting(before, decision)
    if before is not None:
        assert (after.fingerprint, after.answer) == (before.fingerprint, before.answer)
    if before is not None and before.status == "canceled":
        assert after == before, "canceled is for good"
    if before is not None and (before.chain == "final" or before.credited):
        assert after.status == "confirmed", "no finish once the value is final or the customer was paid"


def _meeting(before: ExchangeState | None, decision: Decision[Any]) -> None:
    """An exchange with a txid reports it to the arrival subject, and a finish withdraws it."""
    after: ExchangeState = decision.state
    told = [effect for effect in decision.effects if isinstance(effect, SendMessage)]
    old = (before.txid, before.vout, before.status) if before is not None else (None, None, "")
    stored = old[:2] != (after.txid, after.vout)
    withdrawn = after.status == "canceled" and old[2] != "canceled" and after.txid is not None
    assert len(told) == int(stored) + int(withdrawn)
    for tell in told:
        assert after.txid is not None
        numbers = after.request.ivms101["Beneficiary"]["accountNumber"]
        address, _, tag = numbers[0].rpartition(":")
        assert tell.subject == arrival_subject(after.txid, address, tag)
        assert isinstance(tell.data, ArrivalWithdrawn if withdrawn else ArrivalReported)
        assert tell.data.exchange == f"exchange:{after.subject}"
