"""What one subject tells another becomes the other one's input: after the commit, exactly once, in order.

One process at a time delivers (a lease), in the order of the rows, which for one sender is the order in which it spoke
(its row is locked while it decides). The row is deleted in the transaction that applies the input.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from sqlalchemy import text

from travelrule import logs
from travelrule.engine.envelope import model_of
from travelrule.engine.outcome import Outcome
from travelrule.engine.periodic_job import PeriodicJob
from travelrule.engine.vault import Vault
from travelrule.exchange.inputs import Input
from travelrule.exchange.sources import InternalSource, internal_input
from travelrule.store import bulk, tables
from travelrule.store.database import Database
from travelrule.store.leases import Leases

LEASE = "tells"
LEASE_SECONDS = 10.0
POLL_SECONDS = 0.5
CLAIM = 500

_NEXT = text(
    "SELECT t.id, t.from_subject, t.to_subject, t.type, t.sealed, t.traceparent, k.wrapped FROM tells t"
    " LEFT JOIN data_keys k ON k.vasp = t.vasp AND k.subject = t.from_subject"
    " WHERE t.vasp = :vasp ORDER BY t.number LIMIT :count"
)

log = logs.get("telling")


class Teller:
    """Delivers; ``submit`` is the intake's, ``wake`` is set by commits that left something to tell."""

    def __init__(
        self,
        database: Database,
        vasp: str,
        vault: Vault,
        leases: Leases,
        submit: Callable[[Input], Awaitable[Outcome]],
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
        """Deliver what is there now; gives the number of messages."""
        async with self._database.read() as connection:
            rows = (await connection.execute(_NEXT, {"vasp": self._vasp, "count": CLAIM})).all()
        # The intake keeps the order in which inputs are given to it, so giving them together is giving them in order.
        outcomes = await asyncio.gather(*(self._deliver(row) for row in rows))
        undeliverable = [row.id for row, outcome in zip(rows, outcomes, strict=True) if outcome.status == "rejected"]
        if undeliverable:
            # The receiver refused it for good (its data were erased, or the message makes no sense to it any more).
            log.warning("message-refused", count=len(undeliverable))
            async with self._database.begin() as connection:
                await bulk.delete(connection, tables.tells, [{"id": tell_id} for tell_id in undeliverable])
        return len(rows)

    async def _deliver(self, row: Any) -> Outcome:
        if row.wrapped is None:
            return Outcome("rejected", "ERASED")
        key = self._vault.unwrap(row.from_subject, bytes(row.wrapped))
        content = self._vault.open(key, "tell", row.from_subject, bytes(row.sealed))
        item = internal_input(
            InternalSource.SUBJECTS,
            row.id,
            row.type,
            row.to_subject,
            model_of(row.type).model_validate_json(content),
            at=datetime.now(UTC),
            salt=uuid4(),
            content=content,
            traceparent=row.traceparent,
        )
        return await self._submit(item)
