"""Events of topic ``decisions``: what an operator decided."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import StringConstraints

from schemas.base import Wire
from schemas.text import LINE_PATTERN, Id, NonEmpty

SubjectText = Annotated[str, StringConstraints(strict=True, pattern=LINE_PATTERN, min_length=1, max_length=500)]
"""A qualified subject: ``withdrawal:ID``, ``deposit:ID``, ``screening:ID``, ``exchange:ORIGIN/ID``."""


class DecisionRecorded(Wire):
    """``decision.recorded.v1``. A bare id in ``subject`` is accepted where it is unambiguous."""

    subject: SubjectText
    decision: Literal["allow", "deny"]
    actor: Id
    reason: NonEmpty
