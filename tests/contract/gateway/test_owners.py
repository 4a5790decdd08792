"""M1 and M2 answer by the last screening of the owner: no names are searched while the hub waits."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import pytest

from tests.support.gateway_installation import BTC, GatewayInstallation, event, sealed
from travelrule.engine.lists.active_lists import ActiveLists, ScreeningResult
from travelrule.engine.lists.owner_screening import OwnerScreeningJob
from travelrule.gateway.screening import ListScreen
from travelrule.messages.assessment import Party
from travelrule.screening.lists.list_content import pack
from travelrule.screening.lists.list_entries import ListAddress, ListEntry, ListName
from travelrule.store.leases import LeaseRepository
from travelrule.store.list_versions import ListRepository, ListVersion
from travelrule.store.owner_screenings import OwnerScreeningRepository

VERIFY, TRANSFER = "/v1/beneficiary/VerifyAddress", "/v1/beneficiary/transfer"
REQUIRED = {"sanctions": "required"}


class Watched(ActiveLists):
    """The lists, with what they were asked."""

    asked: list[Sequence[Party]]

    async def screen(
        self, parties: Sequence[Party], addresses: Sequence[str], *, threshold: Decimal
    ) -> ScreeningResult:
        self.asked.append(parties)
        return await super().screen(parties, addresses, threshold=threshold)


class Owned:
    """An installation with lists and a screening of owners."""

    def __init__(self, installation: GatewayInstallation) -> None:
        async def nobody(*_: Any) -> None:
            return None

        self.installation = installation
        installation.rules = installation.rules.model_copy(update=REQUIRED)
        self.lists = ListRepository(installation.database, "south")
        self.active = Watched(self.lists, nobody, lambda: installation.now)
        self.active.asked = []
        self.screening = OwnerScreeningJob(
            OwnerScreeningRepository(
                installation.database, "south", installation.vault.unwrap, installation.vault.open
            ),
            self.active,
            LeaseRepository(installation.database, "south", "p1", lambda: installation.now),
            lambda: installation.rules,
            installation.submit,
            asyncio.Event(),
            lambda: installation.now,
        )
        installation.screen = ListScreen(self.active, lambda: installation.rules)

    async def put(self, *names: str, address: str = "") -> None:
        entries = [
            ListEntry("un", str(number), "person", (ListName(name, "primary"),)) for number, name in enumerate(names)
        ]
        if address:
            entries.append(ListEntry("un", "99", "other", (), addresses=(ListAddress("XBT", address),)))
        version, content = pack(entries)
        row = ListVersion("un", version, "own-csv", len(entries), len(entries), 0, "{}", None, self.installation.now)
        await self.lists.activate(row, content)
        await self.active.round()

    async def register(self, last: str = "Lind", first: str = "Erik") -> None:
        data = {
            "walletId": "w-1",
            "address": BTC,
            "currencies": ["BTC"],
            "customerId": "c-1",
            "kyc": True,
            "owner": {"natural": {"lastName": last, "firstName": first}},
        }
        assert (await self.installation.submit(event("wallet.registered.v1", data, "wallet:w-1"))).status == "applied"

    async def verify(self) -> tuple[str, str]:
        """M1's result and reason."""
        self.active.asked.clear()
        inner = {"Beneficiary": {"accountNumber": [BTC]}}
        async with self.installation.gateway() as client:
            answer = await client.post(VERIFY, json={"currency": "BTC", "payload": sealed(inner)})
        assert self.active.asked in ([], [()]), "no name was searched"
        return answer.json()["result"], answer.json()["reasonType"]

    async def authorize(self, transfer_id: str) -> tuple[str, str]:
        """M2's result and reason."""
        person = {"primaryIdentifier": "Berg", "secondaryIdentifier": "Anna", "nameIdentifierType": "LEGL"}
        legal = {"nameIdentifier": [{"legalPersonName": "North Ltd.", "legalPersonNameIdentifierType": "LEGL"}]}
        inner = {
            "Originator": {
                "originatorPersons": [{"naturalPerson": {"name": {"nameIdentifier": [person]}}}],
                "accountNumber": ["rEb8TK3gBgk5auZkwc6sHnwrGVJH8DuaLh"],
            },
            "OriginatingVASP": {"originatingVASP": {"legalPerson": {"name": legal, "countryOfRegistration": "KR"}}},
            "Beneficiary": {"accountNumber": [BTC]},
        }
        body = {
            "transferId": transfer_id,
            "currency": "BTC",
            "amount": "1",
            "tradePrice": "10",
            "tradeCurrency": "USD",
            "isExceedingThreshold": "false",
            "payload": sealed(inner),
        }
        async with self.installation.gateway() as client:
            answer = await client.post(TRANSFER, json=body)
        assert answer.status_code == 200, answer.text
        return answer.json()["result"], answer.json()["reasonType"]


@pytest.fixture
def owned(installation: GatewayInstallation) -> Owned:
    return Owned(installation)


async def test_an_owner_is_answered_for_once_he_was_screened(owned: Owned) -> None:
    await owned.put("Ivan Przyklad")
    await owned.register()
    assert await owned.verify() == ("invalid", "UNKNOWN")
    assert await owned.authorize("t-1") == ("denied", "UNKNOWN")
    await owned.screening.round()
    assert await owned.verify() == ("valid", "")
    assert await owned.authorize("t-2") == ("verified", "")


async def test_a_listed_owner_changes_the_answers_and_another_list_changes_them_back(owned: Owned) -> None:
    await owned.put("Ivan Przyklad")
    await owned.register()
    await owned.screening.round()
    await owned.put("Ivan Przyklad", "Erik Lind")
    assert await owned.verify() == ("valid", ""), "not screened with the new list yet: what was found before counts"
    await owned.screening.round()
    assert await owned.verify() == ("invalid", "SANCTION_LIST")
    assert await owned.authorize("t-1") == ("denied", "SANCTION_LIST")
    await owned.put("Ivan Przyklad")
    await owned.screening.round()
    assert await owned.verify() == ("valid", "")


async def test_another_owner_is_not_known_whatever_the_one_before_was(owned: Owned) -> None:
    await owned.put("Ivan Przyklad")
    await owned.register("Przyklad", "Ivan")
    await owned.screening.round()
    assert await owned.verify() == ("invalid", "SANCTION_LIST")
    await owned.register("Lind", "Erik")
    assert await owned.verify() == ("invalid", "UNKNOWN")
    await owned.screening.round()
    assert await owned.verify() == ("valid", "")


async def test_a_listed_address_is_refused_though_its_owner_is_clean_or_not_known(owned: Owned) -> None:
    await owned.put("Ivan Przyklad", address=BTC)
    await owned.register()
    assert await owned.verify() == ("invalid", "SANCTION_LIST")
    await owned.screening.round()
    assert await owned.verify() == ("invalid", "SANCTION_LIST")
