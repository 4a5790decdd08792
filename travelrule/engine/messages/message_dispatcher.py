"""Delivery of messages between subjects: each becomes an input of its receiver after the commit, once and in order.

One process at a time delivers, under a lease, in the order of the rows; for one sender this is the order of its
messages, because its row is locked while it is decided. The row is deleted in the transaction that applies the input.
If the database fails for one message, none after it is applied before it. A refused message becomes a dead letter in
the same transaction, with an alert that names the receiver; those after it are applied.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from pydantic import ValidationError
from sqlalchemy import text

from travelrule import logs
from travelrule.crypto.errors import AtRestError
from travelrule.engine.input_envelope import model_of
from travelrule.engine.input_outcome import InputOutcome
from travelrule.engine.messages.message_record import record_of
from travelrule.engine.periodic_job import PeriodicJob
from travelrule.engine.vault import Vault
from travelrule.machine.input import Input, Rejected
from travelrule.machine.sources import InternalSource, internal_input
from travelrule.store.database import Database
from travelrule.store.leases import LeaseRepository
from travelrule.store.types import Instant

LEASE = "tells"
LEASE_SECONDS = 10.0
POLL_SECONDS = 0.5
CLAIM = 500

_NEXT = text(
    "SELECT t.id, t.from_subject, t.to_subject, t.type, t.sealed, t.traceparent, t.created_at, k.wrapped FROM tells t"
    " LEFT JOIN data_keys k ON k.vasp = t.vasp AND k.subject = t.from_subject"
    " WHERE t.vasp = :vasp ORDER BY t.number LIMIT :count"
).columns(created_at=Instant())

log = logs.get("telling")


class MessageDispatcher:
    """Delivers messages. ``submit`` is ``Intake.submit_in_order``; commits with messages set ``wake``."""

    def __init__(
        self,
        database: Database,
        vasp: str,
        vault: Vault,
        leases: LeaseRepository,
        submit: Callable[[Sequence[Input | Rejected]], Awaitable[list[InputOutcome]]],
        wake: asyncio.Event,
    ) -> None:
        self._database = database
        self._vasp = vasp
        self._vault = vault
        self._leases = leases
        self._submit = submit
        self._wake = wake

    async def run(self, database_failed: Callable[[BaseException], bool]) -> None:
        """Deliver until cancelled."""
        await PeriodicJob(
            "messages",
            self._step,
            interval=POLL_SECONDS,
            failed=database_failed,
            lease=lambda: self._leases.take(LEASE, LEASE_SECONDS),
            wake=self._wake,
        ).run()

    async def _step(self) -> bool:
        return await self.round() > 0

    async def round(self) -> int:
        """Deliver the stored messages, at most ``CLAIM``; return their number."""
        async with self._database.read() as connection:
            rows = (await connection.execute(_NEXT, {"vasp": self._vasp, "count": CLAIM})).all()
        if rows:
            await self._submit([self._read(row) for row in rows])  # one that is refused becomes a dead letter
        return len(rows)

    def _read(self, row: Any) -> Input | Rejected:
        """Return the input of a message, or a refusal if it cannot be read."""
        if row.wrapped is None:
            return Rejected(record_of(row, None), "ERASED", "", "the sender was erased", row.to_subject)
        sealed = bytes(row.sealed)
        try:
            key = self._vault.unwrap(row.from_subject, bytes(row.wrapped))
            content = self._vault.open(key, "tell", row.from_subject, sealed)
            data = model_of(row.type).model_validate_json(content)
        except (AtRestError, KeyError, ValidationError) as error:
            log.warning("message-unreadable", subject=row.to_subject, error=error, type=row.type)
            record = record_of(row, sealed, readable=False)
            return Rejected(record, "UNREADABLE", "", "replay it with the version that wrote it", row.to_subject)
        return internal_input(
            InternalSource.SUBJECTS,
            row.id,
            row.type,
            row.to_subject,
            data,
            at=datetime.now(UTC),
            salt=uuid4(),
            content=content,
            traceparent=row.traceparent,
            raw=record_of(row, content),
        )
