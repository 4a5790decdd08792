"""Databases for tests, empty or with the tables of this version; migrated once per run and then copied."""

from __future__ import annotations

import asyncio
import hashlib
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.services import GivenPostgres, PostgresServer
from tests.services.run import run_directory
from travelrule.store import schema_version
from travelrule.store.database import Database

Postgres = PostgresServer | GivenPostgres


def version() -> str:
    """A name that changes with any migration, so that no copy is older than the code."""
    digest = hashlib.sha256()
    for path in sorted((schema_version.MIGRATIONS / "versions").glob("*.py")):
        digest.update(path.read_bytes())
    return f"migrated_{digest.hexdigest()[:12]}"


def migrated(url: str) -> None:
    """Make the tables, whether or not a loop runs in this thread."""

    async def upgrade() -> None:
        database = Database(url)
        await schema_version.upgrade(database)
        await database.dispose()

    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, upgrade()).result()


def sqlite_url(folder: Path) -> str:
    """A file with tables in ``folder``, copied from one that is made once per run."""
    template = run_directory() / f"{version()}.sqlite3"
    if not template.exists():
        draft = folder / "draft.sqlite3"
        migrated(f"sqlite+aiosqlite:///{draft}")
        shutil.copyfile(draft, folder / "template.sqlite3")
        (folder / "template.sqlite3").replace(template)
    shutil.copyfile(template, folder / "store.sqlite3")
    return f"sqlite+aiosqlite:///{folder / 'store.sqlite3'}"


@contextmanager
def postgresql_url(postgres: Postgres) -> Iterator[str]:
    """A database with tables, dropped afterwards."""
    name = postgres.create_database(postgres.template(version(), migrated))
    try:
        yield postgres.dsn(name)
    finally:
        postgres.drop_database(name)


def url_of(kind: str, request: Any, folder: Path) -> Iterator[str]:
    """What a fixture yields: the URL of a database with tables."""
    if kind == "sqlite":
        yield sqlite_url(folder)
        return
    with postgresql_url(request.getfixturevalue("postgres")) as url:
        yield url
