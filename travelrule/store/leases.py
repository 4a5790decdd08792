"""Leases of jobs that one process at a time runs (timers, directory refresh, audit log)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from sqlalchemy import bindparam, text

from travelrule import logs, metrics
from travelrule.store.database import Database
from travelrule.store.types import Instant

_TAKE = text(
    "INSERT INTO leases (vasp, name, owner, until) VALUES (:vasp, :name, :owner, :until)"
    " ON CONFLICT (vasp, name) DO UPDATE SET owner = excluded.owner, until = excluded.until"
    " WHERE leases.owner = excluded.owner OR leases.until < :now RETURNING owner"
).bindparams(bindparam("now", type_=Instant()), bindparam("until", type_=Instant()))

_HEARTBEAT = text(
    "INSERT INTO leases (vasp, name, owner, until) VALUES (:vasp, 'heartbeat', :owner, :until)"
    " ON CONFLICT (vasp, name) DO UPDATE SET owner = excluded.owner, until = excluded.until"
).bindparams(bindparam("until", type_=Instant()))

_HOLDER = text("SELECT owner FROM leases WHERE vasp = :vasp AND name = :name")

log = logs.get("leases")


class LeaseRepository:
    """The leases of one VASP. ``take`` is True for one owner at a time; taking a held lease renews it."""

    def __init__(self, database: Database, vasp: str, owner: str, clock: Callable[[], datetime]) -> None:
        self._database = database
        self._vasp = vasp
        self._owner = owner
        self._clock = clock
        self._ours: dict[str, datetime] = {}

    async def take(self, name: str, seconds: float) -> bool:
        """Take or renew the lease ``name`` for ``seconds``."""
        now = self._clock()
        parameters = {
            "vasp": self._vasp,
            "name": name,
            "owner": self._owner,
            "now": now,
            "until": now + timedelta(seconds=seconds),
        }
        ours = name in self._ours and now <= self._ours[name]
        previous = None if ours else await self._holder(name)
        # One statement in autocommit: the row is not locked for a round trip to this process.
        async with self._database.single() as connection:
            taken = (await connection.execute(_TAKE, parameters)).first() is not None
        if taken and previous not in (None, self._owner):
            log.info("lease-taken-over", lease=name, previous=previous)
        if taken:
            if name not in self._ours:
                metrics.LEASES_HELD.labels(lease=name).set_function(lambda: self._clock() <= self._ours[name])
            self._ours[name] = now + timedelta(seconds=seconds)
        return taken

    async def write_heartbeat(self) -> None:
        """Write the present time into a row that all processes share; it is never read."""
        row = {"vasp": self._vasp, "owner": self._owner, "until": self._clock()}
        async with self._database.single() as connection:
            await connection.execute(_HEARTBEAT, row)

    async def _holder(self, name: str) -> str | None:
        async with self._database.read() as connection:
            row = (await connection.execute(_HOLDER, {"vasp": self._vasp, "name": name})).first()
        return None if row is None else str(row.owner)
