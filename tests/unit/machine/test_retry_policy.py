"""Every row of errors.md sections 2 and 3, and D47."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest

from travelrule.machine.retry_policy import Complete, RawResult, Retry, RetryState, next_action
from travelrule.machine.retry_table import BY_CODE, CONCLUDING_BY_CODE, RESULTS, RetryPlan, is_transient, rule_for

START = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
NO_ANSWER = RawResult("no-answer", code="NO_ANSWER")
STATUS_OF = {
    "BENEFICIARY_VASP_REQUEST_TIMEOUT": 408, "TOO_MANY_REQUESTS": 429, "RECEIVED_WRONG_JSON_MESSAGE": 500,
    "RECEIVED_MSG_MISSING_FIELD": 500, "CODE_SERVER_INTERNAL_ERROR": 500, "VASP_BACKEND_INTERNAL_ERROR": 503,
    "DUPLICATED_TRANSFER_ID": 503, "INVALID_ENCRYPTED_BODY": 503, "UNACCEPTABLE_REQUEST": 503,
    "UNKNOWN_TRANSFER_ID": 503, "INTERNAL_SERVER_ERROR": 500, "SERVICE_UNAVAILABLE": 503, "NOT_FOUND": 404,
    "ACCESS_DENIED": 403, "BAD_REQUEST": 400, "UNSUPPORTED_BLOCKCHAIN": 400,
}  # fmt: skip


def error(code: str, status: int | None = None, **more) -> RawResult:
    return RawResult("error", STATUS_OF.get(code, 422) if status is None else status, code, **more)


def answer(**body) -> RawResult:
    return RawResult("answer", 200, body=body)


def run(operation: str, *tries: RawResult, limit: int = 60, jitter: float = 0.0) -> tuple[list[Retry], Complete | None]:
    """Call until it ends, the last try's result again and again; each try takes no time."""
    now, note, refreshed, steps = START, "", False, []
    for number in range(1, limit + 1):
        attempted = tries[min(number, len(tries)) - 1]
        step = next_action(operation, attempted, number, START, now, key_refreshed=refreshed, jitter=jitter, note=note)
        if isinstance(step, Complete):
            return steps, step
        steps.append(step)
        assert step.at >= now
        now, note, refreshed = step.at, step.note, refreshed or step.refresh_key
    return steps, None


def waits(steps: list[Retry]) -> list[float]:
    times = [START, *(step.at for step in steps)]
    return [(later - earlier).total_seconds() for earlier, later in pairwise(times)]


@pytest.mark.parametrize(("operation", "results"), RESULTS.items())
def test_good_results_end_the_call(operation, results):
    for word in results[0]:
        steps, end = run(operation, answer(result=word.upper(), reasonType="TXID_ALREADY_EXISTS"))
        assert (steps, end) == ([], Complete("answered", "", maybe_acted=False))


@pytest.mark.parametrize(
    ("operation", "word"),
    [("address-search", "invalid"), ("transfer-authorization", "denied"), ("data-request", "error"),
     ("txid-search-result", "invalid"), ("wallet-search-result", "invalid")],
)  # fmt: skip
def test_a_refusal_is_an_answer(operation, word):
    assert run(operation, answer(result=word, reasonType="UNKNOWN"))[1] == Complete("answered")


@pytest.mark.parametrize("word", ["pending", "processing", "wait-confirm", "wait-confirmed", "Confirmed", "canceled"])
def test_the_words_of_a_status_search(word):
    assert run("status-search", answer(transferId="x", status=word))[1] == Complete("answered")


@pytest.mark.parametrize(
    ("operation", "body"),
    [("wallet-screening", {"result": "NORMAL"}), ("transaction-screening", {"result": "ERROR"}),
     ("kyt-search", {"requestId": 1, "status": "RELEASED"}), ("kyt-report", {"requestId": 1, "status": "FAILED"}),
     ("unhosted-token", {"token": "t", "walletVerificationId": "v"}), ("unhosted-result", {"status": "ANY_WORD"})],
)  # fmt: skip
def test_answers_about_risk_end_the_call(operation, body):
    assert run(operation, answer(**body))[1] == Complete("answered")


@pytest.mark.parametrize(
    ("operation", "body"),
    [("status-search", {"status": "sent"}), ("address-search", {"result": "maybe"}), ("finish", {}),
     ("transfer-authorization", {"result": None}), ("txid-report", {"result": 7}), ("kyt-search", {"status": "FAILED"}),
     ("kyt-report", {}), ("unhosted-token", {"token": ""}), ("unhosted-result", {"status": None}),
     ("wallet-screening", {"result": "WHITE"})],
)  # fmt: skip
def test_an_answer_outside_the_documented_shapes_is_an_error(operation, body):
    step = next_action(operation, answer(**body), 1, START, START, key_refreshed=False, jitter=0)
    assert isinstance(step, Retry)
    assert step.code == "BAD_ANSWER"


@pytest.mark.parametrize("operation", ["status-search", "txid-search", "wallet-search-result", "kyt-search"])
def test_questions_are_repeated_after_1_2_and_4_seconds(operation):
    steps, end = run(operation, NO_ANSWER)
    assert waits(steps) == [1, 2, 4]
    assert end == Complete("failed", "NO_ANSWER", maybe_acted=True)


def test_an_authorization_is_repeated_twice_within_a_minute():
    steps, end = run("transfer-authorization", NO_ANSWER)
    assert len(steps) == 2
    assert sum(waits(steps)) < 60
    assert end == Complete("failed", "NO_ANSWER", maybe_acted=True)


def test_an_authorization_that_took_too_long_is_not_repeated_after_the_minute():
    late = START + timedelta(seconds=59)
    step = next_action("transfer-authorization", NO_ANSWER, 1, START, late, key_refreshed=False, jitter=0)
    assert step == Complete("failed", "NO_ANSWER", maybe_acted=True)


def test_a_data_request_has_three_tries():
    steps, end = run("data-request", error("BENEFICIARY_VASP_REQUEST_TIMEOUT"))
    assert len(steps) == 2
    assert end is not None
    assert end.outcome == "failed"


STOPPING = [code for code, rule in BY_CODE.items() if rule.plan is RetryPlan.STOP]
REPEATING = [code for code, rule in BY_CODE.items() if rule.plan is RetryPlan.REPEAT]
WAITING = [code for code, rule in BY_CODE.items() if rule.failed == "hub" and not rule.acted]
"""Nothing arrived, so an authorization waits for the hub (``test_hub_failures``)."""


@pytest.mark.parametrize("code", STOPPING)
def test_what_a_repetition_cannot_change_is_not_repeated(code):
    for operation in ("address-search", "transfer-authorization", "status-search", "data-request"):
        assert run(operation, error(code))[1] == Complete("failed", code, maybe_acted=code == "DUPLICATED_TRANSFER_ID")


@pytest.mark.parametrize("code", [code for code in REPEATING if code not in WAITING])
def test_what_may_pass_is_repeated(code):
    steps, end = run("transfer-authorization", error(code))
    assert len(steps) == 2
    assert end is not None
    assert is_transient(STATUS_OF.get(code, 0), code)


@pytest.mark.parametrize(
    "code",
    ["MISSING_REQUIRED_MSG_FIELD", "MISSING_HEADER_FIELD", "INVALID_MSG_FIELD_VALUE", "INVALID_HEADER_SIGNATURE"],
)
def test_field_and_signature_faults_are_the_same_from_hub_and_member(code):
    for status in (422, 503):
        assert run("address-search", error(code, status))[1] == Complete("failed", code, maybe_acted=False)


@pytest.mark.parametrize(
    "code",
    ["RECEIVED_MSG_MISSING_FIELD", "RECEIVED_WRONG_JSON_MESSAGE", "BENEFICIARY_VASP_REQUEST_TIMEOUT", "NO_ANSWER",
     "CODE_SERVER_INTERNAL_ERROR", "VASP_BACKEND_INTERNAL_ERROR", "BAD_ANSWER"],
)  # fmt: skip
def test_a_lost_or_broken_answer_may_hide_an_action(code):
    _, end = run("transfer-authorization", error(code))
    assert end is not None
    assert end.maybe_acted


@pytest.mark.parametrize("code", ["NOT_SENT", "TOO_MANY_REQUESTS", "INVALID_RECEIVER_PUBLIC_KEY", "INVALID_ORIGIN"])
def test_what_never_reached_the_counterparty_hides_nothing(code):
    _, end = run("transfer-authorization", error(code), error("INVALID_ORIGIN"))
    assert end is not None
    assert not end.maybe_acted


def test_one_try_that_may_have_been_acted_upon_is_not_forgotten():
    _, end = run("transfer-authorization", NO_ANSWER, error("UNACCEPTABLE_REQUEST"))
    assert end == Complete("failed", "UNACCEPTABLE_REQUEST", maybe_acted=True)
    _, end = run("transfer-authorization", NO_ANSWER, error("DUPLICATED_TRANSFER_ID"))
    assert end == Complete("failed", "DUPLICATED_TRANSFER_ID", maybe_acted=True)


def test_without_a_note_an_earlier_try_counts_as_acted_upon():
    step = next_action(
        "transfer-authorization", error("UNACCEPTABLE_REQUEST"), 2, START, START, key_refreshed=False, jitter=0
    )
    assert step == Complete("failed", "UNACCEPTABLE_REQUEST", maybe_acted=True)


def test_a_used_nonce_is_repeated_at_once_but_not_for_ever():
    steps, end = run("transfer-authorization", error("DUPLICATED_HEADER_NONCE"))
    assert waits(steps) == [0] * 5
    assert end == Complete("failed", "DUPLICATED_HEADER_NONCE", maybe_acted=False)
    steps, end = run("finish", error("DUPLICATED_HEADER_NONCE"), limit=8)
    assert waits(steps)[:5] == [0] * 5
    assert min(waits(steps)[5:]) >= 5


@pytest.mark.parametrize("code", ["INVALID_RECEIVER_PUBLIC_KEY", "INVALID_ENCRYPTED_BODY"])
def test_a_stale_key_is_fetched_anew_once(code):
    steps, end = run("transfer-authorization", error(code))
    assert [(step.refresh_key, step.at) for step in steps] == [(True, START)]
    assert end == Complete("failed", code, maybe_acted=False)
    steps, end = run("transfer-authorization", error(code), answer(result="verified"))
    assert end == Complete("answered", "", maybe_acted=False)


@pytest.mark.parametrize("operation", ["address-search", "transfer-authorization", "finish", "txid-report"])
def test_a_rate_limit_is_honoured(operation):
    step = next_action(
        operation, error("TOO_MANY_REQUESTS", retry_after=120.0), 1, START, START, key_refreshed=False, jitter=0
    )
    assert isinstance(step, Retry)
    assert step.at == START + timedelta(seconds=120)
    step = next_action(operation, error("TOO_MANY_REQUESTS"), 1, START, START, key_refreshed=False, jitter=0)
    assert isinstance(step, Retry)
    assert step.at == START + timedelta(seconds=5)


def test_a_question_does_not_wait_for_a_rate_limit_for_ever():
    steps, end = run("status-search", error("TOO_MANY_REQUESTS"))
    assert len(steps) == 9
    assert end is not None
    assert end.outcome == "failed"


FULL = [5, 10, 20, 40, 80, 160, 300, 300, 300]


@pytest.mark.parametrize(
    "attempted",
    [NO_ANSWER, answer(result="error", reasonType="UNKNOWN"), answer(result="error"), answer(result="odd"),
     error("VASP_BACKEND_INTERNAL_ERROR"), error("MISSING_REQUIRED_MSG_FIELD"), error("UNACCEPTABLE_REQUEST"),
     answer(result="error", reasonType="UNKNOWN_TRANSFER_ID"), error("UNKNOWN_TRANSFER_ID"),
     error("INVALID_ENCRYPTED_BODY"), error("SOMETHING_NEW", 418)],
)  # fmt: skip
def test_a_txid_report_is_repeated_after_every_other_answer_and_stops_after_ten_tries(attempted):
    steps, end = run("txid-report", attempted)
    assert waits(steps) == FULL
    assert end is not None
    assert end.outcome == "failed"


@pytest.mark.parametrize(
    "attempted", [NO_ANSWER, answer(result="error", reasonType="UNKNOWN"), error("VASP_BACKEND_INTERNAL_ERROR")]
)
def test_a_finish_goes_on_hourly_and_an_operator_is_told_once(attempted):
    steps, end = run("finish", attempted, limit=30)
    assert end is None
    assert waits(steps) == [*FULL, *[3600] * 21]
    assert [number for number, step in enumerate(steps, 1) if step.trouble] == [10]


@pytest.mark.parametrize("operation", ["txid-report", "finish"])
def test_at_the_first_422_an_operator_is_told(operation):
    steps, _ = run(operation, NO_ANSWER, error("INVALID_HEADER_SIGNATURE"), limit=9)
    assert [number for number, step in enumerate(steps, 1) if step.trouble] == [2]
    assert waits(steps) == FULL


@pytest.mark.parametrize("code", ["RECEIVED_MSG_MISSING_FIELD", "RECEIVED_WRONG_JSON_MESSAGE"])
def test_an_operator_is_told_of_unreadable_answers(code):
    steps, _ = run("transfer-authorization", error(code))
    assert [step.trouble for step in steps] == [True, False]


@pytest.mark.parametrize(("operation", "code"), CONCLUDING_BY_CODE)
def test_answers_that_cannot_change_have_two_more_tries(operation, code):
    steps, end = run(operation, answer(result="error", reasonType=code.lower()))
    assert waits(steps) == [30, 30]
    assert end is not None
    assert (end.outcome, end.code) == ("failed", code)


def test_the_503_of_an_unknown_finish_is_treated_like_its_200():
    steps, end = run("finish", error("UNKNOWN_TRANSFER_ID"))
    assert waits(steps) == [30, 30]
    assert end is not None
    assert end.code == "UNKNOWN_TRANSFER_ID"


def test_the_short_schedule_begins_when_its_answer_comes():
    steps, end = run("finish", NO_ANSWER, NO_ANSWER, NO_ANSWER, answer(result="error", reasonType="ILLEGAL_STATEFLOW"))
    assert waits(steps) == [5, 10, 20, 30, 30]
    assert end is not None


def test_without_notes_the_short_schedule_still_ends():
    attempted = answer(result="error", reasonType="ILLEGAL_STATEFLOW")
    ends = [next_action("finish", attempted, tries, START, START, key_refreshed=False, jitter=0) for tries in (1, 2, 3)]
    assert [type(end) for end in ends] == [Retry, Retry, Complete]


@pytest.mark.parametrize("jitter", [0.0, 0.5, 1.0])
def test_jitter_spreads_within_the_bounds(jitter):
    steps, _ = run("txid-report", NO_ANSWER, jitter=jitter)
    assert all(5 <= wait <= 300 for wait in waits(steps))
    assert waits(steps)[0] == 5 * (1 + jitter / 2)


def test_unknown_codes_go_by_http_status_and_class():
    assert rule_for(408, "ODD") == rule_for(408, "")
    assert rule_for(429, "ODD").plan is RetryPlan.WAIT
    assert (rule_for(418, "ODD").plan, rule_for(418, "ODD").acted) == (RetryPlan.STOP, False)
    assert (rule_for(599, "ODD").plan, rule_for(599, "ODD").acted) == (RetryPlan.REPEAT, True)
    assert rule_for(302, "").acted
    assert run("address-search", RawResult("error", 418))[1] == Complete("failed", "HTTP_418", maybe_acted=False)


def test_a_note_reads_back():
    course = RetryState(2, 3, told=True, acted=False)
    assert RetryState.from_note(course.to_note(), 9, START) == course


def test_no_try_shows_its_content_in_a_repr():
    shown = repr(RawResult("answer", 200, body={"name": "Lind"}, payload={"name": "Lind"}))
    assert "Lind" not in shown
