"""What must hold after every decision about a deposit, whatever the input: the oracle of the property tests."""

from __future__ import annotations

import json
from typing import Any

from schemas.events.callbacks import KytResultBody, SearchResultBody
from schemas.events.deposits import DepositDetected
from schemas.events.verdicts import VerdictBody
from tests.support.deposit_scenes import WALLET
from tests.support.events import ADDRESS
from travelrule.deposits.machine import MACHINE
from travelrule.deposits.state import DepositState
from travelrule.deposits.table import TABLE, WAITS
from travelrule.machine.decision import Decision
from travelrule.machine.effects import Alert, CallHub, DropCalls, Emit, LookUp, SendMessage
from travelrule.machine.input import Input
from travelrule.machine.internal_inputs import CallResult
from travelrule.machine.transition_table import NEW
from travelrule.policy.policy import Policy

PERSONAL = (ADDRESS, "Lind", "Erik", "Berg", "Anna", "1980-05-06", WALLET["customerId"])
POLL_SECONDS_MIN = 10
MODELS = {
    "deposit.verdict.v1": VerdictBody,
    "txid-search.result.v1": SearchResultBody,
    "kyt.result.v1": KytResultBody,
}


def check(before: DepositState | None, item: Input, decision: Decision[Any], policy: Policy) -> None:
    """Every law, for one decision."""
    after = decision.state
    if decision.status in ("rejected", "parked"):
        assert after == before
        assert not decision.effects
        assert decision.status == "parked" or decision.code
        return
    assert MACHINE.load(MACHINE.dump(after)) == after
    projection = MACHINE.project(after)
    assert projection.due_at == min(after.timers.values(), default=None)
    if before is None:
        assert isinstance(item.data, DepositDetected)
    _walked(before, after)
    _watched(after)
    _nothing_personal(decision)
    _verdicts(before, item, decision, policy)
    _calls(item, decision, policy)
    _told(before, decision)


def _walked(before: DepositState | None, after: DepositState) -> None:
    """The new status can be reached from the old one, in at most four steps of the table."""
    reachable = {before.status if before is not None else NEW}
    for _ in range(4):
        reachable |= {one for status in reachable for one in TABLE.transitions[status].values()}
    assert after.status in reachable


def _watched(after: DepositState) -> None:
    """Nothing waits indefinitely: each waiting status has a timer, each verdict for an operator a reminder."""
    if after.status in WAITS:
        assert WAITS[after.status] in after.timers, after.status
    if after.status not in ("settled", "retracted"):
        assert ("held" in after.timers) == (after.case.verdict == "hold")
        assert ("settle" in after.timers) == (after.case.verdict == "allow")
    else:
        assert not after.timers
    assert after.case.verdict != "open", "every deposit has a verdict"
    assert after.search is None or after.status == "searching"


def _nothing_personal(decision: Decision[Any]) -> None:
    for effect in decision.effects:
        if isinstance(effect, Emit):
            MODELS[effect.type].model_validate(effect.data)
            said = json.dumps(effect.data)
            assert not [word for word in PERSONAL if word in said]
        if isinstance(effect, CallHub | LookUp | SendMessage):
            assert ADDRESS not in repr(effect)
    assert ADDRESS not in repr(decision.state)
    assert not [word for word in PERSONAL if word in decision.rule]


def _verdicts(before: DepositState | None, item: Input, decision: Decision[Any], policy: Policy) -> None:
    after: DepositState = decision.state
    said = [effect.data for effect in decision.effects if isinstance(effect, Emit) and effect.topic == "verdicts"]
    assert len(said) <= 1
    if before is not None and before.case != after.case and before.case.final:
        assert after.status == "retracted" or before.status == "retracted", "final, but for a retraction"
    if not said:
        same = before is not None and (before.case.verdict, before.case.reasons) == (
            after.case.verdict,
            after.case.reasons,
        )
        assert same, "every change of a verdict is said"
        return
    (verdict,) = said
    assert verdict["policyVersion"] == policy.version
    assert verdict["verdict"] == after.case.verdict
    if verdict["verdict"] != "allow":
        return
    reason = verdict["reasons"][0]
    assert before is not None
    assert before.case.verdict != "allow", "allowed once"
    if reason == "MATCHED":
        assert after.match is not None
        assert (after.match.currency, after.match.amount) == (after.detected.currency, after.detected.amount)
        assert after.chain == "final"
    elif reason == "DATA_RECEIVED":
        assert after.received is not None
        assert after.chain == "final"
    else:
        assert reason == "OPERATOR"
        assert type(item.data).__name__ == "DecisionRecorded"
        return
    _assessed(after, policy)


def _assessed(after: DepositState, policy: Policy) -> None:
    """No finding of a risk is lost, and no check that the policy requires is omitted or still running."""
    assert after.gate is None
    assert not {"sanctioned", "malicious", "suspicious"} & set(after.risks.values())
    wanted = {*policy.screening.deposits}
    if policy.sanctions == "required" and after.received is not None:
        wanted.add("lists")
    assert wanted <= set(after.risks)
    open_risks = {after.risks[kind] for kind in wanted} - {"clean"}
    assert {f"RISK_{risk.upper()}" for risk in open_risks} <= {str(cause) for cause in policy.verdicts}


def _surviving(decision: Decision[Any]) -> list[CallHub]:
    """The calls of a decision that it did not take back itself."""
    calls: list[CallHub] = []
    for effect in decision.effects:
        if isinstance(effect, CallHub):
            calls.append(effect)
        elif isinstance(effect, DropCalls):
            calls = [call for call in calls if effect.operations and call.operation not in effect.operations]
    return calls


def _calls(item: Input, decision: Decision[Any], policy: Policy) -> None:
    after: DepositState = decision.state
    calls = _surviving(decision)
    polls = [call for call in calls if call.operation == "txid-search-result"]
    assert len(polls) <= 1
    for poll in polls:
        if isinstance(item.data, CallResult):
            assert poll.due_at is not None
            assert (poll.due_at - item.at).total_seconds() > POLL_SECONDS_MIN
    for call in calls:
        assert (call.payload is not None) == (call.operation == "data-request")
        if call.operation == "data-request":
            assert after.status == "requesting"
            assert after.found is not None
            assert (call.target, call.correlation_id) == (after.found.entity_id, after.found.request_id)
            assert policy.may_send_to(call.target)
        elif call.operation == "status-search":
            assert after.status == "asking"
        else:
            assert after.search is not None
            assert call.correlation_id == after.search.request_id
    assert after.searches <= policy.searches.attempts


def _told(before: DepositState | None, decision: Decision[Any]) -> None:
    """The exchange is notified of each stage once; lost matches, retractions and credits without allow are alerted."""
    after: DepositState = decision.state
    alerts = {effect.code for effect in decision.effects if isinstance(effect, Alert)}
    if after.match is not None and (after.outcome or after.chain == "final"):
        assert after.told == (after.outcome or "final")
    if before is None:
        return
    if after.outcome == "credited" and not before.outcome and before.case.verdict != "allow":
        assert "CREDITED_WITHOUT_ALLOW" in alerts
    if before.case.verdict == "allow" and after.status == "retracted":
        assert "RETRACTED_AFTER_ALLOW" in alerts
    lost = before.match is not None and (after.match is None or after.match.exchange != before.match.exchange)
    if lost and before.case.reasons == ("MATCHED",) and before.status == "matched" and after.status != "retracted":
        assert "DEPOSIT_MATCH_LOST" in alerts
