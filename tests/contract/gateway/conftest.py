"""A gateway on both databases."""

from __future__ import annotations

import pytest

from tests.support.database_fixtures import database, database_url
from tests.support.gateway_installation import GatewayInstallation
from travelrule.store.database import Database

__all__ = ["database", "database_url"]


@pytest.fixture
async def installation(database: Database) -> GatewayInstallation:
    one = GatewayInstallation(database)
    await one.list_north()
    return one
