"""The rows of one batch: what decisions become before they are written, in one place and in one order."""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid5

import orjson
from sqlalchemy.ext.asyncio import AsyncConnection

from schemas.events.cloudevents import write_event
from travelrule.engine.apply.accepted_answers import accepted_row
from travelrule.engine.apply.dead_letter_copy import dead_letter_copy
from travelrule.engine.apply.locked_subject import LockedSubject
from travelrule.engine.apply.revoked_calls import RevokedCalls
from travelrule.engine.committed_lines import FactLog
from travelrule.engine.input_envelope import pack, pack_raw
from travelrule.engine.messages.message_record import is_message, letter_columns, names_of
from travelrule.engine.ports import CallContent
from travelrule.engine.stable_ids import EVENT_NAMESPACE, stable_id
from travelrule.engine.vault import Vault
from travelrule.machine.effects import (
    OWN_STORE,
    AcceptAnswer,
    Alert,
    CallHub,
    DropCalls,
    Effect,
    Emit,
    EndUnsent,
    LookUp,
    Reply,
    SendMessage,
)
from travelrule.machine.input import Input, Rejected
from travelrule.store import bulk, tables
from travelrule.store.bulk import BulkWrite

_EARLIER_UNSENT = (
    "EXISTS (SELECT 1 FROM outbox p"
    " WHERE p.vasp = {vasp} AND p.topic = {topic} AND p.key = {key} AND p.sent_at IS NULL)"
)
_LEASED = ("id", "topic", "key", "subject", "sequence", "lease_until")

DeadLetterHeaders = Callable[[Rejected, datetime], list[tuple[str, bytes]]]
Row = dict[str, Any]


@dataclass(slots=True)
class Observation:
    """One thing to count after the commit (a rolled-back batch must not be counted)."""

    metric: str
    labels: dict[str, str]
    value: float = 1.0


@dataclass(slots=True)
class BatchRows:
    """Collects rows while inputs are decided, then writes them with one statement per table."""

    vasp: str
    vault: Vault
    now: datetime
    dead_letter_headers: DeadLetterHeaders
    deadletter_plain: bool = False
    inputs: list[Row] = field(default_factory=list)
    audit: list[Row] = field(default_factory=list)
    outbox: list[Row] = field(default_factory=list)
    calls: dict[str, Row] = field(default_factory=dict)
    contents: dict[str, CallContent] = field(default_factory=dict, repr=False)
    finished_calls: list[str] = field(default_factory=list)
    revoked_calls: RevokedCalls = field(init=False)
    accepted_answers: list[Row] = field(default_factory=list)
    tells: list[Row] = field(default_factory=list)
    finished_tells: list[str] = field(default_factory=list)
    parked: list[Row] = field(default_factory=list)
    parkings: int = 0
    unparked: list[Row] = field(default_factory=list)
    used_decisions: list[Row] = field(default_factory=list)
    refused_decisions: dict[str, tuple[LockedSubject, Input | None]] = field(default_factory=dict)
    """By dead letter: which subject an alert names, and the input."""
    dead_letters: dict[str, Row] = field(default_factory=dict)
    dead_letter_keys: list[Row] = field(default_factory=list)
    dead_letter_events: dict[str, Row] = field(default_factory=dict)
    observations: list[Observation] = field(default_factory=list)
    facts: FactLog = field(default_factory=FactLog)

    def __post_init__(self) -> None:
        self.revoked_calls = RevokedCalls(self.vasp, self.now, self.calls)

    def effects(self, slot: LockedSubject, item: Input, effects: tuple[Effect, ...]) -> dict[str, Any] | None:
        """Turn effects into rows; gives back the reply, if one of them is a reply."""
        reply: dict[str, Any] | None = None
        for number, effect in enumerate(effects):
            match effect:
                case Emit():
                    self._emit(slot, item, effect.topic, effect.key, effect.type, effect.data)
                case Alert():
                    self.alert(slot, item, effect)
                case CallHub():
                    self._call(slot, item, number, effect)
                case LookUp(question, parameters):
                    self._call(slot, item, number, CallHub("look-up", OWN_STORE, question, parameters))
                case SendMessage():
                    self._tell(slot, item, number, effect)
                case AcceptAnswer():
                    self.accepted_answers.append(accepted_row(self.vasp, slot.subject, effect, self.now))
                case DropCalls() | EndUnsent():
                    self.revoked_calls.add(slot.subject, effect)
                case Reply(body):
                    reply = body
        return reply

    def alert(self, slot: LockedSubject, item: Input | None, alert: Alert) -> None:
        """An operator alert about this subject."""
        data: dict[str, Any] = {
            "subject": slot.subject,
            "code": alert.code,
            "severity": alert.severity,
            "runbook": f"docs/runbooks/{alert.code}.md",
        }
        if alert.counterparty:
            data["counterparty"] = alert.counterparty
        if alert.attempts is not None:
            data["attempts"] = alert.attempts
        self._emit(slot, item, "alerts", slot.bare_id, "operator.alert.v1", data)
        self.observations.append(Observation("alerts", {"code": alert.code}))

    def _emit(
        self, slot: LockedSubject, item: Input | None, topic: str, key: str, kind: str, data: dict[str, Any]
    ) -> None:
        counter = f"{topic}:{key}"
        sequence = slot.sequences.get(counter, 0) + 1
        slot.sequences[counter] = sequence
        slot.changed = True
        traceparent = item.traceparent if item is not None else None
        value = write_event(
            type=kind,
            source=f"/travelrule/{self.vasp}",
            id=stable_id(self.vasp, topic, key, slot.subject, sequence),
            subject=key,
            time=self.now,
            data={**data, "sequence": sequence},
            traceparent=traceparent,
        )
        headers = [["content-type", _b64(b"application/cloudevents+json")]]
        if traceparent:
            headers.append(["traceparent", _b64(traceparent.encode())])
        self.outbox.append(self._outbox_row(topic, key, key.encode(), slot.subject, kind, sequence, value, headers))
        if topic == "verdicts":
            self._observe_verdict(item, data)
        self.facts.event(topic, data, sequence, traceparent)

    def _observe_verdict(self, item: Input | None, data: dict[str, Any]) -> None:
        kind = str(data["subject"]).partition(":")[0]
        reasons = data.get("reasons") or [""]
        labels = {"kind": kind, "verdict": data["verdict"], "reason": reasons[0]}
        self.observations.append(Observation("verdicts", labels))
        if item is not None:
            self.observations.append(Observation("age", {}, (self.now - item.at).total_seconds()))

    def _outbox_row(
        self,
        topic: str,
        key: str,
        record_key: bytes | None,
        subject: str,
        kind: str,
        sequence: int,
        value: bytes,
        headers: list[list[str]],
    ) -> Row:
        return {
            "vasp": self.vasp,
            "topic": topic,
            "key": key,
            "record_key": record_key,
            "subject": subject,
            "type": kind,
            "sequence": sequence,
            "value": value,
            "headers": orjson.dumps(headers).decode(),
            "created_at": self.now,
            "lease_owner": None,
            "lease_until": None,
        }

    def _call(self, slot: LockedSubject, item: Input, number: int, call: CallHub) -> None:
        call_id = stable_id(self.vasp, "call", item.source, item.id, number)
        content = orjson.dumps({"clear": call.clear, "payload": call.payload})
        self.contents[call_id] = CallContent(call.clear, call.payload)
        self.calls[call_id] = {
            "id": call_id,
            "vasp": self.vasp,
            "subject": slot.subject,
            "operation": call.operation,
            "target": call.target,
            "transfer_id": call.transfer_id,
            "sealed": self.vault.seal(slot.data_key, "call", slot.subject, content),
            "due_at": call.due_at or self.now,
            "first_at": call.due_at or self.now,
            "tries": 0,
            "key_refreshed": False,
            "deferred": False,
            "hub_held": False,
            "ends_unsent": False,
            "note": "",
            "lease_owner": None,
            "lease_until": None,
            "traceparent": item.traceparent,
            "created_at": self.now,
        }

    def _tell(self, slot: LockedSubject, item: Input, number: int, tell: SendMessage) -> None:
        content = tell.data.model_dump_json(by_alias=True).encode()
        self.tells.append(
            {
                "id": stable_id(self.vasp, "tell", item.source, item.id, number),
                "vasp": self.vasp,
                "from_subject": slot.subject,
                "to_subject": tell.subject,
                "type": tell.type,
                "sealed": self.vault.seal(slot.data_key, "tell", slot.subject, content),
                "traceparent": item.traceparent,
                "created_at": self.now,
            }
        )

    def remember(
        self,
        slot: LockedSubject,
        item: Input,
        fingerprint: bytes,
        status: str,
        code: str,
        reply: dict[str, Any] | None,
    ) -> None:
        """The input row: from now on this input is known."""
        sealed_reply = None
        if reply is not None:
            sealed_reply = self.vault.seal(slot.data_key, "reply", slot.subject, orjson.dumps(reply))
        self.inputs.append(
            {
                "vasp": self.vasp,
                "source": item.source,
                "id": item.id,
                "subject": slot.subject,
                "record": slot.records,
                "type": item.type,
                "fingerprint": fingerprint,
                "sealed": self.vault.seal(slot.data_key, "input", slot.subject, pack(item)),
                "reply": sealed_reply,
                "status": status,
                "code": code,
                "received_at": self.now,
            }
        )

    def park(self, slot: LockedSubject, item: Input) -> None:
        """Keep an input until its subject arrives. Its time also tells its place among those of the same batch."""
        self.parkings += 1
        self.parked.append(
            {
                "vasp": self.vasp,
                "source": item.source,
                "id": item.id,
                "subject": slot.subject,
                "sealed": self.vault.seal(slot.data_key, "parked", slot.subject, pack(item, with_raw=True)),
                "parked_at": self.now + timedelta(microseconds=self.parkings),
            }
        )

    def dead_letter(self, rejected: Rejected, item: Input | None = None) -> None:
        """What cannot be processed: kept with its content, sealed under a data key of its own; a record is sent to the
        dead-letter topic too. The id is stable, so a redelivered message is one dead letter.
        """
        raw = rejected.raw
        letter_id = self.letter_id(rejected)
        if letter_id in self.dead_letters:
            return
        subject = f"deadletter:{letter_id}"
        data_key, wrapped = self.vault.new_data_key(subject)
        sealed = self.vault.seal(data_key, "deadletter", subject, orjson.dumps(pack_raw(raw)))
        self.dead_letter_keys.append(
            {"vasp": self.vasp, "subject": subject, "wrapped": wrapped, "created_at": self.now}
        )
        self.dead_letters[letter_id] = {
            "vasp": self.vasp,
            "id": letter_id,
            **letter_columns(rejected),
            "topic": raw.topic,
            "partition": raw.partition,
            "offset": raw.offset,
            "code": rejected.code,
            "field": rejected.field,
            "fix": rejected.fix,
            "sealed": sealed,
            "failed_at": self.now,
        }
        self.observations.append(Observation("dead_letters", {"code": rejected.code}))
        self.facts.letter(self.dead_letters[letter_id], rejected, item)
        if not is_message(raw):
            self._dead_letter_event(rejected, letter_id, data_key)

    def letter_id(self, rejected: Rejected) -> str:
        """The id of its dead letter, the same for a record that is delivered again."""
        raw, code = rejected.raw, rejected.code
        if is_message(raw):
            return stable_id(self.vasp, "message", names_of(raw).message_id, raw.offset, code)
        digest = self.vault.index.fingerprint(raw.key or b"", raw.value or b"").hex()
        name = f"{self.vasp}|{raw.topic}|{raw.partition}|{raw.offset}|{digest}|{code}"
        return str(uuid5(EVENT_NAMESPACE, name))

    def _dead_letter_event(self, rejected: Rejected, letter_id: str, data_key: bytes) -> None:
        raw, subject = rejected.raw, f"deadletter:{letter_id}"
        copy = dead_letter_copy(raw.key, raw.value or b"", self.dead_letter_headers(rejected, self.now))
        value = copy.value if self.deadletter_plain else self.vault.seal(data_key, "topic", subject, copy.value)
        headers = [[name, _b64(content)] for name, content in copy.headers]
        headers.append(["travelrule.dead_letter.id", _b64(letter_id.encode())])
        self.dead_letter_events[letter_id] = self._outbox_row(
            "deadletters", letter_id, copy.key, subject, "deadletter", 1, value, headers
        )

    def refuse(self, rejected: Rejected, slot: LockedSubject | None, item: Input | None = None) -> None:
        """Keep what was refused. A message between subjects is not delivered again: an alert names its receiver, whose
        sender waits in vain.
        """
        self.dead_letter(rejected, item)
        if not is_message(rejected.raw):
            return
        self.finished_tells.append(names_of(rejected.raw).message_id)
        if slot is not None:
            self.alert(slot, item, Alert("MESSAGE_REFUSED", "critical"))

    async def forget_known_dead_letters(self, connection: AsyncConnection) -> None:
        """A message that was delivered again is a dead letter already: it is neither kept nor sent twice."""
        if not self.dead_letters:
            return
        for letter_id in await bulk.existing(connection, tables.dead_letters, self.vasp, list(self.dead_letters)):
            del self.dead_letters[letter_id]

    def writes(self) -> list[BulkWrite]:
        """Everything but the subjects and their projections."""
        keys = {row["subject"]: row for row in self.dead_letter_keys}
        return [
            *self._writes_of_calls(),
            BulkWrite("insert", tables.accepted_answers, self.accepted_answers),
            BulkWrite("delete", tables.tells, [{"id": tell_id} for tell_id in self.finished_tells]),
            BulkWrite("insert", tables.tells, self.tells),
            BulkWrite("delete", tables.parked, self.unparked),
            BulkWrite("insert", tables.parked, self.parked, "nothing"),
            BulkWrite("insert", tables.inputs, self.inputs),
            BulkWrite("insert", tables.audit, self.audit),
            BulkWrite("insert", tables.used_decisions, self.used_decisions, "nothing"),
            BulkWrite("insert", tables.data_keys, [keys[f"deadletter:{letter_id}"] for letter_id in self.dead_letters]),
            BulkWrite("insert", tables.dead_letters, list(self.dead_letters.values())),
            self._write_of_events(),
        ]

    def _write_of_events(self) -> BulkWrite:
        """The last change of a batch, because it may give back which events kept their lease."""
        rows = self.events()
        if not rows or rows[0]["lease_until"] is None:
            return BulkWrite("insert", tables.outbox, rows)
        null_if = (("lease_until", _EARLIER_UNSENT),)
        return BulkWrite("insert", tables.outbox, rows, null_if=null_if, returning=_LEASED)

    def lease_events(self, owner: str, until: datetime) -> None:
        """Let this process publish the events, as far as none before them waits."""
        for row in self.events():
            row["lease_owner"], row["lease_until"] = owner, until

    def events(self) -> list[Row]:
        """The outbox rows, dead letters included, in the order in which they are to be published."""
        letters = (self.dead_letter_events.get(letter_id) for letter_id in self.dead_letters)
        return [*self.outbox, *(row for row in letters if row is not None)]

    def _writes_of_calls(self) -> list[BulkWrite]:
        return [
            BulkWrite("delete", tables.calls, [{"id": call_id} for call_id in self.finished_calls]),
            *self.revoked_calls.writes(),
            BulkWrite("insert", tables.calls, list(self.calls.values()), "nothing"),
        ]


def _b64(value: bytes) -> str:
    return base64.b64encode(value).decode()
