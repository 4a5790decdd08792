"""The log line of a call: a failed attempt, or a call that is deferred."""

from __future__ import annotations

from datetime import datetime

from travelrule.engine.calls.call_executor import AttemptResult, Postpone
from travelrule.engine.committed_lines import Fact
from travelrule.machine.internal_inputs import CallResult
from travelrule.store.call_rows import CallItem


def call_fact(call: CallItem, attempt: AttemptResult, now: datetime) -> Fact | None:
    """Return the fact of an attempt whose result is committed; None if it succeeded or none was made."""
    step = attempt.next_step
    if isinstance(step, CallResult):
        return _given_up(call, attempt, step) if step.outcome == "failed" else None
    if step.tries is not None:
        return _repeated(call, attempt, step, now)
    if attempt.notice is not None and attempt.notice.outcome == "deferred":
        return Fact("call-deferred", "info", _names(call, attempt.notice.code), call.traceparent)
    return None


def _given_up(call: CallItem, attempt: AttemptResult, report: CallResult) -> Fact:
    fields = {
        **_names(call, report.code),
        "http_status": report.status,
        "result": attempt.outcome,
        "attempts": report.attempts or call.tries,
        "outcome": "given-up",
    }
    return Fact("call-failed", "warning", fields, call.traceparent)


def _repeated(call: CallItem, attempt: AttemptResult, step: Postpone, now: datetime) -> Fact:
    fields = {
        **_names(call, attempt.code),
        "http_status": attempt.status,
        "result": attempt.outcome,
        "attempts": step.tries,
        "outcome": "again",
        "retry_seconds": round((step.due_at - now).total_seconds(), 3),
    }
    return Fact("call-failed", "warning", fields, call.traceparent)


def _names(call: CallItem, code: str) -> dict[str, object]:
    return {
        "subject": call.subject,
        "operation": call.operation,
        "counterparty": call.target,
        "code": code,
        "call_id": call.id,
    }
