"""What an answer that is none means: it may pass, it may be paid for later, or nothing will come (screening.md 7)."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from travelrule.assessments.builder import BACKOFF_MAX_SECONDS, AssessmentBuilder
from travelrule.machine.alert_codes import AlertCode
from travelrule.machine.internal_inputs import CallResult
from travelrule.machine.retry_table import is_transient

UNSUPPORTED: Final = "UNSUPPORTED_BLOCKCHAIN"
FORGOTTEN: Final = "NOT_FOUND"
QUOTA: Final = "INVALID_ORIGIN"
WITHOUT_CODE = "HTTP_"
"""How a call that failed with a status and no ``errorType`` names its code."""


class Failure(StrEnum):
    """How a failed call is taken."""

    PASSING = "passing"
    """No answer: ask again, ever more rarely."""
    QUOTA = "quota"
    """Not registered, quota used up, or disabled: an operator is told, and it is asked again after a while."""
    UNSUPPORTED = "unsupported"
    """This chain cannot be asked about."""
    FORGOTTEN = "forgotten"
    """The hub does not know its own id (any more)."""
    REFUSED = "refused"
    """Again it would be refused again."""


def failure_of(report: CallResult, *, of_screening: bool = False) -> Failure:
    """Sort a failed call. ``of_screening``: an error answer without ``errorType`` may be the ``ERROR`` of a provider,
    whose status is not stated (screening.md 3).
    """
    if report.code == UNSUPPORTED:
        return Failure.UNSUPPORTED
    if report.code == FORGOTTEN:
        return Failure.FORGOTTEN
    if report.code == QUOTA:
        return Failure.QUOTA
    if is_transient(report.status, report.code) or (of_screening and report.code.startswith(WITHOUT_CODE)):
        return Failure.PASSING
    return Failure.REFUSED


def pause(builder: AssessmentBuilder, failure: Failure, report: CallResult) -> float:
    """Count a failure that may pass and give the seconds to the next try; a used-up quota is said and waited out."""
    seconds = builder.failed()
    if failure is Failure.QUOTA:
        builder.alert(AlertCode.SCREENING_REFUSED, "critical", attempts=report.attempts)
        return builder.spread(BACKOFF_MAX_SECONDS)
    return seconds
