"""Kinds of failed calls: transient, out of quota, or without any prospect of an answer (screening.md 7)."""

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
"""Prefix of the code of a call that failed with a status and no ``errorType``."""


class Failure(StrEnum):
    """The kind of a failed call."""

    PASSING = "passing"
    """Transient: repeated with growing waits."""
    QUOTA = "quota"
    """Not registered, quota used up, or disabled: one alert is raised, the call is repeated after a wait."""
    UNSUPPORTED = "unsupported"
    """The provider does not know this chain."""
    FORGOTTEN = "forgotten"
    """The hub no longer knows its own id."""
    REFUSED = "refused"
    """A repetition would be refused as well."""


def failure_of(call: CallResult, *, of_screening: bool = False) -> Failure:
    """Return the kind of a failed call.

    ``of_screening``: an error without ``errorType`` may be a provider's ``ERROR``, whose status no source states
    (screening.md 3).
    """
    if call.code == UNSUPPORTED:
        return Failure.UNSUPPORTED
    if call.code == FORGOTTEN:
        return Failure.FORGOTTEN
    if call.code == QUOTA:
        return Failure.QUOTA
    if is_transient(call.status, call.code) or (of_screening and call.code.startswith(WITHOUT_CODE)):
        return Failure.PASSING
    return Failure.REFUSED


def pause(builder: AssessmentBuilder, failure: Failure, call: CallResult) -> float:
    """Count a transient failure and return the seconds to the next try; a used-up quota raises an alert."""
    seconds = builder.count_failure()
    if failure is Failure.QUOTA:
        builder.alert(AlertCode.SCREENING_REFUSED, "critical", attempts=call.attempts)
        return builder.spread_wait(BACKOFF_MAX_SECONDS)
    return seconds
