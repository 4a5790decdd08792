"""KYT analysis of a transaction: search and report, 4.B.3 and 4.B.4 (screening.md 4 to 7)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from pydantic import ValidationError

from schemas.hub.kyt import KytReportResponse
from schemas.hub.screening import KytSearchResponse
from schemas.operations import Operation
from travelrule.assessments import facts
from travelrule.assessments.builder import BACKOFF_FIRST_SECONDS, BACKOFF_MAX_SECONDS, AssessmentBuilder
from travelrule.assessments.chain_code import code_for
from travelrule.assessments.failed_calls import UNSUPPORTED, Failure, failure_of, pause
from travelrule.assessments.hub_screening import NOT_SCREENABLE
from travelrule.assessments.state import Question
from travelrule.machine.alert_codes import AlertCode
from travelrule.machine.internal_inputs import CallResult
from travelrule.messages.arrival import SearchCalledBack
from travelrule.screening import risk_levels

SEARCH: Final = Operation.KYT_SEARCH
REPORT: Final = Operation.KYT_REPORT
POLL_MAX_SECONDS = 10.0
POLL_STEP_SECONDS = 0.5
NOT_FOUND_FIRST_SECONDS = 30.0
NOT_FOUND_MAX_SECONDS = 120.0
FORCED_MAX = 2
ID_LENGTH_MAX = 40
HASH_NOT_FOUND = "tx hash not found"
NO_RESULT = "no result within the limit"


def start_analysis(builder: AssessmentBuilder) -> str:
    """Start the first analysis, if the network has a code for it."""
    if not builder.state.wanted.txid:
        builder.end(reason="NOTHING_TO_SCREEN")
        return "no transaction to analyse"
    builder.change(chain=code_for(builder.state.wanted, builder.policy))
    if not builder.state.chain:
        builder.end(reason=NOT_SCREENABLE)
        return "the network has no code for KYT: not screenable"
    _search(builder, force=builder.state.wanted.force)
    return "analysis asked for"


def _search(builder: AssessmentBuilder, *, force: bool, seconds: float = 0) -> None:
    if builder.state.status != "searching":
        builder.move("analysis-asked")
    builder.drop(SEARCH, REPORT)
    clear: dict[str, Any] = {"txHash": builder.state.wanted.txid, "blockchain": builder.state.chain}
    if force:
        clear["force"] = True
    builder.change(searches=builder.state.searches + 1, pending=False, force=force)
    builder.start_question(SEARCH, clear, seconds)


def apply_search_result(builder: AssessmentBuilder, call: CallResult) -> str:
    """Apply the result of 4.B.3: accepted or not. It never holds the report."""
    question = builder.state.question
    if builder.state.status != "searching" or question is None or question.call_id != call.correlation_id:
        return "late answer ignored"
    if call.outcome == "failed":
        return _search_failed(builder, call)
    if call.outcome != "answered":
        return "the search waits"
    hub_id, released = _taken(call)
    if not hub_id:
        if builder.is_on_its_way():
            return "the next try is on its way already"
        _search(builder, force=builder.state.force, seconds=builder.count_failure())
        return "unreadable answer: search again"
    builder.move("analysis-begun")
    builder.change(question=replace(question, hub_id=hub_id, asks_at=None), hub_id=hub_id, failures=0)
    _ask_report(builder, 0 if released or question.called_back else _poll_seconds(builder))
    return "analysed before: ask for the report" if released else "the analysis runs"


def _taken(call: CallResult) -> tuple[str, bool]:
    """Return the hub's id and whether a report exists already; an empty id for an unreadable answer."""
    try:
        taken = KytSearchResponse.from_wire(call.body)
    except ValidationError:
        return "", False
    hub_id = str(taken.request_id)
    return (hub_id if len(hub_id) <= ID_LENGTH_MAX else ""), taken.status.strip() == "RELEASED"


def _search_failed(builder: AssessmentBuilder, call: CallResult) -> str:
    failure = failure_of(call)
    if failure is Failure.UNSUPPORTED:
        builder.end(reason=UNSUPPORTED)
        return "the provider does not know this chain"
    if failure in (Failure.PASSING, Failure.QUOTA):
        if builder.is_on_its_way():
            return "the next try is on its way already"
        _search(builder, force=builder.state.force, seconds=pause(builder, failure, call))
        return "the hub did not take the search: again later"
    return _refused(builder, call)


def _refused(builder: AssessmentBuilder, call: CallResult) -> str:
    builder.alert(AlertCode.SCREENING_REFUSED, "critical", attempts=call.attempts)
    builder.end(reason=AlertCode.SCREENING_REFUSED.value, status="FAILED", error=call.code)
    return "the hub refuses the analysis"


def _ask_report(builder: AssessmentBuilder, seconds: float) -> None:
    question = builder.state.question
    if question is not None:
        builder.repeat_question(REPORT, question.hub_id, {"requestId": question.hub_id}, seconds)


def _poll_seconds(builder: AssessmentBuilder) -> float:
    """Return the wait to the next poll: the policy's, growing slowly, by default in the documented 5 to 10 s."""
    first = builder.policy.time_limits.kyt_poll
    asked = builder.state.question.asked if builder.state.question is not None else 1
    grown = first + POLL_STEP_SECONDS * (asked - 1 + builder.jitter)
    return min(grown, max(POLL_MAX_SECONDS, first))


def apply_callback(builder: AssessmentBuilder, data: SearchCalledBack) -> str:
    """Apply a callback: it moves the next poll forward."""
    question = builder.state.question
    if question is None or not _is_about(data, question):
        return "not the analysis that runs: callback ignored"
    if builder.state.status == "searching":
        builder.change(question=replace(question, called_back=True))
        return "called back before the hub answered: the report is asked for as soon as it did"
    if builder.state.status != "analysing" or not builder.may_hasten():
        return "the report is asked for anyway"
    builder.change(question=replace(question, hastened=question.hastened + 1))
    _ask_report(builder, 0)
    return "called back: ask for the report"


def _is_about(data: SearchCalledBack, question: Question) -> bool:
    names = {question.call_id, question.hub_id} - {""}
    return data.operation == SEARCH and data.request_id in names


def apply_report_result(builder: AssessmentBuilder, call: CallResult) -> str:
    """Apply the answer to a poll. The first released report counts."""
    question = builder.state.question
    if builder.state.status != "analysing" or question is None or question.hub_id != call.correlation_id:
        return "late answer ignored"
    if call.outcome == "failed":
        return _report_failed(builder, call)
    if call.outcome != "answered":
        return "the question waits"
    answer = _read(call, question.hub_id)
    if answer is not None and answer.status == "RELEASED" and answer.report is not None:
        found = risk_levels.of_kyt(answer)
        builder.end(risk=found, status="RELEASED", facts=facts.of_report(answer.report))
        return f"analysed: {found}"
    if answer is not None and answer.status == "FAILED":
        return _analysis_failed(builder, answer.error or "")
    if builder.is_on_its_way():
        return "the next question is on its way already"
    builder.change(pending=answer is not None and answer.status == "PENDING")
    _ask_report(builder, _poll_seconds(builder))
    return "the analysis still runs" if builder.state.pending else "unreadable answer: ask once more"


def _read(call: CallResult, hub_id: str) -> KytReportResponse | None:
    try:
        answer = KytReportResponse.from_wire(call.body)
    except ValidationError:
        return None
    return answer if str(answer.request_id) == hub_id else None


def _report_failed(builder: AssessmentBuilder, call: CallResult) -> str:
    failure = failure_of(call)
    if failure is Failure.FORGOTTEN:
        # The first time this is the short life of an id; for a hub that loses every id the waits grow.
        again = builder.state.searches - 2
        seconds = builder.grown_wait(BACKOFF_FIRST_SECONDS, again, BACKOFF_MAX_SECONDS) if again >= 0 else 0
        _search(builder, force=False, seconds=seconds)
        return "the hub forgot the analysis: begin it anew"
    if failure in (Failure.PASSING, Failure.QUOTA):
        if builder.is_on_its_way():
            return "the next question is on its way already"
        builder.change(pending=False)
        _ask_report(builder, max(pause(builder, failure, call), _poll_seconds(builder)))
        return "no answer: ask for the report later"
    return _refused(builder, call)


def _analysis_failed(builder: AssessmentBuilder, error: str) -> str:
    """Repeat an analysis that found no transaction after a wait; force one that failed, a few times."""
    builder.change(error=facts.plain(error))
    if error.strip().rstrip(".").lower() == HASH_NOT_FOUND:
        seconds = builder.grown_wait(NOT_FOUND_FIRST_SECONDS, builder.state.searches - 1, NOT_FOUND_MAX_SECONDS)
        _search(builder, force=builder.state.wanted.force, seconds=seconds)
        return "the transaction is not found, maybe not confirmed yet: search again later"
    if builder.state.forced >= FORCED_MAX:
        builder.alert(AlertCode.KYT_FAILED, "warning", attempts=builder.state.searches)
        builder.end(reason=AlertCode.KYT_FAILED.value, status="FAILED", error=builder.state.error)
        return "the analysis failed for good"
    builder.change(forced=builder.state.forced + 1)
    _search(builder, force=True, seconds=builder.count_failure())
    return "the analysis failed: force a new one"


def end_analysis_at_limit(builder: AssessmentBuilder) -> str:
    """End at the limit: pending if the hub still works on it, else unknown."""
    builder.alert(AlertCode.KYT_LATE, "warning", attempts=builder.state.searches)
    working = builder.state.status == "analysing" and builder.state.pending
    builder.end(
        risk="pending" if working else "unknown",
        reason=AlertCode.KYT_LATE.value,
        status="FAILED",
        error=builder.state.error or NO_RESULT,
    )
    return "no report within the limit"
