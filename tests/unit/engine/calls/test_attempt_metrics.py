"""What is counted of attempts, completed calls and circuits."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from schemas.operations import Operation
from travelrule import metrics
from travelrule.engine.calls.attempt_metrics import count_attempt, count_completed, show_circuit
from travelrule.engine.calls.call_executor import AttemptResult, Postpone
from travelrule.engine.calls.circuit_breaker import FAILURES_TO_OPEN, Bulkheads
from travelrule.machine.internal_inputs import CallResult
from travelrule.machine.retry_policy import FULL_TRIES, Complete, RawResult, Retry, next_action

NOW = datetime(2026, 11, 22, tzinfo=UTC)
SEARCH = Operation.ADDRESS_SEARCH


def value(name: str, **labels: str) -> float:
    return metrics.REGISTRY.get_sample_value(f"travelrule_{name}", labels) or 0.0


def result(outcome: str) -> CallResult:
    return CallResult.model_validate(
        {"operation": SEARCH, "transferId": "t", "target": "south", "outcome": outcome, "attempts": 1}
    )


def completed(outcome: str) -> float:
    return value("calls_completed_total", operation=SEARCH, outcome=outcome)


def test_a_completed_call_is_answered_failed_or_exhausted_and_a_postponed_one_is_not_complete() -> None:
    outcomes = ("answered", "failed", "exhausted")
    before = [completed(outcome) for outcome in outcomes]
    exhausted = value("calls_exhausted_total", operation=SEARCH)
    count_completed(SEARCH, AttemptResult(result("answered")))
    count_completed(SEARCH, AttemptResult(result("failed")))
    count_completed(SEARCH, AttemptResult(result("failed"), exhausted=True))
    count_completed(SEARCH, AttemptResult(Postpone(NOW)))
    assert [completed(outcome) for outcome in outcomes] == [one + 1 for one in before]
    assert value("calls_exhausted_total", operation=SEARCH) == exhausted + 1


@pytest.mark.parametrize("code", ["INVALID_RECEIVER_PUBLIC_KEY", "INVALID_ENCRYPTED_BODY"])
def test_a_refused_key_is_counted(code: str) -> None:
    before = value("key_mismatches_total", direction="sent")
    count_attempt(SEARCH, AttemptResult(Postpone(NOW), code=code))
    count_attempt(SEARCH, AttemptResult(Postpone(NOW), code="BAD_ANSWER"))
    assert value("key_mismatches_total", direction="sent") == before + 1


def last_action(operation: str, attempted: RawResult) -> Complete:
    """Repeat a call until the policy ends it."""
    note, at = "", NOW
    for tries in range(1, 50):
        action = next_action(operation, attempted, tries, NOW, at, key_refreshed=tries > 1, jitter=0.0, note=note)
        if isinstance(action, Complete):
            return action
        assert isinstance(action, Retry)
        note, at = action.note, max(action.at, at + timedelta(seconds=1))
    raise AssertionError("the call never ends")


@pytest.mark.parametrize(
    ("operation", "attempted", "exhausted"),
    [
        (SEARCH, RawResult("error", 422, "UNACCEPTABLE_REQUEST"), False),
        (SEARCH, RawResult("error", 503, "VASP_BACKEND_INTERNAL_ERROR"), True),
        (SEARCH, RawResult("error", 422, "INVALID_RECEIVER_PUBLIC_KEY"), True),
        (Operation.TXID_REPORT, RawResult("error", 500, "INTERNAL_SERVER_ERROR"), True),
    ],
)
def test_a_call_is_exhausted_if_its_tries_are_used_up_and_not_if_it_was_refused(
    operation: str, attempted: RawResult, *, exhausted: bool
) -> None:
    action = last_action(operation, attempted)
    assert (action.outcome, action.exhausted) == ("failed", exhausted)


def test_a_circuit_is_shown_from_its_first_opening_until_an_answer_closes_it() -> None:
    bulkheads = Bulkheads(4, show_circuit)
    labels = {"vasp": "circuit-south"}

    def end(*, reached: bool | None) -> float | None:
        bulkheads.begin("circuit-south")
        bulkheads.end("circuit-south", NOW, reached=reached)
        return metrics.REGISTRY.get_sample_value("travelrule_circuit_open", labels)

    assert end(reached=True) is None
    assert [end(reached=False) for _ in range(FAILURES_TO_OPEN)] == [None] * (FAILURES_TO_OPEN - 1) + [1]
    assert end(reached=None) == 1
    assert end(reached=True) == 0


def test_the_tries_of_a_report_are_bounded() -> None:
    """The premise of the case above: a report ends after so many tries."""
    assert FULL_TRIES < 50
