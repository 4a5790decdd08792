"""An operator's decision as an event: built, signed, and checked as the worker will check it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import uuid4

import orjson
from sqlalchemy import select

from schemas.events.cloudevents import write_event
from schemas.events.decisions import DecisionRecorded
from schemas.registry import bare_id
from streams.codec import read
from travelrule.bootstrap.installation import Installation
from travelrule.crypto.signing import SigningKey
from travelrule.engine.registry import MACHINES
from travelrule.environment import PREFIX
from travelrule.errors import ConfigurationError, UsageError
from travelrule.machine.decision_authority import AuthorityRefusal, key_of, signed_content
from travelrule.machine.input import Input, RawMessage, Rejected
from travelrule.machine.port import Machine
from travelrule.store import tables

Header = tuple[str, bytes]


@dataclass(frozen=True, slots=True)
class DecisionEvent:
    """A decision ready to be sent: the input for the worker, and the record. ``key_id`` is empty if unsigned."""

    item: Input
    decision: str
    key_id: str
    value: bytes = field(repr=False)

    @property
    def key(self) -> bytes:
        """The record's key."""
        return bare_id(self.item.subject).encode()

    @property
    def headers(self) -> list[Header]:
        """The record's headers."""
        return [("content-type", b"application/cloudevents+json")]

    def names(self) -> dict[str, Any]:
        """The fields that the command reports."""
        named = {"subject": self.item.subject, "decision": self.decision, "event": self.item.id}
        return {**named, "keyId": self.key_id or None}


@dataclass(frozen=True, slots=True)
class DecisionRefusal:
    """The reason why the worker would refuse a decision."""

    code: str
    field: str
    fix: str


def decision_event(opened: Installation, subject: str, decision: str, actor: str, reason: str) -> DecisionEvent:
    """The event about a qualified subject, signed if the settings have a key of the actor. Raise ``UsageError`` for
    texts that no event may contain, ``ConfigurationError`` if the policy requires a signature that cannot be made.
    """
    data: dict[str, Any] = {"subject": subject, "decision": decision, "actor": actor, "reason": reason}
    source, event_id, at = f"/operator/{opened.entity_id}", str(uuid4()), opened.clock().replace(microsecond=0)
    key_id, key = _signing_key(opened, actor)
    item = _read(opened, source, event_id, at, data)
    if key is not None and isinstance(item.data, DecisionRecorded):
        value = signed_content(opened.entity_id, item, item.data, key_id).sign(key)
        data["signature"] = {"keyId": key_id, "value": value}
        item = _read(opened, source, event_id, at, data)
    assert item.raw is not None  # noqa: S101 - it was read from a record
    return DecisionEvent(item, decision, key_id, item.raw.value or b"")


def _read(opened: Installation, source: str, event_id: str, at: datetime, data: dict[str, Any]) -> Input:
    """The event as a worker reads it from its topic."""
    key = bare_id(data["subject"])
    value = write_event(type="decision.recorded.v1", source=source, id=event_id, subject=key, time=at, data=data)
    read_one = read(RawMessage("decisions", 0, 0, key.encode(), value), "decisions", received_at=opened.clock())
    if isinstance(read_one, Rejected):
        raise UsageError(f"{read_one.field.removeprefix('data.')}: {read_one.fix}")
    return read_one


def _signing_key(opened: Installation, actor: str) -> tuple[str, SigningKey | None]:
    """The key of the settings and its id in the policy; none if the policy lacks it for this actor."""
    rules, secret = opened.policy().decisions, opened.settings.decision_key
    name = f"{PREFIX}DECISION_KEY"
    if secret is None:
        if rules.authority == "signed":
            raise ConfigurationError(name, "the policy requires signed decisions: set it, or its _FILE")
        return "", None
    key = SigningKey.from_base64(secret.get_secret_value())
    for key_id, known in rules.keys.items():
        if (known.public_key, known.actor) == (key.public_base64, actor):
            return key_id, key
    if rules.authority == "signed":
        fix = f"the policy has no key of this --actor with the public key {key.public_base64}"
        raise ConfigurationError(name, fix)
    return "", None


async def refusal_of(opened: Installation, item: Input) -> DecisionRefusal | None:
    """The reason why a worker would refuse this decision now; None if it would not, or if that is unknown."""
    now, policy = opened.clock(), opened.policy()
    if not isinstance(item.data, DecisionRecorded):
        raise TypeError(type(item.data).__name__)
    entitled = key_of(opened.entity_id, item, item.data, policy.decisions, now)
    if isinstance(entitled, AuthorityRefusal):
        return DecisionRefusal(entitled.code, entitled.field, entitled.fix)
    subjects, keys = tables.subjects, tables.data_keys
    async with opened.database.read() as connection:
        of = (subjects.c.vasp == opened.entity_id, subjects.c.subject == item.subject)
        row = (await connection.execute(select(subjects.c.kind, subjects.c.sealed).where(*of))).one()
        of_key = (keys.c.vasp == opened.entity_id, keys.c.subject == item.subject)
        wrapped = (await connection.execute(select(keys.c.wrapped).where(*of_key))).scalar()
    if wrapped is None:
        return DecisionRefusal("ERASED", "", "the subject's data were erased")
    machine = MACHINES.get(row.kind)
    if machine is None:
        return DecisionRefusal("NOT_AVAILABLE", "subject", "this kind of subject is not served yet")
    readable, state = _state(opened, machine, item.subject, bytes(wrapped), row.sealed)
    if not readable:
        return None
    decision = machine.decide(state, item, policy, now)
    return DecisionRefusal(decision.code, decision.field, decision.fix) if decision.status == "rejected" else None


def _state(opened: Installation, machine: Machine, subject: str, wrapped: bytes, sealed: bytes | None) -> Any:
    """Whether the state can be read, and the state; a later version may have written it."""
    if sealed is None:
        return True, None
    try:
        key = opened.vault.unwrap(subject, wrapped)
        return True, machine.load(opened.vault.open(key, "state", subject, bytes(sealed)))
    except (ValueError, TypeError, KeyError, AttributeError):
        return False, None


def event_id_of(value: bytes | None) -> str:
    """The id of an event in its record; empty if it cannot be read."""
    try:
        event = orjson.loads(value or b"")
    except orjson.JSONDecodeError:
        return ""
    return str(event.get("id", "")) if isinstance(event, dict) else ""
