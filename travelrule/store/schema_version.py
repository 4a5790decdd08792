"""The revision of the tables, and the upgrade to the newest one (``travelrule migrate``)."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text

from travelrule.store.database import Database
from travelrule.store.limits import MIGRATING

MIGRATIONS = Path(__file__).parent / "migrations"
ADVISORY_LOCK = 7_236_150_021
TURN_SECONDS = 600
"""How long a process waits for another one's migration."""


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.set_main_option("path_separator", "os")
    return config


def newest_revision() -> str:
    """The revision that this release needs."""
    return ScriptDirectory.from_config(_config()).get_current_head() or ""


async def stored_revision(database: Database) -> str:
    """The revision that the database has; empty if it has none."""

    def read(connection: Connection) -> str:
        return MigrationContext.configure(connection).get_current_revision() or ""

    async with database.read() as connection:
        return await connection.run_sync(read)


async def upgrade(database: Database) -> str:
    """Run the missing migrations in one transaction, one process at a time. Return the revision reached."""

    def run(connection: Connection) -> None:
        config = _config()
        config.attributes["connection"] = connection
        command.upgrade(config, "head")

    async with database.begin() as connection:
        if database.is_postgresql:
            await connection.execute(text(f"SET LOCAL lock_timeout = '{TURN_SECONDS}s'"))
            await connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": ADVISORY_LOCK})
            # A waiting ALTER TABLE blocks every later statement on that table.
            await connection.execute(text(f"SET LOCAL lock_timeout = '{MIGRATING.lock_s:.0f}s'"))
        await connection.run_sync(run)
    return newest_revision()
