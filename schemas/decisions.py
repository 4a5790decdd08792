"""Events of topic ``decisions``: what an operator decided."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, StringConstraints

from schemas.base import Wire
from schemas.text import LINE_PATTERN, Id, NonEmpty, absent_is_none

SubjectText = Annotated[str, StringConstraints(strict=True, pattern=LINE_PATTERN, min_length=1, max_length=500)]
"""A qualified subject: ``withdrawal:ID``, ``deposit:ID``, ``screening:ID``, ``exchange:ORIGIN/ID``."""


class DecisionSignature(Wire):
    """An actor's Ed25519 signature over exactly this decision: ``value`` is base64 of its 64 bytes, ``key_id`` names
    the key in the policy. Which bytes are signed is written in ``docs/decisions.md``.
    """

    key_id: Id
    value: Id


class DecisionRecorded(Wire):
    """``decision.recorded.v1``. A bare id in ``subject`` is accepted where it is unambiguous, and only unsigned."""

    subject: SubjectText
    decision: Literal["allow", "deny"]
    actor: Id
    reason: NonEmpty
    signature: Annotated[DecisionSignature | None, BeforeValidator(absent_is_none)] = None
