"""The connection to the database: one transaction style for PostgreSQL and SQLite."""

from __future__ import annotations

import asyncio
import os
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiosqlite
import asyncpg
from sqlalchemy import event, make_url, text
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from travelrule.client_tls import ClientTls
from travelrule.environment import PREFIX
from travelrule.errors import ServiceUnavailable
from travelrule.settings import Settings
from travelrule.store import diagnosis
from travelrule.store.limits import SERVING, SessionLimits
from travelrule.store.measured_pool import MeasuredPool

TLS = f"{PREFIX}DATABASE_TLS_"

SERIALISATION_FAILURES = {"40001", "40P01", "55P03"}
"""Conflict, deadlock, and a lock that was not granted in time."""
SESSION_ENDED = {"25P03", "25P04"}
"""The server ended a transaction that paused or lasted too long."""
NOT_ADMITTED = {"25006", "42501"}
"""The database is read-only, or the user lacks a right: the operator must fix it; no message is the cause."""
UNIQUE_VIOLATION = "23505"
SQLITE_BUSY_TIMEOUT_SECONDS = 30
_OWNER_ONLY = 0o600
_DIALECT_ARGUMENTS = ("prepared_statement_cache_size", "prepared_statement_name_func", "async_fallback")
"""Parameters of the URL that SQLAlchemy takes for itself; the driver refuses them."""


class Database:
    """An async engine plus what differs between the two databases.

    ``begin()`` opens a transaction that takes the write lock at once on SQLite (``BEGIN IMMEDIATE``: SQLite has no row
    locks, and a transaction that starts as a reader could not upgrade), and READ COMMITTED on PostgreSQL, where the
    subject rows are locked by the statement itself. Parameters never reach error texts (``hide_parameters``).
    """

    def __init__(
        self, url: str, pool_size: int = 10, limits: SessionLimits = SERVING, tls: ClientTls | None = None
    ) -> None:
        parsed = make_url(url)
        self.url = parsed
        self.tls = tls or ClientTls(TLS, diagnosis.SETTING)
        self.is_postgresql = parsed.get_backend_name() == "postgresql"
        self._sqlite: list[aiosqlite.Connection] = []
        if self.is_postgresql:
            self.engine: AsyncEngine = create_async_engine(
                parsed,
                hide_parameters=True,
                poolclass=MeasuredPool,
                pool_size=pool_size,
                max_overflow=0,  # each extra connection costs a server process, and more CPU than many queries
                connect_args={**limits.connect_arguments(), **self._tls_arguments()},
            )
        else:
            if (file := sqlite_file(url)) is not None:
                _make_private_file(file)
            arguments: dict[str, Any] = {"timeout": SQLITE_BUSY_TIMEOUT_SECONDS, "async_creator_fn": self._open_sqlite}
            if hasattr(sqlite3, "LEGACY_TRANSACTION_CONTROL"):
                arguments["autocommit"] = sqlite3.LEGACY_TRANSACTION_CONTROL
            self.engine = create_async_engine(
                parsed,
                hide_parameters=True,
                poolclass=MeasuredPool,
                pool_size=pool_size,
                connect_args=arguments,
            )
            _make_sqlite_transactional(self.engine)
        # The same pool. A single query needs no BEGIN and no ROLLBACK, which saves two round trips.
        level = "AUTOCOMMIT" if self.is_postgresql else None
        self._reading = self.engine.execution_options(isolation_level=level) if level else self.engine

    @classmethod
    def of(cls, settings: Settings, limits: SessionLimits = SERVING) -> Database:
        """The database of the settings, not connected yet. Raise ``ConfigurationError`` for an unusable PEM file."""
        files = (
            settings.database_tls_ca_file,
            settings.database_tls_certificate_file,
            settings.database_tls_key_file,
        )
        return cls(settings.database_url, limits=limits, tls=ClientTls(TLS, diagnosis.SETTING, *files))

    def _tls_arguments(self) -> dict[str, Any]:
        return {"ssl": self.tls.context()} if self.tls.authority is not None else {}

    async def open_connection(self, limits: SessionLimits) -> asyncpg.Connection:
        """A connection of the driver beside the pool, with the parameters of the URL and the limits."""
        _, arguments = self.engine.dialect.create_connect_args(self.url)
        own = {name: value for name, value in arguments.items() if name not in _DIALECT_ARGUMENTS}
        return await asyncpg.connect(**{**own, **limits.connect_arguments(), **self._tls_arguments()})

    @asynccontextmanager
    async def begin(self) -> AsyncIterator[AsyncConnection]:
        """A write transaction; commits on leaving, rolls back on an exception."""
        async with self.engine.begin() as connection:
            yield connection

    @asynccontextmanager
    async def read(self) -> AsyncIterator[AsyncConnection]:
        """A connection for reading; nothing is committed."""
        async with self._reading.connect() as connection:
            if not self.is_postgresql:
                await connection.execution_options(travelrule_read_only=True)
            yield connection

    @asynccontextmanager
    async def single(self) -> AsyncIterator[AsyncConnection]:
        """A connection for one statement that changes something: a transaction by itself, in one round trip."""
        async with self._reading.connect() if self.is_postgresql else self.engine.begin() as connection:
            yield connection

    @asynccontextmanager
    async def snapshot(self) -> AsyncIterator[AsyncConnection]:
        """A connection for reading on which all queries see the database at one moment."""
        async with self.engine.connect() as connection:
            if self.is_postgresql:
                await connection.execution_options(isolation_level="REPEATABLE READ")
            else:
                await connection.execution_options(travelrule_read_only=True)
            yield connection

    def show_metrics(self) -> None:
        """Serve the state of the pool of this database under ``/metrics``."""
        if isinstance(self.engine.pool, MeasuredPool):
            self.engine.pool.show()

    async def check(self) -> None:
        """Raise ``ServiceUnavailable`` if the database does not answer."""
        try:
            async with self.read() as connection:
                await connection.execute(text("SELECT 1"))
        except Exception as error:
            if not is_infrastructure_failure(error):
                raise
            raise diagnosis.unavailable(error, self.url, self.tls) from error

    @asynccontextmanager
    async def explained(self) -> AsyncIterator[None]:
        """Raise ``ServiceUnavailable`` with setting and fix for failures of this database in the block. For work that
        runs once and is not repeated.
        """
        try:
            yield
        except (DBAPIError, PoolTimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
            if not is_infrastructure_failure(error):
                raise
            raise diagnosis.unavailable(error, self.url, self.tls) from error
        except OSError:
            await self.check()  # the failure may be that of a file or of another service
            raise

    async def dispose(self) -> None:
        """Close every connection."""
        await self.engine.dispose()
        # The pool does not wait for a connection whose user was cancelled, but its thread still posts to this loop.
        ended = [connection._thread for connection in self._sqlite if not connection._running]  # noqa: SLF001
        for thread in ended:
            await asyncio.to_thread(thread.join, SQLITE_BUSY_TIMEOUT_SECONDS)
        self._sqlite.clear()

    def _open_sqlite(self, *arguments: Any, **options: Any) -> aiosqlite.Connection:
        self._sqlite = [connection for connection in self._sqlite if connection._thread.is_alive()]  # noqa: SLF001
        connection = aiosqlite.connect(*arguments, **options)
        connection._thread.daemon = True  # noqa: SLF001  as SQLAlchemy does where it opens them itself
        self._sqlite.append(connection)
        return connection


def _make_private_file(path: Path) -> None:
    """Create the file, and make it readable by its owner alone; SQLite gives its other files the same mode."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, _OWNER_ONLY))
        for file in (path, *(path.with_name(path.name + suffix) for suffix in ("-wal", "-shm"))):
            if file.exists():
                file.chmod(_OWNER_ONLY)
    except OSError as error:
        fix = f"this user must be able to write its folder: correct TRAVELRULE_DATA_DIR or {diagnosis.SETTING}"
        raise ServiceUnavailable(diagnosis.SERVICE, fix, "file cannot be made", str(path)) from error


def sqlite_file(url: str) -> Path | None:
    """The file of an embedded database; None for a server, and for a database in memory."""
    parsed = make_url(url)
    name = parsed.database if parsed.get_backend_name() == "sqlite" else None
    return Path(name) if name and not name.startswith((":memory:", "file:")) else None


def _make_sqlite_transactional(engine: AsyncEngine) -> None:
    """WAL and ``BEGIN IMMEDIATE``, as the SQLAlchemy documentation prescribes for pysqlite."""

    @event.listens_for(engine.sync_engine, "connect")
    def on_connect(connection: Any, _record: Any) -> None:
        connection.isolation_level = None
        cursor = connection.cursor()
        cursor.execute("PRAGMA journal_mode=WAL")
        cursor.execute("PRAGMA synchronous=FULL")
        cursor.execute(f"PRAGMA busy_timeout={SQLITE_BUSY_TIMEOUT_SECONDS * 1000}")
        cursor.close()

    @event.listens_for(engine.sync_engine, "begin")
    def on_begin(connection: Any) -> None:
        read_only = connection.get_execution_options().get("travelrule_read_only", False)
        connection.exec_driver_sql("BEGIN" if read_only else "BEGIN IMMEDIATE")


def is_serialisation_failure(error: BaseException) -> bool:
    """True if the same transaction may succeed when repeated: 40001, 40P01, 55P03, or SQLite's lock time-out."""
    if not isinstance(error, DBAPIError):
        return False
    code = getattr(error.orig, "sqlstate", None) or getattr(error.orig, "pgcode", None)
    if code in SERIALISATION_FAILURES:
        return True
    return "database is locked" in str(error.orig)


def is_lost_race(error: BaseException) -> bool:
    """True if a row with the same key was inserted meanwhile (PostgreSQL 23505): a repeat will find it."""
    return isinstance(error, DBAPIError) and getattr(error.orig, "sqlstate", None) == UNIQUE_VIOLATION


def is_infrastructure_failure(error: BaseException) -> bool:
    """True if the database failed, not the content of the batch: the same work may succeed later. A transaction that
    lost a conflict counts too, so a loop continues after one.
    """
    if isinstance(error, PoolTimeoutError):
        return True  # every connection is in use, because the database stalls
    if isinstance(error, DBAPIError):
        if error.connection_invalidated or isinstance(error, InterfaceError):
            return True
        code = str(getattr(error.orig, "sqlstate", None) or "")
        if code:
            # 08 connection, 28 login, 3D no such database, 40 conflict, 53 resources, 57 operator intervention
            # (shutdown), 58 system error.
            ours = code in SERIALISATION_FAILURES | SESSION_ENDED | NOT_ADMITTED
            return ours or code[:2] in {"08", "28", "3D", "40", "53", "57", "58"}
        # Exactly this class means that the file is not a database, or is damaged.
        return isinstance(error, OperationalError) or type(error.orig) is sqlite3.DatabaseError
    return isinstance(error, OSError | TimeoutError | asyncpg.PostgresError | asyncpg.InterfaceError)
