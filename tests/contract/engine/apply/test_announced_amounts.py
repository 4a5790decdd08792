"""Which open authorizations could mean a deposit, however many there are at its address."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing
from decimal import Decimal
from uuid import UUID, uuid5

import pytest
from sqlalchemy import update

from tests.support.events import ADDRESS, TAG
from tests.support.inbound_messages import authorization
from tests.support.installation import EngineInstallation
from travelrule.engine.queries.authorizations import AuthorizationReader
from travelrule.engine.vault import Vault
from travelrule.machine.sources import InternalSource, internal_input
from travelrule.store import tables
from travelrule.store.database import Database
from travelrule.store.search_rows import OPEN_AUTHORIZATIONS, SearchRepository

PLACE = f"{ADDRESS}:{TAG}"


class Beneficiary:
    """A VASP that was asked for many transfers to one address."""

    def __init__(self, north: EngineInstallation) -> None:
        self.north = north
        reads = SearchRepository(north.database, "north", north.vault.index.of, north.vault.unwrap, north.vault.open)
        self.authorizations = AuthorizationReader(north.database, "north", north.vault, reads)

    async def authorized(self, number: int, amount: str, currency: str = "XRP") -> str:
        """Answer one authorization with verified; its subject."""
        transfer_id = str(uuid5(UUID(int=1), str(number)))
        data = authorization(transfer_id=transfer_id, amount=amount, currency=currency)
        subject = f"exchange:north/{transfer_id}"
        item = internal_input(
            InternalSource.GATEWAY,
            f"authorization/{transfer_id}",
            "authorization.received",
            subject,
            data,
            at=self.north.clock(),
            salt=UUID(int=number),
        )
        self.north.clock.forward(1)
        outcome = await self.north.submit(item)
        assert outcome.reply is not None
        assert outcome.reply["result"] == "verified"
        return subject

    async def announcing(self, amount: str, currency: str = "XRP") -> list[str]:
        found = await self.authorizations.announcing(PLACE, currency, Decimal(amount))
        return [one.subject for one in found]


@pytest.fixture
async def beneficiary(database: Database, vault: Vault) -> AsyncIterator[Beneficiary]:
    north = EngineInstallation(database, vault, [])
    async with aclosing(north.hub), north.control:
        yield Beneficiary(north)


async def test_the_one_of_the_deposits_amount_is_found_behind_many_of_others(beneficiary: Beneficiary) -> None:
    wanted = await beneficiary.authorized(0, "250.50")
    for number in range(1, OPEN_AUTHORIZATIONS + 5):
        await beneficiary.authorized(number, f"{number}.5")
    for amount in ("250.5", "250.50", "250.500"):
        assert await beneficiary.announcing(amount) == [wanted]
    assert await beneficiary.announcing("250.5", "xrp") == [wanted]
    assert await beneficiary.announcing("250.5", "BTC") == []
    assert await beneficiary.announcing("250.51") == []


async def test_of_more_that_fit_the_newest_are_asked(beneficiary: Beneficiary) -> None:
    fitting = [await beneficiary.authorized(number, "7") for number in range(OPEN_AUTHORIZATIONS + 3)]
    assert await beneficiary.announcing("7.0") == list(reversed(fitting))[:OPEN_AUTHORIZATIONS]


async def test_what_an_earlier_build_stored_is_found_by_its_content(beneficiary: Beneficiary) -> None:
    """Its row has no amount: a deposit must still find it."""
    wanted = await beneficiary.authorized(0, "250.50")
    for number in range(1, OPEN_AUTHORIZATIONS + 5):
        await beneficiary.authorized(number, f"{number}.5")
    async with beneficiary.north.database.begin() as connection:
        await connection.execute(update(tables.exchanges).values(currency="", amount=None))
    newer = await beneficiary.authorized(99, "250.5")
    assert await beneficiary.announcing("250.5") == [newer, wanted]
