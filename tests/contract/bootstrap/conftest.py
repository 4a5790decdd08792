"""Both databases with the tables of this version, and one whose tables are those of an earlier one."""

from __future__ import annotations

from tests.support.database_fixtures import database_url

__all__ = ["database_url"]
