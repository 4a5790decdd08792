"""A transaction is analysed: KYT search and report, 4.B.3 and 4.B.4 (screening.md 4 to 7)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from pydantic import ValidationError

from schemas.hub.kyt import KytReportResponse
from schemas.hub.screening import KytSearchResponse
from travelrule.assessments import facts
from travelrule.assessments.alert_codes import AlertCode
from travelrule.assessments.builder import BACKOFF_FIRST_SECONDS, BACKOFF_MAX_SECONDS, AssessmentTurn
from travelrule.assessments.failed_calls import UNSUPPORTED, Failure, failure_of, pause
from travelrule.assessments.networks import code_for
from travelrule.assessments.risk_rating import NOT_SCREENABLE
from travelrule.assessments.state import Question
from travelrule.machine.internal_inputs import CallResult
from travelrule.messages.arrival import SearchCalledBack
from travelrule.screening import risk_levels

SEARCH: Final = "kyt-search"
REPORT: Final = "kyt-report"
POLL_MAX_SECONDS = 10.0
POLL_STEP_SECONDS = 0.5
NOT_FOUND_FIRST_SECONDS = 30.0
NOT_FOUND_MAX_SECONDS = 120.0
FORCED_MAX = 2
ID_LENGTH_MAX = 40
HASH_NOT_FOUND = "tx hash not found"
NO_RESULT = "no result within the limit"


def begin_analysis(turn: AssessmentTurn) -> str:
    """Begin the first analysis, if the network can be analysed."""
    if not turn.state.wanted.txid:
        turn.end(reason="NOTHING_TO_SCREEN")
        return "no transaction to analyse"
    turn.change(chain=code_for(turn.state.wanted, turn.policy))
    if not turn.state.chain:
        turn.end(reason=NOT_SCREENABLE)
        return "the network has no code for KYT: not screenable"
    _search(turn, force=turn.state.wanted.force)
    return "analysis asked for"


def _search(turn: AssessmentTurn, *, force: bool, seconds: float = 0) -> None:
    if turn.state.status != "searching":
        turn.move("analysis-asked")
    turn.drop(SEARCH, REPORT)
    clear: dict[str, Any] = {"txHash": turn.state.wanted.txid, "blockchain": turn.state.chain}
    if force:
        clear["force"] = True
    turn.change(searches=turn.state.searches + 1, pending=False, force=force)
    turn.ask(SEARCH, clear, seconds)


def search_reported(turn: AssessmentTurn, report: CallResult) -> str:
    """What became of 4.B.3: taken, or not. The answer never holds the report."""
    question = turn.state.question
    if turn.state.status != "searching" or question is None or question.call_id != report.transfer_id:
        return "late answer ignored"
    if report.outcome == "failed":
        return _search_failed(turn, report)
    if report.outcome != "answered":
        return "the search waits"
    hub_id, released = _taken(report)
    if not hub_id:
        if turn.is_on_its_way():
            return "the next try is on its way already"
        _search(turn, force=turn.state.force, seconds=turn.failed())
        return "unreadable answer: search again"
    turn.move("analysis-begun")
    turn.change(question=replace(question, hub_id=hub_id, asks_at=None), hub_id=hub_id, failures=0)
    _ask_report(turn, 0 if released or question.called_back else _poll_seconds(turn))
    return "analysed before: ask for the report" if released else "the analysis runs"


def _taken(report: CallResult) -> tuple[str, bool]:
    """Read the hub's id and whether there is a report already; no id if the answer cannot be read."""
    try:
        taken = KytSearchResponse.from_wire(report.body)
    except ValidationError:
        return "", False
    hub_id = str(taken.request_id)
    return (hub_id if len(hub_id) <= ID_LENGTH_MAX else ""), taken.status.strip() == "RELEASED"


def _search_failed(turn: AssessmentTurn, report: CallResult) -> str:
    failure = failure_of(report)
    if failure is Failure.UNSUPPORTED:
        turn.end(reason=UNSUPPORTED)
        return "the provider does not know this chain"
    if failure in (Failure.PASSING, Failure.QUOTA):
        if turn.is_on_its_way():
            return "the next try is on its way already"
        _search(turn, force=turn.state.force, seconds=pause(turn, failure, report))
        return "the hub did not take the search: again later"
    return _refused(turn, report)


def _refused(turn: AssessmentTurn, report: CallResult) -> str:
    turn.alert(AlertCode.SCREENING_REFUSED, "critical", report.attempts)
    turn.end(reason=AlertCode.SCREENING_REFUSED.value, status="FAILED", error=report.code)
    return "the hub refuses the analysis"


def _ask_report(turn: AssessmentTurn, seconds: float) -> None:
    question = turn.state.question
    if question is not None:
        turn.ask_again(REPORT, question.hub_id, {"requestId": question.hub_id}, seconds)


def _poll_seconds(turn: AssessmentTurn) -> float:
    """Give the wait to the next question: the policy's, growing a little, in the documented 5 to 10 s by default."""
    first = turn.policy.time_limits.kyt_poll
    asked = turn.state.question.asked if turn.state.question is not None else 1
    grown = first + POLL_STEP_SECONDS * (asked - 1 + turn.jitter)
    return min(grown, max(POLL_MAX_SECONDS, first))


def called_back(turn: AssessmentTurn, data: SearchCalledBack) -> str:
    """A callback is no report: it moves the next question forward."""
    question = turn.state.question
    if question is None or not _is_about(data, question):
        return "not the analysis that runs: callback ignored"
    if turn.state.status == "searching":
        turn.change(question=replace(question, called_back=True))
        return "called back before the hub answered: the report is asked for as soon as it did"
    if turn.state.status != "analysing" or not turn.may_hasten():
        return "the report is asked for anyway"
    turn.change(question=replace(question, hastened=question.hastened + 1))
    _ask_report(turn, 0)
    return "called back: ask for the report"


def _is_about(data: SearchCalledBack, question: Question) -> bool:
    names = {question.call_id, question.hub_id} - {""}
    return data.operation == SEARCH and data.request_id in names


def report_reported(turn: AssessmentTurn, report: CallResult) -> str:
    """What the hub says about the analysis. The first released report counts."""
    question = turn.state.question
    if turn.state.status != "analysing" or question is None or question.hub_id != report.transfer_id:
        return "late answer ignored"
    if report.outcome == "failed":
        return _report_failed(turn, report)
    if report.outcome != "answered":
        return "the question waits"
    answer = _read(report, question.hub_id)
    if answer is not None and answer.status == "RELEASED" and answer.report is not None:
        found = risk_levels.of_kyt(answer)
        turn.end(risk=found, status="RELEASED", facts=facts.of_report(answer.report))
        return f"analysed: {found}"
    if answer is not None and answer.status == "FAILED":
        return _analysis_failed(turn, answer.error or "")
    if turn.is_on_its_way():
        return "the next question is on its way already"
    turn.change(pending=answer is not None and answer.status == "PENDING")
    _ask_report(turn, _poll_seconds(turn))
    return "the analysis still runs" if turn.state.pending else "unreadable answer: ask once more"


def _read(report: CallResult, hub_id: str) -> KytReportResponse | None:
    try:
        answer = KytReportResponse.from_wire(report.body)
    except ValidationError:
        return None
    return answer if str(answer.request_id) == hub_id else None


def _report_failed(turn: AssessmentTurn, report: CallResult) -> str:
    failure = failure_of(report)
    if failure is Failure.FORGOTTEN:
        # The first time this is the short life of an id; a hub that forgets every one is asked ever more rarely.
        again = turn.state.searches - 2
        seconds = turn.grown(BACKOFF_FIRST_SECONDS, again, BACKOFF_MAX_SECONDS) if again >= 0 else 0
        _search(turn, force=False, seconds=seconds)
        return "the hub forgot the analysis: begin it anew"
    if failure in (Failure.PASSING, Failure.QUOTA):
        if turn.is_on_its_way():
            return "the next question is on its way already"
        turn.change(pending=False)
        _ask_report(turn, max(pause(turn, failure, report), _poll_seconds(turn)))
        return "no answer: ask for the report later"
    return _refused(turn, report)


def _analysis_failed(turn: AssessmentTurn, error: str) -> str:
    """An analysis that found no transaction is repeated after a wait; one that failed is forced a few times."""
    turn.change(error=facts.plain(error))
    if error.strip().rstrip(".").lower() == HASH_NOT_FOUND:
        seconds = turn.grown(NOT_FOUND_FIRST_SECONDS, turn.state.searches - 1, NOT_FOUND_MAX_SECONDS)
        _search(turn, force=turn.state.wanted.force, seconds=seconds)
        return "the transaction is not found, maybe not confirmed yet: search again later"
    if turn.state.forced >= FORCED_MAX:
        turn.alert(AlertCode.KYT_FAILED, "warning", turn.state.searches)
        turn.end(reason=AlertCode.KYT_FAILED.value, status="FAILED", error=turn.state.error)
        return "the analysis failed for good"
    turn.change(forced=turn.state.forced + 1)
    _search(turn, force=True, seconds=turn.failed())
    return "the analysis failed: force a new one"


def analysis_too_late(turn: AssessmentTurn) -> str:
    """The limit passed: pending if the hub still works on it, else unknown."""
    turn.alert(AlertCode.KYT_LATE, "warning", turn.state.searches)
    working = turn.state.status == "analysing" and turn.state.pending
    turn.end(
        risk="pending" if working else "unknown",
        reason=AlertCode.KYT_LATE.value,
        status="FAILED",
        error=turn.state.error or NO_RESULT,
    )
    return "no report within the limit"
