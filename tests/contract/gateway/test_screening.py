"""M1 and M2 ask the sanctions lists in force: addresses in any spelling, whom they name, and never for too long."""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import uuid4

import pytest

from tests.contract.engine.lists.test_active import entry
from tests.support.gateway_installation import NOW, XRP, GatewayInstallation, event, sealed
from travelrule.engine.lists.active_lists import ActiveLists, ScreeningResult
from travelrule.gateway.screening import ListScreen
from travelrule.machine.effects import Alert
from travelrule.machine.input import Input
from travelrule.messages.owner import OwnerScreened
from travelrule.policy.policy import Policy
from travelrule.screening.lists.list_content import pack
from travelrule.screening.lists.list_entries import ListEntry
from travelrule.store.list_versions import ListRepository, ListVersion

EVM = "0x8589427373D6D84E98730D7795D8f6f8731FDA16"
AUTHORIZATION: dict[str, Any] = {
    "currency": "ETH",
    "amount": "0.50",
    "historicalCost": "",
    "tradePrice": "42708",
    "tradeCurrency": "USD",
    "isExceedingThreshold": "true",
}


def person(last: str, first: str) -> dict[str, Any]:
    identifier = {"primaryIdentifier": last, "secondaryIdentifier": first, "nameIdentifierType": "LEGL"}
    return {"naturalPerson": {"name": {"nameIdentifier": [identifier]}}}


class Place:
    """South with a wallet of Erik Lind, rules that require lists, and those that a test puts in force."""

    def __init__(self, installation: GatewayInstallation) -> None:
        self.installation = installation
        self.store = ListRepository(installation.database, "south")
        self.lists = ActiveLists(self.store, self.alert, lambda: NOW)
        installation.rules = Policy(sanctions="required").with_own(installation.rules.own)
        installation.screen = ListScreen(self.lists, lambda: installation.rules)
        self.numbers = iter(range(100))

    async def alert(self, subject: str, alert: Alert) -> None:
        raise AssertionError(subject, alert)

    async def register(self) -> None:
        wallet = {
            "walletId": "w-1",
            "address": EVM,
            "currencies": ["ETH"],
            "customerId": "c-1",
            "kyc": True,
            "owner": {"natural": {"lastName": "Lind", "firstName": "Erik"}},
        }
        assert (await self.installation.submit(event("wallet.registered.v1", wallet, "wallet:w-1"))).status == "applied"
        # The owner was screened before: what is asked here is what a request brings with it.
        data = OwnerScreened(revision=0, owner="00", lists="before")
        content = data.model_dump_json(by_alias=True).encode()
        found = Input("/lists", "wallet:w-1/0", "owner.screened", "wallet:w-1", NOW, data, content, uuid4())
        assert (await self.installation.submit(found)).status == "applied"

    async def put(self, *entries: ListEntry) -> None:
        version, content = pack(entries)
        await self.store.activate(ListVersion("own", version, "own-csv", 1, 1, 0, "{}", None, NOW), content)
        await self.lists.round()

    async def verify(self, *persons: Any, address: str = EVM) -> tuple[str, str]:
        """M1: result and reason."""
        inner = {"Beneficiary": {"beneficiaryPersons": list(persons), "accountNumber": [address]}}
        return await self._post("/v1/beneficiary/VerifyAddress", {"currency": "ETH"}, inner)

    async def authorize(self, *persons: Any, address: str = EVM, sender: Any = None) -> tuple[str, str]:
        """M2: result and reason."""
        name = {"legalPersonName": "North Exchange Ltd.", "legalPersonNameIdentifierType": "LEGL"}
        legal = {"name": {"nameIdentifier": [name]}, "countryOfRegistration": "KR"}
        inner = {
            "Originator": {
                "originatorPersons": [sender or person("Berg", "Anna")],
                "accountNumber": [f"{XRP}:1001"],
            },
            "Beneficiary": {
                "beneficiaryPersons": list(persons or [person("Lind", "Erik")]),
                "accountNumber": [address],
            },
            "OriginatingVASP": {"originatingVASP": {"legalPerson": legal}},
        }
        body = {**AUTHORIZATION, "transferId": f"t-{next(self.numbers)}"}
        return await self._post("/v1/beneficiary/transfer", body, inner)

    async def _post(self, path: str, body: dict[str, Any], inner: dict[str, Any]) -> tuple[str, str]:
        async with self.installation.gateway() as client:
            answer = await client.post(path, json={**body, "payload": sealed(inner)})
        assert answer.status_code == 200, answer.text
        return answer.json()["result"], answer.json()["reasonType"]


@pytest.fixture
async def place(installation: GatewayInstallation) -> Place:
    one = Place(installation)
    await one.register()
    return one


async def test_without_lists_it_is_not_known_and_never_clean(place: Place) -> None:
    assert await place.verify() == ("invalid", "UNKNOWN")
    assert await place.authorize() == ("denied", "UNKNOWN")
    await place.put(entry("Somebody Else"))
    assert await place.verify() == ("valid", "")
    assert await place.authorize() == ("verified", "")


async def test_a_listed_address_is_refused_in_any_spelling_and_with_a_tag(place: Place) -> None:
    await place.put(entry("Somebody Else", address="0x" + EVM[2:].upper()))
    for address in (EVM, EVM.lower(), f"{EVM}:17"):
        assert await place.verify(address=address) == ("invalid", "SANCTION_LIST")
        assert await place.authorize(address=address) == ("denied", "SANCTION_LIST")


async def test_whom_a_request_names_is_screened_on_both_sides(place: Place) -> None:
    await place.put(entry("Anna Berg"), entry("Mallory Przyklad", 2))
    assert await place.authorize() == ("denied", "SANCTION_LIST"), "the originator"
    assert await place.authorize(sender=person("Borg", "Bo")) == ("verified", "")
    listed = person("Przyklad", "Mallory")
    assert await place.authorize(listed, sender=person("Borg", "Bo")) == ("denied", "SANCTION_LIST")
    assert await place.verify(listed) == ("invalid", "SANCTION_LIST")
    assert await place.verify(person("Lind", "Erik")) == ("valid", "")


async def test_the_policy_says_from_which_score_on_a_name_is_a_hit(place: Place) -> None:
    await place.put(entry("Anna Berg"))
    backwards = person("Anna", "Berg")
    assert (await place.authorize(sender=backwards))[1] == "SANCTION_LIST"
    strict = Policy.from_toml("[screening]\nname_threshold = 1").with_own(place.installation.rules.own)
    place.installation.rules = strict
    assert await place.authorize(sender=backwards) == ("verified", "")


async def test_a_new_list_changes_the_answer_and_off_asks_nothing(place: Place) -> None:
    await place.put(entry("Somebody Else"))
    assert await place.verify() == ("valid", "")
    await place.put(entry("Somebody Else", address=EVM))
    assert await place.verify() == ("invalid", "SANCTION_LIST")
    place.installation.rules = Policy(sanctions="off").with_own(place.installation.rules.own)
    assert await place.verify() == ("valid", "")


async def test_screening_that_takes_too_long_is_not_known(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    await place.put(entry("Somebody Else"))
    place.installation.screen = ListScreen(place.lists, lambda: place.installation.rules, limit_s=0.01)

    async def never(*_: Any, **__: Any) -> ScreeningResult:
        await asyncio.Event().wait()
        raise AssertionError

    monkeypatch.setattr(place.lists, "screen", never)
    assert await place.verify() == ("invalid", "UNKNOWN")
    assert await place.authorize() == ("denied", "UNKNOWN")
