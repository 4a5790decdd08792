"""Both databases behind the same tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.database_fixtures import database, database_url

__all__ = ["database", "database_url"]

BOTH = ["sqlite", pytest.param("postgresql", marks=pytest.mark.services)]


@pytest.fixture(params=BOTH)
def empty_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A database without any table."""
    if request.param == "sqlite":
        return f"sqlite+aiosqlite:///{tmp_path / 'empty.sqlite3'}"
    return str(request.getfixturevalue("pg_database"))
