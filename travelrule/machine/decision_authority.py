"""Whether a decision is authorized: the rules of the policy's section ``[decisions]`` (ADR 0023).

Pure: an audit repeats the check years later with the input, the policy and the time of the decision.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from schemas.events.decisions import DecisionRecorded
from schemas.moments import time_text
from schemas.registry import is_qualified
from travelrule.crypto.decision_signature import SignedDecision
from travelrule.machine.input import Input
from travelrule.policy.decisions import CLOCK_SKEW_SECONDS, DecisionKey, Decisions


class RefusedDecision(StrEnum):
    """The codes of unauthorized decisions."""

    DECISIONS_OFF = "DECISIONS_OFF"
    """The policy accepts no decision."""
    DECISION_UNSIGNED = "DECISION_UNSIGNED"
    """The signature is missing, and the policy requires one."""
    DECISION_SUBJECT_BARE = "DECISION_SUBJECT_BARE"
    """The subject has no kind: a signature must name one subject only."""
    DECISION_KEY_UNKNOWN = "DECISION_KEY_UNKNOWN"
    """The policy has no key of this id for this actor."""
    DECISION_SIGNATURE_INVALID = "DECISION_SIGNATURE_INVALID"
    """The signature is not the actor's over exactly this decision."""
    DECISION_KEY_EXPIRED = "DECISION_KEY_EXPIRED"
    """The key is past its validity."""
    DECISION_EXPIRED = "DECISION_EXPIRED"
    """The decision is too old, or its time is in the future."""
    DECISION_REPLAYED = "DECISION_REPLAYED"
    """The same signature arrived before, in another record."""


REFUSED_DECISIONS = frozenset(code.value for code in RefusedDecision)


@dataclass(frozen=True, slots=True)
class AuthorityRefusal:
    """Why a decision is refused. ``field`` is a path, ``fix`` describes what to send instead; neither has content."""

    code: RefusedDecision
    field: str
    fix: str


def signed_content(vasp: str, item: Input, data: DecisionRecorded, key_id: str) -> SignedDecision:
    """Return the content that the actor of a decision signs."""
    return SignedDecision(
        vasp=vasp,
        source=item.source,
        id=item.id,
        time=time_text(item.at),
        subject=data.subject,
        decision=data.decision,
        actor=data.actor,
        reason=data.reason,
        key_id=key_id,
    )


def key_of(vasp: str, item: Input, data: DecisionRecorded, rules: Decisions, now: datetime) -> str | AuthorityRefusal:
    """Return the id of the key that authorizes this decision (empty: none is needed), or the refusal.

    Under ``open`` an invalid signature counts as none: a sender could have omitted it.
    """
    if rules.authority == "off":
        return AuthorityRefusal(RefusedDecision.DECISIONS_OFF, "", "the policy has decisions.authority = off")
    verified = _verified(vasp, item, data, rules, now)
    if rules.authority == "open" and isinstance(verified, AuthorityRefusal):
        return ""
    return verified


def _verified(
    vasp: str, item: Input, data: DecisionRecorded, rules: Decisions, now: datetime
) -> str | AuthorityRefusal:
    signature = data.signature
    if signature is None:
        return AuthorityRefusal(RefusedDecision.DECISION_UNSIGNED, "data.signature", "the policy requires a signature")
    if not is_qualified(data.subject):
        fix = "name the subject with its kind, for example withdrawal:ID"
        return AuthorityRefusal(RefusedDecision.DECISION_SUBJECT_BARE, "data.subject", fix)
    key = rules.keys.get(signature.key_id)
    if key is None or key.actor != data.actor:
        fix = "sign with a key that the policy has for this actor"
        return AuthorityRefusal(RefusedDecision.DECISION_KEY_UNKNOWN, "data.signature.keyId", fix)
    if not signed_content(vasp, item, data, signature.key_id).is_signed(key.public_key, signature.value):
        fix = "sign exactly the event that is sent, for the VASP that receives it"
        return AuthorityRefusal(RefusedDecision.DECISION_SIGNATURE_INVALID, "data.signature.value", fix)
    return _out_of_time(item.at, key, rules, now) or signature.key_id


def _out_of_time(at: datetime, key: DecisionKey, rules: Decisions, now: datetime) -> AuthorityRefusal | None:
    if key.valid_until is not None and now >= key.valid_until:
        fix = "sign with a key whose valid_until has not come"
        return AuthorityRefusal(RefusedDecision.DECISION_KEY_EXPIRED, "data.signature.keyId", fix)
    oldest, newest = now - timedelta(seconds=rules.valid_seconds), now + timedelta(seconds=CLOCK_SKEW_SECONDS)
    if not oldest <= at <= newest:
        fix = "decide again: the policy's decisions.valid_seconds are over, or a clock is wrong"
        return AuthorityRefusal(RefusedDecision.DECISION_EXPIRED, "time", fix)
    return None
