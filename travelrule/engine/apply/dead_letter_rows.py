"""The dead letters of one batch: refused messages with their content, and their copies for the dead-letter topic."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import uuid5

import orjson
from sqlalchemy.ext.asyncio import AsyncConnection

from travelrule.engine.apply.dead_letter_copy import dead_letter_copy
from travelrule.engine.apply.event_rows import outbox_row
from travelrule.engine.apply.observations import Observation
from travelrule.engine.committed_lines import FactLog
from travelrule.engine.input_envelope import pack_raw
from travelrule.engine.messages.message_record import is_message, letter_columns, names_of
from travelrule.engine.stable_ids import EVENT_NAMESPACE, stable_id
from travelrule.engine.vault import Vault
from travelrule.machine.input import Input, Rejected
from travelrule.store import bulk, tables
from travelrule.store.bulk import BulkWrite

DeadLetterHeaders = Callable[[Rejected, datetime], list[tuple[str, bytes]]]
Row = dict[str, Any]


@dataclass(slots=True)
class DeadLetterRows:
    """Collects dead letters by id. ``plain``: the copy on the dead-letter topic is not sealed."""

    vasp: str
    vault: Vault
    now: datetime
    observations: list[Observation]
    facts: FactLog
    headers: DeadLetterHeaders
    plain: bool = False
    rows: dict[str, Row] = field(default_factory=dict)
    _keys: list[Row] = field(default_factory=list)
    _events: dict[str, Row] = field(default_factory=dict)

    def add(self, rejected: Rejected, item: Input | None = None) -> None:
        """Add a refused message, sealed under a data key of its own; a Kafka record gets a copy on the dead-letter
        topic. The id is stable: a redelivered message is one dead letter.
        """
        raw = rejected.raw
        letter_id = self.letter_id(rejected)
        if letter_id in self.rows:
            return
        subject = f"deadletter:{letter_id}"
        data_key, wrapped = self.vault.new_data_key(subject)
        sealed = self.vault.seal(data_key, "deadletter", subject, orjson.dumps(pack_raw(raw)))
        self._keys.append({"vasp": self.vasp, "subject": subject, "wrapped": wrapped, "created_at": self.now})
        self.rows[letter_id] = {
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
        self.facts.letter(self.rows[letter_id], rejected, item)
        if not is_message(raw):
            self._events[letter_id] = self._event(rejected, letter_id, data_key)

    def letter_id(self, rejected: Rejected) -> str:
        """Return the id of the message's dead letter. A record that is delivered again has the same one."""
        raw, code = rejected.raw, rejected.code
        if is_message(raw):
            return stable_id(self.vasp, "message", names_of(raw).message_id, raw.offset, code)
        digest = self.vault.index.fingerprint(raw.key or b"", raw.value or b"").hex()
        name = f"{self.vasp}|{raw.topic}|{raw.partition}|{raw.offset}|{digest}|{code}"
        return str(uuid5(EVENT_NAMESPACE, name))

    async def drop_known(self, connection: AsyncConnection) -> None:
        """Drop the letters that are stored: a redelivered message is neither kept nor published twice."""
        if not self.rows:
            return
        for letter_id in await bulk.existing(connection, tables.dead_letters, self.vasp, list(self.rows)):
            del self.rows[letter_id]

    def events(self) -> list[Row]:
        """Return the outbox rows of the letters that are not dropped."""
        return [row for letter_id in self.rows if (row := self._events.get(letter_id)) is not None]

    def writes(self) -> list[BulkWrite]:
        """Return the inserts of keys and letters."""
        keys = {row["subject"]: row for row in self._keys}
        return [
            BulkWrite("insert", tables.data_keys, [keys[f"deadletter:{letter_id}"] for letter_id in self.rows]),
            BulkWrite("insert", tables.dead_letters, list(self.rows.values())),
        ]

    def _event(self, rejected: Rejected, letter_id: str, data_key: bytes) -> Row:
        raw, subject = rejected.raw, f"deadletter:{letter_id}"
        copy = dead_letter_copy(raw.key, raw.value or b"", self.headers(rejected, self.now))
        value = copy.value if self.plain else self.vault.seal(data_key, "topic", subject, copy.value)
        headers = [*copy.headers, ("travelrule.dead_letter.id", letter_id.encode())]
        return outbox_row(
            self.vasp, "deadletters", letter_id, copy.key, subject, "deadletter", 1, value, headers, self.now
        )
