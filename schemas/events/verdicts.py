"""Events of topic ``verdicts``: what the platform may do (contract section 4).

A ``...Body`` is what a machine decides; the engine adds ``sequence``.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StrictBool, StringConstraints

from schemas.events.decisions import SubjectText
from schemas.numbers import Sequence
from schemas.texts import Code, Id, MaybeId, MaybeText, Word
from schemas.wire_model import Wire

FieldPath = Annotated[str, StringConstraints(strict=True, pattern=r"^[A-Za-z][A-Za-z0-9_.\[\]]*$", max_length=200)]
"""A field of the platform's event that must be filled, such as ``originator.natural.dateOfBirth``."""

Risk = Literal["clean", "suspicious", "malicious", "unknown", "pending"]


class Sequenced(Wire):
    """What every event of ours ends with."""

    sequence: Sequence
    """Counts per (topic, key, qualified subject) from 1. A withdrawal and a deposit may share an id and so a key; each
    has its own count. A consumer ignores a number that it has passed for the same topic, key and subject.
    Example: 1
    """


class _VerdictFacts(Wire):
    subject: SubjectText
    """What the verdict is about, with its kind: ``withdrawal:ID``, ``deposit:ID`` or ``screening:ID``. The record's key
    is the id alone.
    Example: "withdrawal:0b6f3c1e-7d0a-4f6e-9a51-2f1d9d1f7c11"
    """
    reasons: tuple[Code, ...]
    """Stable codes of the causes that led here. The table of verdicts explains each.
    Example: ["VERIFIED"]
    """
    needs: tuple[Word, ...] = ()
    """What would move a hold: stable words such as ``information``, ``beneficiary-name``, ``counterparty``,
    ``ownership-proof``, ``operator-decision``. Empty if time alone may move it, or nothing.
    Example: ["operator-decision"]
    """
    final: StrictBool
    """Whether nothing automatic follows, except the retraction of a deposit after a re-organisation."""
    missing: Annotated[tuple[FieldPath, ...], Field(min_length=1)] | None = None
    """Paths of the fields in the platform's event that must be filled, where ``needs`` holds ``information``.
    Example: ["originator.natural.dateOfBirth"]
    """
    counterparty: MaybeId = None
    """Entity id of the other VASP; left out while it is not known or where there is none.
    Example: "south"
    """
    transfer_id: MaybeId = None
    """Id of the transfer on the wire. It differs from the platform's id after a second attempt.
    Example: "0b6f3c1e-7d0a-4f6e-9a51-2f1d9d1f7c11"
    """
    exchange_status: MaybeText = None
    """State of the data exchange in the protocol's words: ``wait``, ``verified``, ``denied``, ``pending``,
    ``processing``, ``wait-confirm``, ``confirmed`` or ``canceled``.
    Example: "verified"
    """
    risk: Risk | None = None
    """The worst rating among the assessments that count here; ``clean`` only if all were made and found clean."""
    policy_version: Id
    """Version of the policy that decided: the start of the SHA-256 of its rules.
    Example: "3f9c2a7be410"
    """


class VerdictBody(_VerdictFacts):
    """The verdict on a withdrawal or a deposit."""

    verdict: Literal["allow", "hold", "deny"]
    """What the platform may do: ``allow`` send or credit, ``hold`` not yet, ``deny`` do not."""


class WithdrawalVerdictBody(VerdictBody):
    """The verdict on a withdrawal."""

    dead_letter_id: MaybeId = None
    """Id of the dead letter that holds the refused request, beside reason ``REJECTED_INPUT``.
    Example: "5d3c0a44-0f4e-4c7f-8a0e-9d0d6f0a1b2c"
    """


class ScreeningVerdictBody(_VerdictFacts):
    """The verdict on a screening is its risk."""

    verdict: Risk
    """The rating: ``clean``, ``suspicious``, ``malicious``, ``unknown`` for what cannot be rated, ``pending`` for what
    is not rated yet.
    """


class OwnershipVerdictBody(_VerdictFacts):
    """The verdict on the ownership of an unhosted wallet."""

    verdict: Literal["allow", "deny"]
    """Whether the wallet counts as the customer's own: ``allow`` after a proof, ``deny`` without one in time."""


class WithdrawalVerdict(Sequenced, WithdrawalVerdictBody):
    """``withdrawal.verdict.v1``: sent each time that the answer to a withdrawal changes: whether the coins may be sent
    now.
    """


class DepositVerdict(Sequenced, VerdictBody):
    """``deposit.verdict.v1``: sent each time that the answer to a deposit changes: whether it may be credited now."""


class ScreeningVerdict(Sequenced, ScreeningVerdictBody):
    """``screening.verdict.v1``: sent when a screening that was requested has ended, or an operator decided it: how
    risky the wallet or the transaction is.
    """


class OwnershipVerdict(Sequenced, OwnershipVerdictBody):
    """``ownership.verdict.v1``: sent when a proof of ownership was given, was refused, or did not come in time."""
