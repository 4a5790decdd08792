"""When the VASP list was fetched, tried and demanded: one row for all processes of an installation."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import orjson
from sqlalchemy import bindparam, select, text
from sqlalchemy.ext.asyncio import AsyncConnection

from travelrule.store import tables
from travelrule.store.database import Database
from travelrule.store.types import Instant

_INSERT = text(
    "INSERT INTO directory_fetches (vasp, tried, failures, version) VALUES (:vasp, '[]', 0, 0)"
    " ON CONFLICT (vasp) DO NOTHING"
)
_WANT = text("UPDATE directory_fetches SET wanted_at = :at WHERE vasp = :vasp").bindparams(
    bindparam("at", type_=Instant())
)
# The old value is compared, so that only one of two processes starts a fetch.
_BEGIN = text("UPDATE directory_fetches SET tried = :tried WHERE vasp = :vasp AND tried = :seen RETURNING vasp")
_FAILED = text("UPDATE directory_fetches SET failures = :failures, not_before = :until WHERE vasp = :vasp").bindparams(
    bindparam("until", type_=Instant())
)
_STORED = text(
    "UPDATE directory_fetches SET fetched_at = :at, failures = 0, not_before = NULL, version = version + 1"
    " WHERE vasp = :vasp AND (fetched_at IS NULL OR fetched_at <= :at) RETURNING vasp"
).bindparams(bindparam("at", type_=Instant()))
_NETWORKS = text("UPDATE directory_fetches SET networks_due_at = :at WHERE vasp = :vasp").bindparams(
    bindparam("at", type_=Instant())
)
_CHANGED = text("UPDATE directory_fetches SET version = version + 1 WHERE vasp = :vasp")


@dataclass(frozen=True, slots=True)
class FetchState:
    """The state of the fetches.

    ``tried``: start times that the schedule still needs, newest last. ``fetched_at``: the start of the fetch whose list
    is stored. ``wanted_at``: the newest demand. ``failures``: consecutive failed fetches; none starts before
    ``not_before``. ``version`` grows with each change of the stored directory.
    """

    tried: tuple[datetime, ...] = ()
    fetched_at: datetime | None = None
    networks_due_at: datetime | None = None
    wanted_at: datetime | None = None
    failures: int = 0
    not_before: datetime | None = None
    version: int = 0


class DirectoryFetchRepository:
    """Reads and changes the row of one VASP."""

    def __init__(self, database: Database, vasp: str) -> None:
        self._database = database
        self._vasp = vasp

    async def read(self) -> FetchState:
        """The stored state; empty in a new installation."""
        table = tables.directory_fetches
        async with self._database.read() as connection:
            row = (await connection.execute(select(table).where(table.c.vasp == self._vasp))).first()
        if row is None:
            return FetchState()
        return FetchState(
            tuple(datetime.fromisoformat(at) for at in orjson.loads(row.tried)),
            row.fetched_at,
            row.networks_due_at,
            row.wanted_at,
            row.failures,
            row.not_before,
            row.version,
        )

    async def want(self, now: datetime) -> None:
        """Demand a list that is fetched after ``now``."""
        async with self._database.begin() as connection:
            await connection.execute(_INSERT, {"vasp": self._vasp})
            await connection.execute(_WANT, {"vasp": self._vasp, "at": now})

    async def begin(self, seen: FetchState, tried: tuple[datetime, ...]) -> bool:
        """Start the fetch that ``tried`` ends with. Return False if another process started one since ``seen``."""
        parameters = {"vasp": self._vasp, "tried": _written(tried), "seen": _written(seen.tried)}
        async with self._database.begin() as connection:
            await connection.execute(_INSERT, {"vasp": self._vasp})
            return (await connection.execute(_BEGIN, parameters)).first() is not None

    async def failed(self, failures: int, until: datetime) -> None:
        """Record a failed fetch; none starts before ``until``."""
        async with self._database.single() as connection:
            await connection.execute(_FAILED, {"vasp": self._vasp, "failures": failures, "until": until})

    async def networks_due(self, at: datetime) -> None:
        """Make the coin networks due at ``at``."""
        async with self._database.single() as connection:
            await connection.execute(_NETWORKS, {"vasp": self._vasp, "at": at})

    async def stored(self, connection: AsyncConnection, at: datetime) -> bool:
        """Record the list that this transaction stores, fetched at ``at``. Return False if a newer one is stored."""
        await connection.execute(_INSERT, {"vasp": self._vasp})
        return (await connection.execute(_STORED, {"vasp": self._vasp, "at": at})).first() is not None

    async def changed(self, connection: AsyncConnection) -> None:
        """Record a change of keys or networks, in the transaction that stores them."""
        await connection.execute(_INSERT, {"vasp": self._vasp})
        await connection.execute(_CHANGED, {"vasp": self._vasp})


def _written(instants: tuple[datetime, ...]) -> str:
    return orjson.dumps([at.isoformat() for at in instants]).decode()
