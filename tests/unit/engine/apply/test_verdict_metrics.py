"""What is counted of a verdict: its age from the platform's request, the policy's limit, a denial."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from schemas.events.deposits import DepositConfirmed
from schemas.events.screenings import OwnershipRequested, ScreeningRequested
from schemas.events.withdrawals import WithdrawalCancelled
from schemas.wire_model import Wire
from travelrule import metrics
from travelrule.engine.apply.answer_limit import answer_due_at
from travelrule.engine.apply.event_rows import EventRows
from travelrule.engine.apply.locked_subject import LockedSubject
from travelrule.engine.apply.observations import Observation, count_observations
from travelrule.engine.committed_lines import FactLog
from travelrule.machine.input import Input, Source
from travelrule.policy.policy import Policy
from travelrule.policy.sections import TimeLimits

NOW = datetime(2026, 11, 22, 9, tzinfo=UTC)
DATA = WithdrawalCancelled(withdrawal_id="w", reason="UNKNOWN")


def ago(seconds: float) -> datetime:
    return NOW - timedelta(seconds=seconds)


def item(source: str, at: datetime, data: Wire = DATA) -> Input:
    return Input(Source(source), "e-1", "any.v1", "withdrawal:w", at, data, b"{}", UUID(int=1))


def verdict(subject: LockedSubject, cause: Input, **changes: Any) -> list[tuple[str, dict[str, str], float]]:
    seen: list[Observation] = []
    data = {"subject": subject.name, "verdict": "hold", "reasons": ["HUB_UNREACHABLE"], "final": False, **changes}
    EventRows("north", NOW, seen, FactLog()).emit(subject, cause, "verdicts", "w", "withdrawal.verdict.v1", data)
    count_observations(seen)
    return [(one.metric, one.labels, one.value) for one in seen if one.metric != "verdicts"]


def requested(seconds: float, limit: float = 60) -> LockedSubject:
    at = ago(seconds)
    return LockedSubject("withdrawal:w", "withdrawal", requested_at=at, answer_due_at=at + timedelta(seconds=limit))


@pytest.mark.parametrize(("seconds", "result"), [(5, "met"), (60, "met"), (61, "missed")])
def test_the_first_verdict_is_as_old_as_the_request_and_counts_against_the_limit(seconds: int, result: str) -> None:
    subject = requested(seconds)
    labels = {"kind": "withdrawal", "result": result}
    before = metrics.REGISTRY.get_sample_value("travelrule_verdict_limit_total", labels)
    answer = item("/hub", ago(0.1))
    assert verdict(subject, answer) == [("limit", labels, 1.0), ("age", {}, seconds)]
    assert metrics.REGISTRY.get_sample_value("travelrule_verdict_limit_total", labels) == (before or 0) + 1
    assert (subject.answer_due_at, subject.reason) == (None, "HUB_UNREACHABLE")


def test_a_later_verdict_is_as_old_as_the_event_that_led_to_it_and_has_no_age_without_one() -> None:
    subject = requested(500)
    verdict(subject, item("/hub", NOW))
    assert verdict(subject, item("/platform", ago(3)), verdict="deny", reasons=["CANCELLED"]) == [("age", {}, 3.0)]
    assert verdict(subject, item("/operator/console", ago(2)), verdict="allow", reasons=["OPERATOR"])[0][2] == 2
    assert verdict(subject, item("/timers", ago(900))) == []


def test_a_clock_that_is_ahead_makes_no_negative_age() -> None:
    assert verdict(requested(-30), item("/platform", ago(-30)))[-1] == ("age", {}, 0.0)


def test_a_denial_is_counted_with_the_counterparty() -> None:
    labels = {"vasp": "south", "reason": "INPUT_NAME_MISMATCHED", "side": "originating"}
    seen = verdict(requested(1), item("/hub", NOW), reasons=["DENIED_INPUT_NAME_MISMATCHED"], counterparty="south")
    assert ("denials", labels, 1.0) in seen


def screening(kind: str) -> ScreeningRequested:
    return ScreeningRequested.model_validate(
        {"requestId": "s", "kind": kind, "chain": "ETH", "address": "0x1", "txid": "0x2"}
    )


def test_the_limit_is_that_of_the_policy_for_what_is_requested() -> None:
    policy = Policy(time_limits=TimeLimits(verdict=7, screening=9, kyt_limit=700))
    at = ago(100)
    due = {kind: answer_due_at(item("/platform", at, screening(kind)), policy) for kind in ("wallet", "kyt")}
    assert due == {"wallet": at + timedelta(seconds=9), "kyt": at + timedelta(seconds=700)}
    proof = OwnershipRequested.model_validate(
        {"requestId": "s", "blockchain": "ETH", "asset": "ETH", "address": "0x1", "customerId": "c",
         "widgetOrigin": "https://example.test"}
    )  # fmt: skip
    for other in (proof, DATA, DepositConfirmed(deposit_id="d")):
        assert answer_due_at(item("/platform", at, other), policy) is None
