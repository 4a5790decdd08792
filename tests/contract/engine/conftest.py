"""Both databases behind the same tests, and a machine small enough to see through."""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator
from contextlib import aclosing

import pytest

from tests.contract.engine.recorded_history import Record
from tests.support.database_fixtures import database, database_url
from tests.support.installation import EngineInstallation, robot
from tests.support.toy_machine import TOY, dead_letter_headers
from travelrule.crypto.at_rest import KeyEncryptionKeys
from travelrule.crypto.blind_index import BlindIndex
from travelrule.engine.apply.engine import Engine
from travelrule.engine.vault import Vault
from travelrule.policy.policy import Policy
from travelrule.store.database import Database

__all__ = ["database", "database_url"]


@pytest.fixture
def vault() -> Vault:
    return Vault("north", KeyEncryptionKeys([base64.b64encode(b"k" * 32).decode()]), BlindIndex(b"i" * 32))


@pytest.fixture
def engine(database: Database, vault: Vault) -> Engine:
    return Engine("north", database, {"withdrawal": TOY}, vault, Policy.default, dead_letter_headers)


@pytest.fixture
async def record(database: Database, vault: Vault) -> AsyncIterator[Record]:
    north = EngineInstallation(database, vault, [robot(), robot("west", b"w", health="down")])
    async with aclosing(north.hub), north.control:
        made = Record(north)
        await made.make()
        yield made
