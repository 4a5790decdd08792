"""What ``travelrule migrate`` makes: the tables of the code, once, in any process and at any number of runs."""

from __future__ import annotations

import asyncio
import sys
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Connection, Inspector, inspect, text

from tests.services.process import ROOT
from travelrule.store import schema_version, tables
from travelrule.store.database import Database
from travelrule.store.types import Amount, Instant

UPGRADE = """
import asyncio, sys
from travelrule.store import schema_version
from travelrule.store.database import Database

async def main():
    database = Database(sys.argv[1])
    print(await schema_version.upgrade(database))
    await database.dispose()

asyncio.run(main())
"""


def differences(connection: Connection) -> list[Any]:
    def same_type(_context: Any, _column: Any, _known: Any, found: Any, wanted: Any) -> bool | None:
        # Our two own types are text in SQLite, which autogenerate takes for a change.
        sqlite = connection.dialect.name == "sqlite"
        if isinstance(wanted, Amount | Instant) and sqlite:
            return str(found) != "TEXT"
        return None

    context = MigrationContext.configure(
        connection, opts={"compare_type": same_type, "compare_server_default": connection.dialect.name != "sqlite"}
    )
    return list(compare_metadata(context, tables.metadata))


def indexes(connection: Connection) -> dict[str, tuple[tuple[str, ...], str]]:
    """Columns and condition of every index: autogenerate does not look at conditions."""
    inspector: Inspector = inspect(connection)
    found = {}
    for table in tables.metadata.tables:
        for index in inspector.get_indexes(table):
            options = index.get("dialect_options", {})
            condition = next((str(text) for name, text in options.items() if name.endswith("_where")), "")
            names = tuple(str(name) for name in index["column_names"])
            found[str(index["name"])] = (names, " ".join(condition.replace("(", "").replace(")", "").split()))
    return found


def wanted_indexes(dialect: str) -> dict[str, tuple[tuple[str, ...], str]]:
    found = {}
    for table in tables.metadata.sorted_tables:
        for index in table.indexes:
            condition = index.dialect_options[dialect]["where"]
            text = "" if condition is None else str(condition)
            found[str(index.name)] = (tuple(column.name for column in index.columns), text)
    return found


@pytest.fixture
async def fresh(empty_url: str) -> Any:
    database = Database(empty_url)
    yield database
    await database.dispose()


async def test_a_fresh_database_is_brought_to_the_newest_form(fresh: Database) -> None:
    assert await schema_version.stored_revision(fresh) == ""
    assert await schema_version.upgrade(fresh) == schema_version.newest_revision() != ""
    assert await schema_version.stored_revision(fresh) == schema_version.newest_revision()


async def test_metadata_is_what_the_migrations_make(fresh: Database) -> None:
    await schema_version.upgrade(fresh)
    async with fresh.read() as connection:
        assert await connection.run_sync(differences) == []
        assert await connection.run_sync(indexes) == wanted_indexes(connection.dialect.name)


async def test_again_changes_nothing_and_loses_nothing(fresh: Database) -> None:
    await schema_version.upgrade(fresh)
    async with fresh.begin() as connection:
        await connection.execute(tables.nonces.insert(), [{"origin": "code:north", "next": 7}])
    assert await schema_version.upgrade(fresh) == schema_version.newest_revision()
    async with fresh.read() as connection:
        assert (await connection.execute(tables.nonces.select())).all() == [("code:north", 7)]


async def test_several_processes_at_once(empty_url: str) -> None:
    """Every replica of a deployment may run ``migrate`` at its start."""
    processes = [
        await asyncio.create_subprocess_exec(
            sys.executable,
            "-c",
            UPGRADE,
            empty_url,
            cwd=ROOT,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        for _ in range(3)
    ]
    results = await asyncio.gather(*(process.communicate() for process in processes))
    assert [process.returncode for process in processes] == [0, 0, 0], [error.decode() for _, error in results]
    assert {output.decode().strip() for output, _ in results} == {schema_version.newest_revision()}
    database = Database(empty_url)
    async with database.read() as connection:
        assert await connection.run_sync(differences) == []
    await database.dispose()


async def test_several_tasks_of_one_process_at_once(fresh: Database) -> None:
    assert set(await asyncio.gather(*(schema_version.upgrade(fresh) for _ in range(3)))) == {
        schema_version.newest_revision()
    }


async def test_a_broken_migration_leaves_the_database_as_it_was(fresh: Database, monkeypatch: Any) -> None:
    """All or nothing: a half-made schema would need a person."""

    def broken(config: Any, _revision: str) -> None:
        connection = config.attributes["connection"]
        tables.nonces.create(connection)
        raise RuntimeError("planted")

    monkeypatch.setattr(schema_version.command, "upgrade", broken)
    with pytest.raises(RuntimeError, match="planted"):
        await schema_version.upgrade(fresh)
    monkeypatch.undo()
    async with fresh.read() as connection:
        assert await connection.run_sync(lambda sync: inspect(sync).get_table_names()) == []
    assert await schema_version.upgrade(fresh) == schema_version.newest_revision()


async def test_wallets_of_before_count_as_never_screened(fresh: Database) -> None:
    """0005 meets wallets that were registered while nobody screened their owners."""

    def up_to_the_one_before(connection: Connection) -> None:
        config = schema_version._config()
        config.attributes["connection"] = connection
        schema_version.command.upgrade(config, "0004")

    binary = "'\\x01'::bytea" if fresh.is_postgresql else "x'01'"
    async with fresh.begin() as connection:
        await connection.run_sync(up_to_the_one_before)
        await connection.execute(
            text(
                "INSERT INTO wallets (vasp, wallet_id, subject, address_index, customer_index, currencies, networks,"
                f" kyc, sealed, created_at) VALUES ('north', 'w-1', 'wallet:w-1', {binary}, {binary}, '[]', '[]', true,"
                f" {binary}, '2026-11-20T09:00:00+00:00')"
            )
        )
    assert await schema_version.upgrade(fresh) == schema_version.newest_revision()
    async with fresh.read() as connection:
        (row,) = (await connection.execute(tables.wallets.select())).all()
    assert (row.wallet_id, row.revision, row.screened_lists, row.sanctioned) == ("w-1", 0, "", None)
