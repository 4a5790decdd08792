"""Whose failure an error is, and how calls wait for a hub that failed."""

from __future__ import annotations

from datetime import timedelta
from itertools import pairwise

import pytest

from tests.unit.machine.test_retry_policy import NO_ANSWER, START, answer, error, run, waits
from travelrule.machine.retry_policy import Complete, RawResult, Retry, RetryState, hub_wait, next_action
from travelrule.machine.retry_table import WAITING_FOR_HUB, is_of_hub, names_member

NOT_SENT = RawResult("no-answer", code="NOT_SENT")


@pytest.mark.parametrize(
    ("status", "code", "failed"),
    [
        (0, "NOT_SENT", "hub"),
        (0, "NO_ANSWER", "hub"),
        (0, "HUB_UNREACHABLE", "hub"),
        (429, "TOO_MANY_REQUESTS", "hub"),
        (429, "", "hub"),
        (500, "CODE_SERVER_INTERNAL_ERROR", "hub"),
        (500, "", "hub"),
        (502, "", "hub"),
        (502, "HTTP_502", "hub"),
        (504, "", "hub"),
        (408, "BENEFICIARY_VASP_REQUEST_TIMEOUT", "counterparty"),
        (408, "", "counterparty"),
        (503, "VASP_BACKEND_INTERNAL_ERROR", "counterparty"),
        (503, "", "counterparty"),
        (502, "VASP_BACKEND_INTERNAL_ERROR", "counterparty"),
        (500, "RECEIVED_WRONG_JSON_MESSAGE", "counterparty"),
        (500, "RECEIVED_MSG_MISSING_FIELD", "counterparty"),
        (0, "COUNTERPARTY_DOWN", "counterparty"),
        (502, "SOMETHING_NEW", ""),
        (503, "SERVICE_UNAVAILABLE", ""),
        (500, "INTERNAL_SERVER_ERROR", ""),
        (503, "UNACCEPTABLE_REQUEST", ""),
        (422, "INVALID_ORIGIN", ""),
        (200, "BAD_ANSWER", ""),
    ],
)
def test_each_error_is_the_hubs_or_the_counterpartys_failure_or_nobodys(status: int, code: str, failed: str) -> None:
    assert (is_of_hub(status, code), names_member(status, code)) == (failed == "hub", failed == "counterparty")


@pytest.mark.parametrize("operation", sorted(WAITING_FOR_HUB))
def test_a_call_waits_for_the_hub_from_a_second_upward_and_is_never_given_up(operation: str) -> None:
    steps, end = run(operation, NOT_SENT, limit=40)
    assert end is None
    assert waits(steps)[:7] == [1, 2, 4, 8, 16, 32, 60]
    assert set(waits(steps)[7:]) == {60}
    assert [step.held for step in steps[:4]] == [False, False, True, True], "a blink of the hub is not worth a verdict"
    assert all(step.hub for step in steps)


def test_waits_differ_between_calls() -> None:
    again = next_action("address-search", NOT_SENT, 1, START, START, key_refreshed=False, jitter=1.0)
    assert isinstance(again, Retry)
    assert again.at == START + timedelta(seconds=1.5)


def test_an_authorization_that_may_have_arrived_keeps_its_two_repeats_within_a_minute() -> None:
    for lost in (NO_ANSWER, error("CODE_SERVER_INTERNAL_ERROR"), error("", 502), error("", 504)):
        steps, end = run("transfer-authorization", lost, NOT_SENT)
        assert (waits(steps), end) == ([2, 8], Complete("failed", "NOT_SENT", maybe_acted=True))


def test_a_rate_limit_does_not_stretch_the_minute_of_an_authorization_that_may_have_arrived() -> None:
    steps, end = run("transfer-authorization", NO_ANSWER, error("TOO_MANY_REQUESTS"))
    assert (waits(steps), end) == ([2, 8], Complete("failed", "TOO_MANY_REQUESTS", maybe_acted=True))
    steps, end = run("transfer-authorization", NO_ANSWER, error("TOO_MANY_REQUESTS", retry_after=30))
    assert (waits(steps), end) == ([2, 30], Complete("failed", "TOO_MANY_REQUESTS", maybe_acted=True))
    steps, end = run("transfer-authorization", NO_ANSWER, error("TOO_MANY_REQUESTS", retry_after=59))
    assert (waits(steps), end) == ([2], Complete("failed", "TOO_MANY_REQUESTS", maybe_acted=True))


def test_waiting_for_the_hub_uses_up_none_of_the_repeats() -> None:
    """However long the hub was away: the authorization that then gets no answer has its repeats, and their minute."""
    steps, end = run("transfer-authorization", *[NOT_SENT] * 12, NO_ANSWER)
    assert waits(steps)[12:] == [2, 8]
    assert end == Complete("failed", "NO_ANSWER", maybe_acted=True)
    steps, end = run("address-search", *[NOT_SENT] * 12, error("BENEFICIARY_VASP_REQUEST_TIMEOUT"))
    assert waits(steps)[12:] == [1, 2, 4]
    assert end == Complete("failed", "BENEFICIARY_VASP_REQUEST_TIMEOUT", maybe_acted=True)


def test_an_answer_between_two_failures_of_the_hub_begins_the_waits_anew() -> None:
    steps, _ = run("address-search", *[NOT_SENT] * 5, error("BENEFICIARY_VASP_REQUEST_TIMEOUT"), NOT_SENT, limit=7)
    assert waits(steps) == [1, 2, 4, 8, 16, 1, 1]


def test_too_many_requests_wait_longer_and_at_least_as_long_as_named() -> None:
    steps, end = run("address-search", error("TOO_MANY_REQUESTS"), limit=9)
    assert end is None
    assert waits(steps) == [5, 10, 20, 40, 80, 160, 300, 300, 300]
    step = next_action("wallet-search", error("TOO_MANY_REQUESTS", retry_after=700), 1, START, START,
                 key_refreshed=False, jitter=0)  # fmt: skip
    assert isinstance(step, Retry)
    assert step.at == START + timedelta(seconds=700)


@pytest.mark.parametrize("operation", ["txid-report", "finish"])
def test_what_is_owed_keeps_its_schedule_and_may_be_sent_as_soon_as_the_hub_is_back(operation: str) -> None:
    steps, _ = run(operation, NOT_SENT, limit=9)
    assert waits(steps) == [5, 10, 20, 40, 80, 160, 300, 300, 300]
    assert all(step.hub and step.held for step in steps)
    steps, _ = run(operation, answer(result="error", reasonType="UNKNOWN"), limit=9)
    assert not any(step.hub for step in steps)


def test_a_call_that_is_not_sent_counts_as_no_try() -> None:
    note, now = "", START
    for seconds in (1, 2, 4, 8):
        wait = hub_wait("transfer-authorization", 0, START, now, jitter=0, note=note)
        assert wait is not None
        assert (wait.at - now).total_seconds() == seconds
        assert wait.held, "the hub is known to be away"
        note, now = wait.note, wait.at
    assert RetryState.from_note(note, 1, START).repeats == 0
    assert hub_wait("txid-report", 0, START, START, jitter=0, note="") is None
    lost = next_action("transfer-authorization", NO_ANSWER, 1, START, START, key_refreshed=False, jitter=0)
    assert isinstance(lost, Retry)
    assert hub_wait("transfer-authorization", 1, START, START, jitter=0, note=lost.note) is None


def test_a_note_of_an_earlier_version_is_read() -> None:
    assert RetryState.from_note("1,0,1,1", 3, START) == RetryState(1, 0, True, True, 2, 0, int(START.timestamp()))


def test_no_two_waits_are_shorter_than_a_second() -> None:
    steps, _ = run("address-search", NOT_SENT, limit=20)
    assert all((later.at - earlier.at).total_seconds() >= 1 for earlier, later in pairwise(steps))
