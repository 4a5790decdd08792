"""Data requests at robots (member-api.md M7): the seven rules, replay, and each way to misbehave."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from tests.support.hub import SOUTH, STRANGER, TRANSFER_ID, error_of
from tests.support.sandbox import (
    ADDRESS,
    OWNED,
    ROBOT,
    World,
    born,
    company,
    data_request,
    ivms,
    opened,
    person,
    sandbox,
    sealed,
    withdrawal,
)
from tests.support.search_hub import TXID
from travelrule.errors import ConfigurationError
from travelrule.sandbox.world.world_file import parse_world

ANNA = born(person("Berg", "Anna"))
ERIK = born(person())
ABROAD: dict[str, Any] = {"currency": "XRP", "network": "XRP"}


def _world(**robot: Any) -> World:
    return sandbox(**{"withdrawals": [withdrawal()], **robot})


async def _said(world: World, content: dict[str, Any], **fields: Any) -> tuple[str, str]:
    answer = (await world.ask(content, **fields)).json()
    assert "Berg" not in str(answer)
    return answer["result"], answer["reasonType"]


async def test_a_member_of_the_own_network_fills_in_the_originator() -> None:
    content = data_request()
    answer = (await _world().ask(content)).json()
    payload = opened(answer.pop("payload"))
    assert answer == {
        "result": "normal",
        "reasonType": "",
        "reasonMsg": "",
        "transferId": TRANSFER_ID,
        "currency": "XRP",
        "amount": "250.5",
        "historicalCost": "",
        "tradePrice": "150.30",
        "tradeCurrency": "EUR",
        "isExceedingThreshold": "true",
    }
    assert (payload["Beneficiary"], payload["BeneficiaryVASP"]) == (content["Beneficiary"], content["BeneficiaryVASP"])
    originator = payload["Originator"]["originatorPersons"][0]["naturalPerson"]
    assert originator["name"]["nameIdentifier"][0]["primaryIdentifier"] == "Berg"
    assert originator["dateAndPlaceOfBirth"]["dateOfBirth"] == "1980-05-06"
    assert payload["Originator"]["accountNumber"] == ["rOWN:1001"]
    vasp = payload["OriginatingVASP"]["originatingVASP"]["legalPerson"]
    assert vasp["name"]["nameIdentifier"][0]["legalPersonName"] == "robot Ltd."


async def test_a_company_comes_with_its_representatives() -> None:
    firm = {"legal": {"name": "Birch Ltd.", "representatives": [{"lastName": "Moreau", "firstName": "Claire"}]}}
    answer = (await _world(withdrawals=[withdrawal(originator=firm)]).ask(data_request())).json()
    persons = opened(answer["payload"])["Originator"]["originatorPersons"]
    assert [next(iter(one)) for one in persons] == ["legalPerson", "naturalPerson"]


def _cut(part: str, name: str | None = None) -> dict[str, Any]:
    content = data_request()
    if name is None:
        del content[part]
    else:
        del content[part][name]
    return content


@pytest.mark.parametrize(
    ("content", "fields", "reason"),
    [
        (data_request(), {"txid": "another"}, "NOT_FOUND_TXID"),
        (data_request(), {"beneficiaryAddress": f"{ADDRESS}:1"}, "NOT_FOUND_TXID"),
        ({}, {"txid": "another"}, "NOT_FOUND_TXID"),
        (_cut("Beneficiary"), {}, "LACK_OF_INFORMATION"),
        (_cut("Beneficiary", "accountNumber"), {}, "LACK_OF_INFORMATION"),
        (_cut("Beneficiary", "beneficiaryPersons"), {}, "LACK_OF_INFORMATION"),
        (_cut("BeneficiaryVASP"), {}, "LACK_OF_INFORMATION"),
        (_cut("BeneficiaryVASP", "beneficiaryVASP"), {}, "LACK_OF_INFORMATION"),
    ],
)
async def test_what_is_an_error(content: dict[str, Any], fields: dict[str, str], reason: str) -> None:
    assert await _said(_world(), content, **fields) == ("error", reason)


async def test_a_false_claimant_has_no_data() -> None:
    assert await _said(sandbox(claims=[TXID]), data_request()) == ("error", "NOT_FOUND_TXID")


async def test_who_was_not_meant_to_be_paid_gets_nothing() -> None:
    world = _world(withdrawals=[withdrawal(beneficiary=OWNED["owner"])])
    assert await _said(world, data_request(beneficiaries=(person("Holm", "Eva"),))) == ("error", "UNKNOWN")
    assert (await _said(world, data_request(), transferId="second"))[0] == "normal"


async def test_a_sender_without_kyc_is_told_if_there_is_anything_to_tell() -> None:
    unknown = _world(withdrawals=[withdrawal(originator=None, kyc=False)])
    assert await _said(unknown, data_request()) == ("error", "LACK_OF_INFORMATION")
    known = _world(withdrawals=[withdrawal(kyc=False)])
    assert (await _said(known, data_request()))[0] == "normal"


async def test_what_cannot_be_opened_or_read_is_a_503() -> None:
    world = _world()
    broken = await world.ask({}, payload=sealed(ivms(), key=STRANGER))
    assert error_of(broken) == (503, "INVALID_ENCRYPTED_BODY")
    assert (await world.ask(data_request())).json()["result"] == "normal"


@pytest.mark.parametrize("robot", [{}, {"dataRequest": "refuse", "reasonType": "UNKNOWN"}], ids=["normal", "error"])
async def test_the_same_request_is_replayed_and_freshly_sealed(robot: dict[str, Any]) -> None:
    world = _world(**robot)
    first = (await world.ask(data_request())).json()
    spec = {"vaspLegalName": "R", "countryOfRegistration": "DE", "robot": {}}
    assert (await world.client.put("/sandbox/members/robot", json=spec)).status_code == 200
    keys = (await world.send("GET", "/v1/code/Vasp/robot/pubkey")).json()["pubkeys"]
    remote: Any = SimpleNamespace(public_base64=keys[0]["pubkey"])
    again = (await world.ask(data_request(), remote=remote, txid=f"0x{TXID.upper()}")).json()
    assert {**again, "payload": ""} == {**first, "payload": ""}
    if first["result"] == "normal":
        assert opened(again["payload"], remote=remote) == opened(first["payload"])


async def test_another_txid_under_the_same_id_is_refused_and_another_origin_is_another_request() -> None:
    world = _world()
    await world.ask(data_request())
    assert error_of(await world.ask(data_request(), txid="another")) == (503, "DUPLICATED_TRANSFER_ID")
    other: dict[str, Any] = {"key": SOUTH, "origin": "code:south"}
    answer = (await world.ask(data_request(), txid="another", **other)).json()
    assert answer["reasonType"] == "NOT_FOUND_TXID"


@pytest.mark.parametrize("reason", ["UNKNOWN", "LACK_OF_INFORMATION", "NOT_FOUND_TXID"])
async def test_refuse(reason: str) -> None:
    world = _world(dataRequest="refuse", reasonType=reason)
    answer = (await world.ask(data_request())).json()
    assert (answer["result"], answer["reasonType"], answer["payload"]) == ("error", reason, "")


async def test_lie_about_the_amount() -> None:
    answer = (await _world(dataRequest="lie-amount").ask(data_request())).json()
    assert (answer["result"], answer["amount"]) == ("normal", "251.5")


async def test_lie_about_the_name_and_nothing_else() -> None:
    content = data_request()
    answer = (await _world(dataRequest="lie-name").ask(content)).json()
    payload = opened(answer["payload"])
    assert answer["amount"] == "250.5"
    assert payload["Beneficiary"]["accountNumber"] == content["Beneficiary"]["accountNumber"]
    assert "Lind" not in str(payload["Beneficiary"]["beneficiaryPersons"])
    assert payload["Beneficiary"]["beneficiaryPersons"][0]["naturalPerson"]["name"]["nameIdentifier"]
    assert payload["BeneficiaryVASP"] == content["BeneficiaryVASP"]


async def test_late_delays_data_requests_and_nothing_else() -> None:
    world = _world(dataRequest="late", delaySeconds=9)
    assert (await world.authorize()).json()["result"] == "verified"
    assert world.pauses == []
    assert (await world.ask(data_request())).json()["result"] == "normal"
    assert world.pauses == [9]


@pytest.mark.parametrize("alliance", ["GTR", "gtr-east", "Sygna"])
async def test_an_affiliated_robot_verifies_what_is_said_of_the_originator(alliance: str) -> None:
    world = _world(alliance=alliance)
    content = data_request(ANNA, beneficiaries=(ERIK,))
    answer = (await world.ask(content, **ABROAD)).json()
    assert answer["result"] == "normal"
    assert opened(answer["payload"])["Originator"] == content["Originator"]
    for number, other in enumerate((born(person("Holm", "Eva")), born(person("Berg", "Anna"), "1999-01-01"))):
        wrong = data_request(other, beneficiaries=(ERIK,))
        assert await _said(world, wrong, **ABROAD, transferId=f"t{number}") == ("error", "UNKNOWN")


@pytest.mark.parametrize(
    ("alliance", "content", "reason"),
    [
        ("GTR", data_request(beneficiaries=(ERIK,)), "LACK_OF_INFORMATION"),
        ("Sygna", data_request(beneficiaries=(ERIK,)), "LACK_OF_INFORMATION"),
        ("GTR", data_request(person("Berg", "Anna"), beneficiaries=(ERIK,)), "LACK_OF_INFORMATION"),
        ("GTR", data_request(ANNA), "LACK_OF_INFORMATION"),
        ("Sygna", data_request(person("Berg", "Anna")), ""),
        ("GTR", data_request(ANNA, beneficiaries=(company(), person())), ""),
    ],
)
async def test_what_an_affiliated_network_wants_in_the_payload(
    alliance: str, content: dict[str, Any], reason: str
) -> None:
    said = await _said(_world(alliance=alliance), content, **ABROAD)
    assert said == (("error", reason) if reason else ("normal", ""))


async def test_gtr_wants_its_fields_in_address_searches_and_authorizations_too() -> None:
    world = sandbox(alliance="GTR", wallets=[OWNED])
    dated = ivms(beneficiaries=(ERIK,)) | {"Originator": {"originatorPersons": [ANNA], "accountNumber": ["rOWN"]}}
    clear: dict[str, Any] = {"address": ADDRESS, "tag": "77001", "network": "XRP"}
    for name in clear:
        answer = await world.authorize(dated, **{**clear, name: ""})
        assert error_of(answer) == (503, "MISSING_REQUIRED_MSG_FIELD")
        search = {"currency": "XRP", "payload": sealed(dated), **clear, name: ""}
        answer = await world.send("POST", "/v1/code/VerifyAddress/robot", search, ROBOT)
        assert error_of(answer) == (503, "MISSING_REQUIRED_MSG_FIELD")
    assert (await world.authorize(dated, **clear)).json()["result"] == "verified"
    undated = (await world.authorize(transfer_id="second", **clear)).json()
    assert (undated["result"], undated["reasonType"]) == ("denied", "LACK_OF_INFORMATION")


@pytest.mark.parametrize(
    ("robot", "told"),
    [
        ({"dataRequest": "refuse"}, "needs a reasonType of"),
        ({"dataRequest": "refuse", "reasonType": "NOT_KYC_USER"}, "needs a reasonType of"),
        ({"dataRequest": "late"}, "needs delaySeconds"),
        ({"withdrawals": [withdrawal(originator=None)]}, "kyc false"),
        ({"withdrawals": [withdrawal(tradePrice="-1")]}, "decimal number"),
    ],
)
def test_robots_that_contradict_themselves(robot: dict[str, Any], told: str) -> None:
    member = {"vaspEntityId": "r", "vaspLegalName": "R", "countryOfRegistration": "DE", "robot": robot}
    with pytest.raises(ConfigurationError, match=told):
        parse_world({"members": [member]})
