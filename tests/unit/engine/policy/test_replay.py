"""Deciding again under another policy: timers that differ, and answers that come before they are asked for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid5

import orjson

from schemas.events.txids import WithdrawalMined
from schemas.wire_model import Wire
from travelrule.engine.audit.history import HistoryStep
from travelrule.engine.policy import replay
from travelrule.engine.policy.questions import question_of, renamed
from travelrule.engine.policy.replay import ReplayRun, TrialConditions, recorded_run, trial_run
from travelrule.machine.decision import Decision
from travelrule.machine.effects import CallHub, Emit
from travelrule.machine.input import Input
from travelrule.machine.internal_inputs import CallResult, TimerDue
from travelrule.machine.port import Machine
from travelrule.machine.projection import Projection
from travelrule.policy.policy import Policy

START = datetime(2026, 1, 1, tzinfo=UTC)
NAMESPACE = UUID(int=3)


@dataclass(frozen=True, slots=True)
class Asker:
    """Asks once when its timer comes due (after ``time_limits.parked``); the answer is the verdict."""

    due_at: datetime | None
    asked: str = ""
    answer: str = ""


def decide(state: Asker | None, item: Input, policy: Policy, now: datetime) -> Decision[Any]:
    match item.data:
        case WithdrawalMined() if state is None:
            return Decision(Asker(now + timedelta(seconds=policy.time_limits.parked)))
        case TimerDue(due_at=due_at) if state is not None and due_at == state.due_at:
            if policy.report_moment == "final":
                return Decision(state, status="rejected")
            if policy.report_moment == "mined":
                return Decision(replace(state, due_at=now + timedelta(seconds=1)))
            call = CallHub("status-search", "south", str(item.salt), {"requestId": str(item.salt), "txid": "T"})
            return Decision(replace(state, due_at=None, asked=str(item.salt)), (call,))
        case CallResult(correlation_id=name, body=body) if state is not None and name == state.asked:
            word = str((body or {})["word"])
            said = {"verdict": word, "reasons": ["TOLD"], "needs": [], "final": True}
            return Decision(replace(state, answer=word), (Emit("verdicts", "w", "withdrawal.verdict.v1", said),))
    return Decision(state, status="duplicate")


def dump(state: Asker) -> bytes:
    return orjson.dumps([state.due_at, state.asked, state.answer])


MACHINE = Machine(
    "withdrawal", decide, dump, lambda _: None, lambda state: Projection(due_at=state.due_at, due_timer="ask"), 2
)


def rules(seconds: int, more: str = "") -> Policy:
    return Policy.from_toml(f"{more}\n[time_limits]\nparked = {seconds}")


def step(data: Wire, seconds: float, policy: Policy, version: int = 2) -> HistoryStep:
    name = str(seconds)
    at = START + timedelta(seconds=seconds)
    return HistoryStep(
        Input("/test", name, "x", "withdrawal:w", at, data, b"", uuid5(NAMESPACE, name)), at, policy, "", version
    )


def history(policy: Policy, asked_at: float) -> list[HistoryStep]:
    """Requested, asked when the timer came due, answered two seconds later, and reported an hour later."""
    due_at = START + timedelta(seconds=asked_at)
    asked = str(uuid5(NAMESPACE, str(asked_at)))
    report = CallResult(
        operation="status-search", correlation_id=asked, target="south", outcome="answered", body={"word": "allow"}
    )
    return [
        step(WithdrawalMined(withdrawal_id="w"), 0, policy),
        step(TimerDue(name="ask", due_at=due_at), asked_at, policy),
        step(report, asked_at + 2, policy),
        step(WithdrawalMined(withdrawal_id="w"), 3600, policy),
    ]


def tried(other: Policy, until: float = 7200, *, recorded: Policy | None = None, steps: int = 4) -> ReplayRun:
    then = recorded or rules(60)
    past = history(then, then.time_limits.parked)[:steps]
    known = recorded_run(MACHINE, past, lambda _: "")
    assert known is not None
    return trial_run(MACHINE, past, known, TrialConditions(other, START + timedelta(seconds=until)))


def test_the_same_rules_lead_to_the_same() -> None:
    run = tried(rules(60))
    assert (run.verdict, run.unknown) == (
        {"verdict": "allow", "reasons": ["TOLD"], "needs": [], "final": True},
        "",
    )


def test_what_is_asked_later_gets_the_answer_that_came_before() -> None:
    run = tried(rules(600))
    assert run.verdict is not None
    assert (run.verdict["verdict"], run.unknown) == ("allow", "")
    late = tried(rules(5000))
    assert late.verdict is not None, "the timer comes due after the last input"


def test_what_is_asked_earlier_gets_its_answer_when_it_came() -> None:
    run = tried(rules(5))
    assert run.verdict is not None
    assert run.unknown == ""


def test_what_has_not_come_due_yet_says_nothing() -> None:
    run = tried(rules(8000))
    assert (run.verdict, run.unknown, run.settled) == (None, "", True)


def test_a_question_that_was_never_asked_has_no_answer() -> None:
    run = tried(rules(60), recorded=rules(600), steps=1)
    assert (run.unknown, run.settled) == ("status-search to south would be asked", False)


def test_a_timer_that_is_refused_or_set_for_ever_ends(monkeypatch: Any) -> None:
    monkeypatch.setattr(replay, "TIMERS_MAX", 50)
    assert tried(rules(5, 'report_moment = "final"')).unknown == ""
    assert tried(rules(5, 'report_moment = "mined"')).unknown == "too many timers would come due"


def test_a_record_that_does_not_follow_from_the_inputs_is_noticed() -> None:
    assert recorded_run(MACHINE, history(rules(60), 60), lambda _: "another") is None


def test_the_same_question_under_another_id_is_the_same_and_with_other_facts_another() -> None:
    def ask(name: str, **clear: str) -> Any:
        return question_of(CallHub("transfer-authorization", "south", name, {"transferId": name, **clear}, {"x": 1}))

    assert ask("t-1", amount="1").key == ask("t-2", amount="1").key
    assert ask("t-1", amount="1").key != ask("t-1", amount="2").key
    assert question_of(CallHub("finish", "south", "t-1", {})) is None
    report = CallResult(
        operation="o", correlation_id="t-1", target="south", outcome="answered", body={"transferId": "t-1", "a": 1}
    )
    other = renamed(report, "t-1", "t-2")
    assert isinstance(other, CallResult)
    assert (other.correlation_id, other.body) == ("t-2", {"transferId": "t-2", "a": 1})
