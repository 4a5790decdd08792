"""Events of topic ``decisions``: decisions of operators."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import StringConstraints

from schemas.input_forms import absent
from schemas.texts import LINE_PATTERN, Id, NonEmpty
from schemas.wire_model import Wire

SubjectText = Annotated[str, StringConstraints(strict=True, pattern=LINE_PATTERN, min_length=1, max_length=500)]
"""A qualified subject: ``withdrawal:ID``, ``deposit:ID``, ``screening:ID``, ``exchange:ORIGIN/ID``."""


class DecisionSignature(Wire):
    """An actor's Ed25519 signature. Which bytes are signed is written in ``docs/decisions.md``."""

    key_id: Id
    """Name of the signing key in the policy.
    Example: "ops-1"
    """
    value: Id
    """The signature over exactly this decision: base64 of its 64 bytes.
    Example: "leJ3SYq/V9Cq8MIB1VL3pWpLwTeBK69tb21SvLGFHtD1QeMHxlhiHVX5x+Y2YBTjvKbKTZ8JumChuvECh1lyBw=="
    """


class DecisionRecorded(Wire):
    """``decision.recorded.v1``: sent when an operator decided about a subject on hold. It is answered by a verdict with
    reason ``OPERATOR``, or refused into the dead letters.
    """

    subject: SubjectText
    """What the decision is about: a qualified subject (``withdrawal:ID``, ``deposit:ID``, ``screening:ID``,
    ``exchange:ORIGIN/TRANSFERID``). A bare id is accepted where it is unambiguous, and only unsigned. The
    record's key is the bare id.
    Example: "withdrawal:0b6f3c1e-7d0a-4f6e-9a51-2f1d9d1f7c11"
    """
    decision: Literal["allow", "deny"]
    """What was decided. Allowing a withdrawal without a verified answer needs the policy's ``operator_override``."""
    actor: Id
    """Who decided, as the platform or the identity provider names the operator; kept in the audit log.
    Example: "compliance-7"
    """
    reason: NonEmpty
    """Why, in the operator's words; kept in the audit log and in no verdict.
    Example: "Checked by telephone with the counterparty."
    """
    signature: Annotated[DecisionSignature | None, absent] = None
    """The actor's signature, where the policy takes signed decisions only; refused if it does not fit."""
