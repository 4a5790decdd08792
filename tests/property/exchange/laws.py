"""What must hold after every decision, whatever was decided: the oracle of the property tests (design section 5)."""

from __future__ import annotations

from typing import Any

from schemas.exchanges import ExchangeBody
from schemas.verdicts import VerdictBody
from schemas.withdrawals import WithdrawalCancelled
from travelrule.exchange.beneficiary_state import ExchangeState
from travelrule.exchange.decision import Alert, CallHub, Decision, Emit, Reply
from travelrule.exchange.inputs import Input
from travelrule.exchange.machines import MACHINES
from travelrule.exchange.state import WithdrawalState
from travelrule.exchange.table import NEW, TRANSITIONS
from travelrule.policy.policy import Policy


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
    if isinstance(after, WithdrawalState):
        _withdrawal(before, item, decision, policy)
    if isinstance(after, ExchangeState):
        _exchange(before, decision)


def _txid(state: Any) -> str | None:
    return None if state is None else state.txid


def _events_fit(decision: Decision[Any]) -> None:
    for effect in decision.effects:
        if isinstance(effect, Emit):
            model = ExchangeBody if effect.topic == "exchanges" else VerdictBody
            model.model_validate(effect.data)


def _walk(side: str, start: str, statuses: list[str], end: str) -> None:
    """The emitted statuses are a way through the table from the old status to the new one."""
    at = start
    for status in statuses:
        assert status == at or status in TRANSITIONS[side][at].values(), f"{at} to {status}"
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
    if before is not None:
        assert [one.transfer_id for one in after.attempts][: len(before.attempts)] == [
            one.transfer_id for one in before.attempts
        ]
        if before.case.final and after.case != before.case:
            assert isinstance(item.data, WithdrawalCancelled), "only the platform overrules what is final"
    _verdicts(after, [data for data in emitted if "verdict" in data], policy)
    _calls(before, decision, policy)
    _failures(before, decision)


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
        else:
            assert reason.startswith("EXEMPT_")


def _calls(before: WithdrawalState | None, decision: Decision[Any], policy: Policy) -> None:
    after: WithdrawalState = decision.state
    for call in decision.effects:
        if not isinstance(call, CallHub):
            continue
        attempt = after.find(call.transfer_id)
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


def _failures(before: WithdrawalState | None, decision: Decision[Any]) -> None:
    """A report or a finish that fails for good is never silent."""
    alerts = {effect.code for effect in decision.effects if isinstance(effect, Alert)}
    for attempt in decision.state.attempts:
        old = before.find(attempt.transfer_id) if before is not None else None
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
    if before is not None:
        assert (after.fingerprint, after.answer) == (before.fingerprint, before.answer)
