"""What one message may hold: a member's largest message costs little, and what is larger is refused before it costs."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import orjson
import pytest

from schemas import limits
from schemas.events.persons import Person
from tests.support.gateway_scene import BTC, GatewayScene, beneficiary, box, name, payee, transfer
from travelrule.identity import name_comparison

NUMBERS = [f"bc1qaddress{number:04}" for number in range(limits.BENEFICIARY_ACCOUNTS_MAX)]


def letters(stem: str, number: int) -> str:
    """A name of its own: digits do not count in a comparison."""
    return stem + chr(ord("a") + number // 26) + chr(ord("a") + number % 26)


def company(representatives: int = limits.REPRESENTATIVES_MAX) -> Person:
    people = [
        {
            "lastName": letters("Lind", number),
            "firstName": "Erik",
            "localLastName": letters("Lund", number),
            "localFirstName": "E",
        }
        for number in range(representatives)
    ]
    return Person.model_validate(
        {"legal": {"name": "Birch Ltd.", "countryOfRegistration": "GB", "representatives": people}}
    )


def company_persons(representatives: int = limits.REPRESENTATIVES_MAX) -> list[dict[str, Any]]:
    firm = {
        "name": {"nameIdentifier": [{"legalPersonName": "Birch Ltd.", "legalPersonNameIdentifierType": "LEGL"}]},
        "countryOfRegistration": "GB",
    }
    people = [two_names(letters("Lind", number), letters("Lund", number)) for number in range(representatives)]
    return [{"legalPerson": firm}, *people]


def two_names(last: str, local: str) -> dict[str, Any]:
    person = name(last, "Erik")
    local_name = {"primaryIdentifier": local, "secondaryIdentifier": "E", "nameIdentifierType": "LEGL"}
    person["naturalPerson"]["name"]["localNameIdentifier"] = [local_name]
    return person


def own(scene: GatewayScene, owner: Person) -> None:
    wallet = scene.reads.wallets[0]
    scene.reads.wallets = [
        replace(wallet, address=number, owner=owner.model_copy(deep=True), wallet_id=number) for number in NUMBERS
    ]


@dataclass
class Compared:
    """Texts that were normalised to be compared: in all, and at most between two turns of the event loop."""

    total: int = 0
    since_turn: int = 0
    at_once: int = 0

    def one(self) -> None:
        self.total += 1
        self.since_turn += 1
        self.at_once = max(self.at_once, self.since_turn)


@contextmanager
def counting(monkeypatch: pytest.MonkeyPatch) -> Iterator[Compared]:
    compared = Compared()

    def counted(text: str) -> str:
        compared.one()
        return plain(text)

    plain = name_comparison.normalise
    with monkeypatch.context() as patch:
        patch.setattr(name_comparison, "normalise", counted)
        yield compared


async def with_turns(compared: Compared, work: Awaitable[Any]) -> Any:
    """Await ``work`` beside another task that needs the loop."""

    async def others() -> None:
        while True:
            compared.since_turn = 0
            await asyncio.sleep(0)

    beside = asyncio.create_task(others())
    try:
        return await work
    finally:
        beside.cancel()


async def refused(scene: GatewayScene, inner: dict[str, Any]) -> list[str]:
    """The refusals of M1, M2 and M7 of one inner object."""
    whole = {**transfer(), **payee(), **inner}
    answers = [
        await scene.send("POST", "/v1/beneficiary/VerifyAddress", {"currency": "BTC", "payload": box(whole)}),
        await scene.authorize(whole),
        await scene.request_data(whole),
    ]
    assert [answer.status_code for answer in answers] == [503, 503, 503]
    assert {answer.json()["errorType"] for answer in answers} == {"INVALID_MSG_FIELD_VALUE"}
    assert scene.intake.items == [], "no input"
    return [answer.json()["errorMsg"] for answer in answers]


async def test_an_authorization_of_2500_beneficiaries_is_refused_before_a_name_is_compared(
    scene: GatewayScene, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = beneficiary(*(f"bc1q{n:04}" for n in range(100)), persons=[name(f"Lind{n}", "Erik") for n in range(2500)])
    with counting(monkeypatch) as compared:
        messages = await refused(scene, inner)
    assert compared.total == 0
    assert scene.reads.asked == [], "no address is looked up"
    assert set(messages) == {f"payload: must not hold more than {limits.VALUES_MAX} values"}


async def test_an_address_search_of_3500_beneficiaries_is_refused_before_a_name_is_compared(
    scene: GatewayScene, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = beneficiary(BTC, persons=[name(f"Lind{n}", "Erik") for n in range(3500)])
    with counting(monkeypatch) as compared:
        await refused(scene, inner)
    assert compared.total == 0


def entries(many: int) -> dict[str, Any]:
    entry = {"primaryIdentifier": "Lind", "secondaryIdentifier": "Erik", "nameIdentifierType": "LEGL"}
    return {"naturalPerson": {"name": {"nameIdentifier": [entry] * many}}}


LIND = name("Lind", "Erik")
HOME = {"addressType": "HOME", "townName": "Oslo", "country": "NO"}


def of_persons(*persons: Any) -> dict[str, Any]:
    return beneficiary(BTC, persons=persons)


def originator(persons: int, accounts: int) -> dict[str, Any]:
    numbers = [str(number) for number in range(accounts)]
    return {"Originator": {"originatorPersons": [LIND] * persons, "accountNumber": numbers}}


def many_names(many: int) -> dict[str, Any]:
    rest = [entries(many % 10)] if many % 10 else []
    return of_persons(*([entries(10)] * (many // 10)), *rest)


def vasp_names(many: int) -> dict[str, Any]:
    legal = {"name": {"nameIdentifier": [{"legalPersonName": "North"}] * many}}
    return {"OriginatingVASP": {"originatingVASP": {"legalPerson": legal}}}


def unknown(many: int) -> dict[str, Any]:
    """The other values of the message stay below 100."""
    return {"somethingNew": [[1]] * ((many - 100) // 2)}


PERSON = "Beneficiary.beneficiaryPersons[0].naturalPerson"
FIRM = company_persons()[0]
PARTS: dict[str, tuple[int, str, Callable[[int], dict[str, Any]]]] = {
    "persons": (limits.PERSONS_MAX, "Beneficiary.beneficiaryPersons", lambda many: of_persons(*[LIND] * many)),
    "companies": (limits.LEGAL_PERSONS_MAX, "Beneficiary.beneficiaryPersons", lambda many: of_persons(*[FIRM] * many)),
    "originators": (limits.PERSONS_MAX, "Originator.originatorPersons", lambda many: originator(many, 1)),
    "accounts": (
        limits.BENEFICIARY_ACCOUNTS_MAX,
        "Beneficiary.accountNumber",
        lambda many: beneficiary(*map(str, range(many)), persons=[LIND]),
    ),
    "originator-accounts": (
        limits.ORIGINATOR_ACCOUNTS_MAX,
        "Originator.accountNumber",
        lambda many: originator(1, many),
    ),
    "names-of-one": (
        limits.NAME_IDENTIFIERS_MAX,
        f"{PERSON}.name.nameIdentifier",
        lambda many: of_persons(entries(many)),
    ),
    "names": (limits.NAMES_MAX, "Beneficiary.beneficiaryPersons", many_names),
    "name": (
        limits.NAME_CHARACTERS_MAX,
        f"{PERSON}.name.nameIdentifier[0].primaryIdentifier",
        lambda many: of_persons(name("x" * many, "Erik")),
    ),
    "first-name": (
        limits.NAME_CHARACTERS_MAX,
        f"{PERSON}.name.nameIdentifier[0].secondaryIdentifier",
        lambda many: of_persons(name("Lind", "x" * many)),
    ),
    "addresses": (
        limits.GEOGRAPHIC_ADDRESSES_MAX,
        f"{PERSON}.geographicAddress",
        lambda many: of_persons(name("Lind", "Erik", geographicAddress=[HOME] * many)),
    ),
    "lines": (
        limits.ADDRESS_LINES_MAX,
        f"{PERSON}.geographicAddress[0].addressLine",
        lambda many: of_persons(name("Lind", "Erik", geographicAddress=[{**HOME, "addressLine": ["1 Street"] * many}])),
    ),
    "vasp-names": (
        limits.NAME_IDENTIFIERS_MAX,
        "OriginatingVASP.originatingVASP.legalPerson.name.nameIdentifier",
        vasp_names,
    ),
}


@pytest.mark.parametrize("part", PARTS)
async def test_each_limit_and_one_more(scene: GatewayScene, part: str) -> None:
    most, path, at = PARTS[part]
    whole = {**transfer(), **payee(), **at(most)}
    assert (await scene.authorize(whole)).status_code == 200
    assert (await scene.request_data(whole)).status_code == 200
    assert (await scene.verify(whole))["result"] in {"valid", "invalid"}
    scene.intake.items.clear()
    (message,) = set(await refused(scene, at(most + 1)))
    assert message.startswith(f"payload: {path}: at most {most}"), message


async def test_what_no_rule_knows_is_counted_too(scene: GatewayScene) -> None:
    assert (await scene.authorize({**transfer(), **unknown(limits.VALUES_MAX)})).status_code == 200
    answer = await scene.authorize({**transfer(), **unknown(limits.VALUES_MAX + 200)}, transferId="t-2")
    assert (answer.status_code, answer.json()["errorType"]) == (503, "INVALID_MSG_FIELD_VALUE")
    clear = {"transferId": "t-3", "txid": "ab", "more": [[1]] * limits.VALUES_MAX}
    answer = await scene.send("POST", "/v1/beneficiary/transfer/txid", clear)
    assert (answer.status_code, answer.json()["errorType"]) == (503, "INVALID_MSG_FIELD_VALUE")


async def test_a_single_item_in_place_of_an_array_and_commas_in_texts_are_no_excess(scene: GatewayScene) -> None:
    inner = beneficiary(BTC)
    inner["Beneficiary"] |= {"beneficiaryPersons": name("Lind", "Erik"), "accountNumber": BTC}
    assert (await scene.verify(inner))["result"] == "valid"
    noted = {**beneficiary(BTC), "note": "," * (limits.VALUES_MAX * 2)}
    assert (await scene.verify(noted))["result"] == "valid"


async def test_the_vasp_outside_the_payload_is_limited_as_the_one_inside(scene: GatewayScene) -> None:
    vasp = vasp_names(limits.NAME_IDENTIFIERS_MAX + 1)["OriginatingVASP"]
    answer = await scene.authorize(originatingVasp=vasp)
    assert (answer.status_code, answer.json()["errorType"]) == (503, "INVALID_MSG_FIELD_VALUE")
    assert answer.json()["errorMsg"].startswith("originatingVasp")


async def test_the_largest_authorization_normalises_each_name_once(
    scene: GatewayScene, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene.rules(
        names=scene.policy.names.model_copy(
            update={"accept_combinations": ("natural-to-legal",), "first_party_only": False}
        )
    )
    own(scene, company())
    inner = transfer(persons=company_persons())
    inner["Beneficiary"]["accountNumber"] = NUMBERS
    with counting(monkeypatch) as compared:
        answer = await scene.authorize(inner)
    assert answer.json()["result"] == "verified", answer.text
    # 200 names of two parts on both sides; the 20 wallets have one owner.
    assert compared.total <= 2 * 2 * 2 * (limits.REPRESENTATIVES_MAX + 1)


async def test_the_largest_address_search_gives_the_loop_back(
    scene: GatewayScene, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored = company_persons()
    asked: list[Any] = []

    async def named(numbers: Any) -> list[Any]:
        asked.append(numbers)
        return [stored] * 20

    scene.named = named
    scene.open(verify_deadline_s=600)
    own(scene, company())
    inner = beneficiary(*NUMBERS, persons=company_persons())
    with counting(monkeypatch) as compared:
        answer = await with_turns(compared, scene.verify(inner))
    assert answer["result"] == "valid", answer
    assert compared.total > 20 * 400, "every stored authorization is compared with"
    assert compared.at_once <= 2 * 2 * 2 * limits.NAMES_MAX
    assert len(asked) == 1


def test_a_body_of_the_limits_fits_into_a_body() -> None:
    """The largest message within the limits is not refused for its bytes."""
    from travelrule.gateway.request_reader import BODY_BYTES_MAX

    inner = transfer(persons=company_persons())
    assert len(orjson.dumps({"payload": box(inner)})) < BODY_BYTES_MAX / 4
