"""Events of topic ``verdicts``: what the platform may do (contract section 4).

A ``...Body`` is what a machine decides; the engine adds ``sequence``.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StrictBool, StringConstraints

from schemas.base import Wire
from schemas.decisions import SubjectText
from schemas.text import Code, Id, MaybeId, MaybeText, Word

FieldPath = Annotated[str, StringConstraints(strict=True, pattern=r"^[A-Za-z][A-Za-z0-9_.\[\]]*$", max_length=200)]
"""A field of the event that the platform sent, as ``originator.natural.dateOfBirth``: what must be filled."""

Risk = Literal["clean", "suspicious", "malicious", "unknown", "pending"]


SEQUENCE = (
    "Counts per (topic, key, qualified subject) from 1. A withdrawal and a deposit may share an id and so a key; each"
    " has its own count. A consumer ignores a number that it has passed for the same topic, key and subject."
)


class Sequenced(Wire):
    """What every event of ours ends with."""

    sequence: Annotated[int, Field(ge=1, description=SEQUENCE)]


class _VerdictFacts(Wire):
    subject: SubjectText
    reasons: tuple[Code, ...]
    needs: tuple[Word, ...] = ()
    final: StrictBool
    missing: Annotated[tuple[FieldPath, ...], Field(min_length=1)] | None = None
    counterparty: MaybeId = None
    transfer_id: MaybeId = None
    exchange_status: MaybeText = None
    risk: Risk | None = None
    policy_version: Id


class VerdictBody(_VerdictFacts):
    """The verdict on a withdrawal or a deposit."""

    verdict: Literal["allow", "hold", "deny"]


class WithdrawalVerdictBody(VerdictBody):
    """The verdict on a withdrawal. ``deadLetterId``: the request that was refused is this dead letter."""

    dead_letter_id: MaybeId = None


class ScreeningVerdictBody(_VerdictFacts):
    """The verdict on a screening is its risk."""

    verdict: Risk


class OwnershipVerdictBody(_VerdictFacts):
    """The verdict on the ownership of an unhosted wallet."""

    verdict: Literal["allow", "deny"]


class WithdrawalVerdict(Sequenced, WithdrawalVerdictBody):
    """``withdrawal.verdict.v1``: may the withdrawal be sent."""


class DepositVerdict(Sequenced, VerdictBody):
    """``deposit.verdict.v1``: may the deposit be credited."""


class ScreeningVerdict(Sequenced, ScreeningVerdictBody):
    """``screening.verdict.v1``: how risky a wallet or a transaction is."""


class OwnershipVerdict(Sequenced, OwnershipVerdictBody):
    """``ownership.verdict.v1``: whether the wallet is the customer's own."""
