"""The outcome of an input, which ``Engine.apply`` returns."""

from __future__ import annotations

import dataclasses
from typing import Any

from travelrule.machine.decision import OutcomeStatus


@dataclasses.dataclass(frozen=True, slots=True)
class InputOutcome:
    """``applied``, ``duplicate`` (answered from the stored outcome), ``rejected`` (dead-lettered if it came from Kafka;
    nothing is remembered) or ``parked`` (kept until its subject arrives). ``reply`` is the plain answer for a
    synchronous caller.
    """

    status: OutcomeStatus
    code: str = ""
    field: str = ""
    fix: str = ""
    reply: dict[str, Any] | None = dataclasses.field(default=None, repr=False)
