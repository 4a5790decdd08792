"""The audit record of a decision: how it is written, and how its fields are read.

A record holds no personal data: content is recorded as a keyed fingerprint. Records written before a field was added
lack it, so each reader defines what its absence means.
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
"""The version of the built-in rules for records that name none."""


@dataclass(frozen=True, slots=True)
class RecordedDecision:
    """One decision, ready to be recorded. ``state`` is the resulting state as bytes, ``reply`` the answer returned."""

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
    """The actor and key of a decision with a verified signature. The named policy holds both in the clear."""
    if not item.verified_by or not isinstance(item.data, DecisionRecorded):
        return {}
    return {"decidedBy": {"actor": item.data.actor, "keyId": item.verified_by}}


def machine_version(body: Body) -> int:
    """The machine version that made the decision."""
    return int(body.get("machineVersion", FIRST_VERSION))


def state_fingerprint(vault: Vault, subject: str, state: bytes) -> str:
    """The fingerprint of a state in a record."""
    return vault.index.fingerprint(subject.encode(), state).hex()


def reply_fingerprint(vault: Vault, subject: str, reply: bytes) -> str:
    """The fingerprint of a reply in a record."""
    return vault.index.fingerprint(b"reply", subject.encode(), reply).hex()


def clear_columns(projection: Projection) -> list[str]:
    """The clear columns of the subject's row."""
    return [projection.status, projection.verdict, projection.chain, projection.counterparty]
