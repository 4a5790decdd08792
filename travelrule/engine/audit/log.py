"""The audit log: new chain heads are appended to a Merkle log, and its signed root is also published to Kafka.

The chain of a subject proves that no record was changed or removed from its middle. The log proves that no subject was
removed entirely: a published root does not fit a shorter history.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from datetime import datetime
from uuid import uuid5

import orjson
from sqlalchemy import select, text
from sqlalchemy.ext.asyncio import AsyncConnection

from schemas.events.cloudevents import write_event
from schemas.moments import time_text
from travelrule.crypto.audit_chain import sign_root
from travelrule.crypto.merkle import Frontier
from travelrule.crypto.signing import SigningKey
from travelrule.engine.periodic_job import PeriodicJob
from travelrule.engine.stable_ids import EVENT_NAMESPACE
from travelrule.store import bulk, tables
from travelrule.store.database import Database
from travelrule.store.leases import LeaseRepository

LEASE = "audit-log"
LEASE_SECONDS = 60.0
INTERVAL_SECONDS = 10.0
LEAVES_PER_ROOT = 5000
HEADERS = orjson.dumps([["content-type", base64.b64encode(b"application/cloudevents+json").decode()]]).decode()

_UNLOGGED = text(
    "SELECT subject, records, head FROM subjects WHERE vasp = :vasp AND records > logged_records"
    " ORDER BY subject LIMIT :count"
)

_LOCK = text("SELECT pg_advisory_xact_lock(hashtext(:name))")


class AuditLogJob:
    """Appends heads at intervals and signs the root; one process at a time holds the lease."""

    def __init__(
        self, database: Database, vasp: str, key: SigningKey, leases: LeaseRepository, clock: Callable[[], datetime]
    ) -> None:
        self._database = database
        self._vasp = vasp
        self._key = key
        self._leases = leases
        self._clock = clock

    async def run(self, database_failed: Callable[[BaseException], bool]) -> None:
        """Append until cancelled."""
        await PeriodicJob(
            "audit-log",
            self._step,
            interval=INTERVAL_SECONDS,
            failed=database_failed,
            lease=lambda: self._leases.take(LEASE, LEASE_SECONDS),
        ).run()

    async def _step(self) -> bool:
        return await self.round() >= LEAVES_PER_ROOT

    async def round(self) -> int:
        """Append new heads and sign the new root. Return the number of leaves appended."""
        now = self._clock()
        async with self._database.begin() as connection:
            if self._database.is_postgresql:
                # The lease may expire during a slow round. SQLite has one writer at a time anyway.
                await connection.execute(_LOCK, {"name": f"audit-log/{self._vasp}"})
            rows = (await connection.execute(_UNLOGGED, {"vasp": self._vasp, "count": LEAVES_PER_ROOT})).all()
            if not rows:
                return 0
            frontier = await self._frontier(connection)
            leaves = [leaf(row.subject, row.records, bytes(row.head)) for row in rows]
            entries = [
                {
                    "vasp": self._vasp,
                    "leaf": frontier.size + number,
                    "subject": row.subject,
                    "record": row.records,
                    "head": bytes(row.head),
                }
                for number, row in enumerate(rows)
            ]
            await bulk.insert(connection, tables.audit_log, entries)
            await bulk.update(
                connection,
                tables.subjects,
                [{"vasp": self._vasp, "subject": row.subject, "logged_records": row.records} for row in rows],
            )
            await self._sign(connection, frontier.appended(leaves), now)
        return len(rows)

    async def _frontier(self, connection: AsyncConnection) -> Frontier:
        table = tables.audit_roots
        query = select(table).where(table.c.vasp == self._vasp).order_by(table.c.size.desc()).limit(1)
        row = (await connection.execute(query)).first()
        if row is None:
            return Frontier()
        return Frontier(row.size, tuple(bytes.fromhex(peak) for peak in orjson.loads(row.frontier)))

    async def _sign(self, connection: AsyncConnection, frontier: Frontier, now: datetime) -> None:
        root = frontier.root()
        signature = sign_root(self._key, frontier.size, root, now)
        row = {
            "vasp": self._vasp,
            "size": frontier.size,
            "frontier": orjson.dumps([peak.hex() for peak in frontier.peaks]).decode(),
            "root": root,
            "signature": signature,
            "at": now,
        }
        await bulk.insert(connection, tables.audit_roots, [row])
        data = {
            "vasp": self._vasp,
            "size": frontier.size,
            "root": root.hex(),
            "at": time_text(now),
            "signature": signature,
        }
        data["publicKey"] = self._key.public_base64
        value = write_event(
            type="audit.root.v1",
            source=f"/travelrule/{self._vasp}",
            id=str(uuid5(EVENT_NAMESPACE, f"{self._vasp}/audit/{frontier.size}")),
            subject=self._vasp,
            time=now,
            data={**data, "sequence": frontier.size},
            traceparent=None,
        )
        event = {
            "vasp": self._vasp,
            "topic": "audit",
            "key": self._vasp,
            "record_key": self._vasp.encode(),
            "subject": f"audit:{self._vasp}",
            "type": "audit.root.v1",
            "sequence": frontier.size,
            "value": value,
            "headers": HEADERS,
            "created_at": now,
        }
        await bulk.insert(connection, tables.outbox, [event])


def leaf(subject: str, record: int, head: bytes) -> bytes:
    """One leaf of the log: the head of a subject's chain after a number of records."""
    return b"\x1f".join((subject.encode(), str(record).encode(), head))
