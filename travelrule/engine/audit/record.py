"""What an audit record says of a decision, and how its fields are read back.

Nothing in it is personal: content is recorded as a keyed fingerprint. A field that a later release adds is absent
in the records of before, so each is read with what its absence means.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import orjson

from schemas.events.decisions import DecisionRecorded
from travelrule.engine.vault import Vault
from travelrule.machine.decision import Decision
from travelrule.machine.input import Input
from travelrule.machine.port import FIRST_VERSION
from travelrule.machine.projection import Projection
from travelrule.policy.policy import DEFAULTS, Policy

Body = Mapping[str, Any]

FIRST_DEFAULTS = 2
"""The built-in rules of the records that do not name theirs."""


@dataclass(frozen=True, slots=True)
class RecordedDecision:
    """One decision as its record tells it. ``state`` is the state it led to as bytes, ``reply`` what was answered."""

    subject: str
    record: int
    at: datetime
    item: Input
    fingerprint: bytes
    decision: Decision[Any]
    machine_version: int
    created: bool
    state: bytes
    projection: Projection
    reply: Mapping[str, Any] | None
    events: Sequence[Mapping[str, Any]]


def write(decided: RecordedDecision, policy: Policy, vault: Vault) -> bytes:
    """The body of the record."""
    item, decision = decided.item, decided.decision
    reply = None if decided.reply is None else reply_fingerprint(vault, decided.subject, orjson.dumps(decided.reply))
    return orjson.dumps(
        {
            "subject": decided.subject,
            "record": decided.record,
            "at": decided.at,
            "source": item.source,
            "id": item.id,
            "type": item.type,
            "input": decided.fingerprint.hex(),
            "rule": decision.rule,
            "status": decision.status,
            "code": decision.code,
            "machineVersion": decided.machine_version,
            "policyVersion": policy.version,
            "policyDefaults": DEFAULTS,
            "profileVersion": policy.own.version,
            "created": decided.created,
            "state": state_fingerprint(vault, decided.subject, decided.state),
            "row": clear_columns(decided.projection),
            "reply": reply,
            **_decided_by(item),
            "events": [{name: row[name] for name in ("topic", "key", "type", "sequence")} for row in decided.events],
        }
    )


def _decided_by(item: Input) -> dict[str, Any]:
    """Who decided, where a signature proved it. The policy that the record names holds actor and key in the clear."""
    if not item.verified_by or not isinstance(item.data, DecisionRecorded):
        return {}
    return {"decidedBy": {"actor": item.data.actor, "keyId": item.verified_by}}


def machine_version(body: Body) -> int:
    """The version of the machine that decided."""
    return int(body.get("machineVersion", FIRST_VERSION))


def state_fingerprint(vault: Vault, subject: str, state: bytes) -> str:
    """What a record says of the state that it led to."""
    return vault.index.fingerprint(subject.encode(), state).hex()


def reply_fingerprint(vault: Vault, subject: str, reply: bytes) -> str:
    """What a record says of the answer that was given."""
    return vault.index.fingerprint(b"reply", subject.encode(), reply).hex()


def clear_columns(projection: Projection) -> list[str]:
    """What the subject's row says in the clear."""
    return [projection.status, projection.verdict, projection.chain, projection.counterparty]
