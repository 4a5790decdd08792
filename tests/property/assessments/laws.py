"""What must hold after every decision about an assessment, whatever the input: the oracle of the property tests."""

from __future__ import annotations

import json
from typing import Any

from tests.support.assessment_scenes import ADDRESS, OTHER_ADDRESS, TOKEN, TXID
from tests.support.scene import check_event
from travelrule.assessments.state import AssessmentState
from travelrule.assessments.table import TABLE, WAITING
from travelrule.engine.registry import MACHINES
from travelrule.machine.decision import Decision
from travelrule.machine.effects import CallHub, DropCalls, Emit, LookUp, SendMessage
from travelrule.machine.input import Input
from travelrule.machine.internal_inputs import CallResult
from travelrule.machine.transition_table import NEW
from travelrule.policy.policy import Policy

PERSONAL = (ADDRESS, OTHER_ADDRESS, TXID, "Lind", "Erik", "1980-05-06", "c-1001")
OPERATIONS = {
    "lists": set(),
    "wallet": {"wallet-screening"},
    "transaction": {"transaction-screening"},
    "kyt": {"kyt-search", "kyt-report"},
    "ownership": {"unhosted-token", "unhosted-result"},
}
CLEAN = {"wallet-screening", "transaction-screening", "kyt-report", "look-up"}
"""Whose answers alone may make a risk clean."""


def check(before: AssessmentState | None, item: Input, decision: Decision[Any], policy: Policy) -> None:
    """Every law, for one decision."""
    after = decision.state
    if decision.status in ("rejected", "parked"):
        assert after == before
        assert not decision.effects
        assert decision.status == "parked" or decision.code
        return
    machine = MACHINES[item.subject.partition(":")[0]]
    assert machine.load(machine.dump(after)) == after
    assert machine.project(after).due_at == min(after.timers.values(), default=None)
    _walked(before, after)
    _watched(after)
    _nothing_personal(decision)
    _said(before, item, decision, policy)
    _calls(decision, policy)
    if after.ended is not None and (before is None or before.ended is None):
        _answer(before, item, after)


def _walked(before: AssessmentState | None, after: AssessmentState) -> None:
    """The new status can be reached from the old one, in at most two steps of the table."""
    reachable = {before.status if before is not None else NEW}
    for _ in range(2):
        reachable |= {one for status in reachable for one in TABLE.transitions[status].values()}
    assert after.status in reachable
    if before is not None and before.ended is not None:
        assert after.ended == before.ended, "one answer"


def _watched(after: AssessmentState) -> None:
    """Nothing waits indefinitely, and an ended assessment waits for nothing."""
    assert ("limit" in after.timers) == (after.status in WAITING)
    assert ("lists" in after.timers) <= (after.status == "listing")
    assert (after.ended is not None) == (after.status == "ended")


def _nothing_personal(decision: Decision[Any]) -> None:
    for effect in decision.effects:
        if isinstance(effect, Emit):
            check_event(effect)
            assert not [word for word in PERSONAL if word in json.dumps(effect.data)]
        if isinstance(effect, SendMessage):
            assert not [word for word in PERSONAL if word in json.dumps(effect.data.to_wire())]
        if isinstance(effect, CallHub | LookUp | SendMessage):
            assert not [word for word in (*PERSONAL, TOKEN) if word in repr(effect)]
    assert not [word for word in (*PERSONAL, TOKEN) if word in repr(decision.state)]
    assert not [word for word in PERSONAL if word in decision.rule]


def _said(before: AssessmentState | None, item: Input, decision: Decision[Any], policy: Policy) -> None:
    """The platform gets events and an asker messages; each end is sent once, and repeated for an asker."""
    after: AssessmentState = decision.state
    emitted = [effect for effect in decision.effects if isinstance(effect, Emit)]
    told = [effect for effect in decision.effects if isinstance(effect, SendMessage)]
    ended_now = after.ended is not None and (before is None or before.ended is None)
    verdicts = [effect.data for effect in emitted if effect.topic == "verdicts"]
    if after.wanted.asker:
        assert not emitted
        assert all(effect.subject == after.wanted.asker for effect in told)
        assert not ended_now or [effect.type for effect in told] == ["assessment.ended"]
    else:
        assert not told
        assert len(verdicts) == ended_now
        for effect in emitted:
            assert effect.key == item.subject.partition(":")[2]
            assert effect.data["subject"] == item.subject
        for verdict in verdicts:
            assert verdict["final"] is True
            assert verdict["policyVersion"] == policy.version


def _answer(before: AssessmentState | None, item: Input, after: AssessmentState) -> None:
    """Clean is only what was checked and found clean; proven only what was proven, or decided by an operator."""
    ended = after.ended
    assert ended is not None
    report = item.data if isinstance(item.data, CallResult) and item.data.outcome == "answered" else None
    body = (report.body if report is not None else None) or {}
    if ended.risk == "clean":
        assert before is not None
        assert report is not None
        assert report.operation in CLEAN
        checked = body.get("checked") is True and not body.get("hits")
        white = body.get("securityCategory") == "WHITE" or body.get("senderWallets")
        assert checked or white or (body.get("report") or {}).get("verdict") == "Clean"
    assert ended.sanctioned == (ended.reason == "SANCTIONED")
    assert (ended.proven is not None) == (ended.kind == "ownership")
    if ended.proven and ended.reason != "OPERATOR":
        assert body.get("status") == "VERIFIED"
        assert body.get("address") == ADDRESS


def _calls(decision: Decision[Any], policy: Policy) -> None:
    """At most one question at a time, only of the assessment's kind, and none that outlives the assessment."""
    after: AssessmentState = decision.state
    calls: list[CallHub] = []
    for effect in decision.effects:
        if isinstance(effect, CallHub):
            calls.append(effect)
        elif isinstance(effect, DropCalls):
            calls = [call for call in calls if effect.operations and call.operation not in effect.operations]
    assert len(calls) <= 1
    assert not calls or after.status in WAITING
    for call in calls:
        assert call.operation in OPERATIONS[after.wanted.kind]
        assert call.target == ""
        assert call.payload is None
        assert after.chain
        assert after.question is not None
        assert call.correlation_id in (after.question.call_id, after.question.hub_id)
    assert after.forced <= 2
    del policy
