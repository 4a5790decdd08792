"""Metrics of attempts, of the calls that they complete, and of circuits."""

from __future__ import annotations

from travelrule import metrics
from travelrule.engine.calls.call_executor import AttemptResult, Postpone

WRONG_KEY = frozenset({"INVALID_RECEIVER_PUBLIC_KEY", "INVALID_ENCRYPTED_BODY"})
"""The payload was sealed to a key that the receiver no longer has, or no usable key is listed."""


def count_attempt(operation: str, attempt: AttemptResult) -> None:
    """Count one attempt."""
    metrics.CALL_ATTEMPTS_TOTAL.labels(operation=operation, outcome=attempt.outcome).inc()
    if attempt.code in WRONG_KEY:
        metrics.KEY_MISMATCHES_TOTAL.labels(direction="sent").inc()


def count_completed(operation: str, attempt: AttemptResult) -> None:
    """Count the call that an attempt completed; nothing for a postponed one."""
    if isinstance(attempt.next_step, Postpone):
        return
    outcome = "exhausted" if attempt.exhausted else attempt.next_step.outcome
    metrics.CALLS_COMPLETED_TOTAL.labels(operation=operation, outcome=outcome).inc()
    if attempt.exhausted:
        metrics.CALLS_EXHAUSTED_TOTAL.labels(operation=operation).inc()


def show_circuit(target: str, is_open: bool) -> None:  # noqa: FBT001 -- a hook of ``Bulkheads``
    """Serve the state of a circuit that opened or closed."""
    metrics.CIRCUIT_OPEN.labels(vasp=target).set(1 if is_open else 0)
