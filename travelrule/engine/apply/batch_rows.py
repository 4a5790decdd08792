"""The rows of one batch: what its decisions become, in the order in which they are written."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import orjson

from travelrule.engine.apply.accepted_answers import accepted_row
from travelrule.engine.apply.dead_letter_rows import DeadLetterHeaders, DeadLetterRows
from travelrule.engine.apply.event_rows import EventRows
from travelrule.engine.apply.locked_subject import LockedSubject
from travelrule.engine.apply.observations import Observation
from travelrule.engine.apply.revoked_calls import RevokedCalls
from travelrule.engine.committed_lines import FactLog
from travelrule.engine.input_envelope import pack
from travelrule.engine.messages.message_record import is_message, names_of
from travelrule.engine.ports import CallContent
from travelrule.engine.stable_ids import stable_id
from travelrule.engine.vault import Vault
from travelrule.machine.effects import (
    LOCAL_STORE,
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
from travelrule.store import tables
from travelrule.store.bulk import BulkWrite

_EARLIER_UNSENT = (
    "EXISTS (SELECT 1 FROM outbox p"
    " WHERE p.vasp = {vasp} AND p.topic = {topic} AND p.key = {key} AND p.sent_at IS NULL)"
)
_LEASED = ("id", "topic", "key", "subject", "sequence", "lease_until")

Row = dict[str, Any]


class BatchRows:
    """Collects rows while inputs are decided; ``writes`` returns one statement per table."""

    def __init__(
        self,
        vasp: str,
        vault: Vault,
        now: datetime,
        dead_letter_headers: DeadLetterHeaders,
        *,
        deadletter_plain: bool = False,
    ) -> None:
        self.vasp = vasp
        self.vault = vault
        self.now = now
        self.observations: list[Observation] = []
        self.facts = FactLog()
        self.events = EventRows(vasp, now, self.observations, self.facts)
        self.letters = DeadLetterRows(
            vasp, vault, now, self.observations, self.facts, dead_letter_headers, deadletter_plain
        )
        self.inputs: list[Row] = []
        self.audit: list[Row] = []
        self.calls: dict[str, Row] = {}
        self.contents: dict[str, CallContent] = {}
        self.finished_calls: list[str] = []
        self.revoked_calls = RevokedCalls(vasp, now, self.calls)
        self.accepted_answers: list[Row] = []
        self.messages: list[Row] = []
        self.delivered_messages: list[str] = []
        self.parked: list[Row] = []
        self.unparked: list[Row] = []
        self.used_decisions: list[Row] = []
        self.refused_decisions: dict[str, tuple[LockedSubject, Input | None]] = {}
        """By dead letter: the subject that an alert names, and the input."""
        self._parked_count = 0

    def add_effects(self, subject: LockedSubject, item: Input, effects: tuple[Effect, ...]) -> dict[str, Any] | None:
        """Turn effects into rows. Return the reply effect's body, if any."""
        reply: dict[str, Any] | None = None
        for number, effect in enumerate(effects):
            match effect:
                case Emit():
                    self.events.emit(subject, item, effect.topic, effect.key, effect.type, effect.data)
                case Alert():
                    self.events.alert(subject, item, effect)
                case CallHub():
                    self._add_call(subject, item, number, effect)
                case LookUp():
                    self._add_look_up(subject, item, number, effect)
                case SendMessage():
                    self._add_message(subject, item, number, effect)
                case AcceptAnswer():
                    self.accepted_answers.append(accepted_row(self.vasp, subject.name, effect, self.now))
                case DropCalls() | EndUnsent():
                    self.revoked_calls.add(subject.name, effect)
                case Reply(body):
                    reply = body
        return reply

    def _add_call(self, subject: LockedSubject, item: Input, number: int, call: CallHub) -> None:
        content = CallContent(call.clear, call.payload)
        due_at = call.due_at or self.now
        self._add_work(subject, item, number, call.operation, call.target, call.correlation_id, content, due_at)

    def _add_look_up(self, subject: LockedSubject, item: Input, number: int, look_up: LookUp) -> None:
        """Add the row of a look-up, which is kept in the table of calls under a target of its own."""
        content = CallContent(look_up.parameters, None)
        self._add_work(subject, item, number, look_up.operation, LOCAL_STORE, look_up.question, content, self.now)

    def _add_work(
        self,
        subject: LockedSubject,
        item: Input,
        number: int,
        operation: str,
        target: str,
        correlation_id: str,
        content: CallContent,
        due_at: datetime,
    ) -> None:
        """Add a row to the table of calls. The column of ``correlation_id`` is named ``transfer_id``."""
        call_id = stable_id(self.vasp, "call", item.source, item.id, number)
        plain = orjson.dumps({"clear": content.clear, "payload": content.payload})
        self.contents[call_id] = content
        self.calls[call_id] = {
            "id": call_id,
            "vasp": self.vasp,
            "subject": subject.name,
            "operation": operation,
            "target": target,
            "transfer_id": correlation_id,
            "sealed": self.vault.seal(subject.data_key, "call", subject.name, plain),
            "due_at": due_at,
            "first_at": due_at,
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

    def _add_message(self, subject: LockedSubject, item: Input, number: int, message: SendMessage) -> None:
        content = message.data.model_dump_json(by_alias=True).encode()
        self.messages.append(
            {
                "id": stable_id(self.vasp, "tell", item.source, item.id, number),
                "vasp": self.vasp,
                "from_subject": subject.name,
                "to_subject": message.subject,
                "type": message.type,
                "sealed": self.vault.seal(subject.data_key, "tell", subject.name, content),
                "traceparent": item.traceparent,
                "created_at": self.now,
            }
        )

    def add_input(
        self,
        subject: LockedSubject,
        item: Input,
        fingerprint: bytes,
        status: str,
        code: str,
        reply: dict[str, Any] | None,
    ) -> None:
        """Add the row of a decided input, by which a repetition is recognized and answered."""
        sealed_reply = None
        if reply is not None:
            sealed_reply = self.vault.seal(subject.data_key, "reply", subject.name, orjson.dumps(reply))
        self.inputs.append(
            {
                "vasp": self.vasp,
                "source": item.source,
                "id": item.id,
                "subject": subject.name,
                "record": subject.records,
                "type": item.type,
                "fingerprint": fingerprint,
                "sealed": self.vault.seal(subject.data_key, "input", subject.name, pack(item)),
                "reply": sealed_reply,
                "status": status,
                "code": code,
                "received_at": self.now,
            }
        )

    def park(self, subject: LockedSubject, item: Input) -> None:
        """Add an input that is kept until its subject arrives. The inputs of a batch are parked a microsecond apart,
        which keeps their order.
        """
        self._parked_count += 1
        self.parked.append(
            {
                "vasp": self.vasp,
                "source": item.source,
                "id": item.id,
                "subject": subject.name,
                "sealed": self.vault.seal(subject.data_key, "parked", subject.name, pack(item, with_raw=True)),
                "parked_at": self.now + timedelta(microseconds=self._parked_count),
            }
        )

    def refuse(self, rejected: Rejected, subject: LockedSubject | None, item: Input | None = None) -> None:
        """Add the dead letter of a refused message. A message between subjects is not delivered again, so its receiver
        is named in an alert.
        """
        self.letters.add(rejected, item)
        if not is_message(rejected.raw):
            return
        self.delivered_messages.append(names_of(rejected.raw).message_id)
        if subject is not None:
            self.events.alert(subject, item, Alert("MESSAGE_REFUSED", "critical"))

    def records(self) -> list[Row]:
        """Return the outbox rows, those of dead letters included, in the order in which they are published."""
        return [*self.events.rows, *self.letters.events()]

    def lease_records(self, owner: str, until: datetime) -> None:
        """Lease the outbox rows to ``owner``; a row with an unsent one before it loses its lease when it is written."""
        for row in self.records():
            row["lease_owner"], row["lease_until"] = owner, until

    def writes(self) -> list[BulkWrite]:
        """Return all changes but those of subjects and their projections."""
        return [
            BulkWrite("delete", tables.calls, [{"id": call_id} for call_id in self.finished_calls]),
            *self.revoked_calls.writes(),
            BulkWrite("insert", tables.calls, list(self.calls.values()), "nothing"),
            BulkWrite("insert", tables.accepted_answers, self.accepted_answers),
            BulkWrite("delete", tables.tells, [{"id": message_id} for message_id in self.delivered_messages]),
            BulkWrite("insert", tables.tells, self.messages),
            BulkWrite("delete", tables.parked, self.unparked),
            BulkWrite("insert", tables.parked, self.parked, "nothing"),
            BulkWrite("insert", tables.inputs, self.inputs),
            BulkWrite("insert", tables.audit, self.audit),
            BulkWrite("insert", tables.used_decisions, self.used_decisions, "nothing"),
            *self.letters.writes(),
            self._write_of_records(),
        ]

    def _write_of_records(self) -> BulkWrite:
        """Return the last change of a batch: its result may hold the events that kept their lease."""
        rows = self.records()
        if not rows or rows[0]["lease_until"] is None:
            return BulkWrite("insert", tables.outbox, rows)
        null_if = (("lease_until", _EARLIER_UNSENT),)
        return BulkWrite("insert", tables.outbox, rows, null_if=null_if, returning=_LEASED)
