"""Both databases behind the same tests, and a machine small enough to see through."""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from pathlib import Path

import pytest

from tests.contract.engine.recorded_history import Record
from tests.contract.store.databases import url_of
from tests.support.installation import EngineInstallation, robot
from tests.support.toy_machine import TOY, dead_letter_headers
from travelrule.crypto.at_rest import KeyEncryptionKeys
from travelrule.crypto.blind_index import BlindIndex
from travelrule.engine.apply.engine import Engine
from travelrule.engine.vault import Vault
from travelrule.policy.policy import Policy
from travelrule.store.database import Database


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.services)])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    yield from url_of(request.param, request, tmp_path)


@pytest.fixture
async def database(database_url: str) -> AsyncIterator[Database]:
    opened = Database(database_url)
    yield opened
    await opened.dispose()


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
