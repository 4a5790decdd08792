"""Failures of the hub's own calls to members, recorded in one way."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from travelrule.hub.hub_answer import HubFault
from travelrule.hub.ports import NoMemberAnswer
from travelrule.hub.records import CallRecord

NO_ANSWER = "BENEFICIARY_VASP_REQUEST_TIMEOUT"


@contextmanager
def failures_recorded(record: CallRecord) -> Iterator[None]:
    """Record that the member did not answer, or which fault the call met, instead of raising."""
    try:
        yield
    except TimeoutError:
        record.error_type = NO_ANSWER
    except NoMemberAnswer as silence:
        record.reached = silence.reached
        record.error_type = NO_ANSWER
    except HubFault as fault:
        record.status, record.error_type = fault.status, fault.error_type
