"""Robots answer as a VASP's server would (member-api.md sections 2 to 6 and 9)."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from tests.support.hub import NORTH, SOUTH, STRANGER, TRANSFER_ID, error_of
from tests.support.sandbox import ADDRESS, OWNED, company, ivms, opened, person, sandbox, sealed, transfer_ids

PLAIN = {"address": "1KzHK8WMRHRCvRjUV5PFny3v6fqT3UAY5K", "currency": "BTC", "owner": OWNED["owner"]}
FIRM = {
    "address": "rFIRM",
    "currency": "XRP",
    "owner": {
        "legal": {"name": "Birch Trading Ltd.", "representatives": [{"lastName": "Moreau", "firstName": "Claire"}]}
    },
}
UNCHECKED = {**OWNED, "address": "rNOKYC", "tag": "", "kyc": False}


def _search(account: str, *persons: dict[str, Any]) -> dict[str, Any]:
    return {"Beneficiary": {"beneficiaryPersons": list(persons), "accountNumber": [account]}}


@pytest.mark.parametrize(
    ("account", "currency", "reason"),
    [
        (f"{ADDRESS}:77001", "XRP", ""),
        (f"{ADDRESS}:77001", "xrp", ""),
        (f"{ADDRESS}:77002", "XRP", "NOT_FOUND_ADDRESS"),
        (ADDRESS, "XRP", "NOT_FOUND_ADDRESS"),
        (PLAIN["address"], "BTC", ""),
        (f"{PLAIN['address']}:123", "BTC", ""),
        (PLAIN["address"], "XRP", "NOT_FOUND_ADDRESS"),
        ("rOTHER", "XRP", "NOT_FOUND_ADDRESS"),
        (PLAIN["address"], "DOGE", "NOT_SUPPORTED_SYMBOL"),
        ("rNOKYC", "XRP", "NOT_KYC_USER"),
    ],
)
async def test_address_search(account: str, currency: str, reason: str) -> None:
    world = sandbox(wallets=[OWNED, PLAIN, UNCHECKED])
    answer = (await world.search(_search(account), currency)).json()
    assert (answer["result"], answer["reasonType"]) == ("invalid" if reason else "valid", reason)
    assert answer["beneficiaryVaspEntityId"] == ("" if reason else "robot")


async def test_address_search_compares_a_name_only_if_one_is_sent() -> None:
    world = sandbox(wallets=[OWNED])
    account = f"{ADDRESS}:77001"
    assert (await world.search(_search(account, person()))).json()["result"] == "valid"
    assert (await world.search(_search(account, person("Erik", "Lind")))).json()["result"] == "valid"
    other = (await world.search(_search(account, person("Holm", "Eva")))).json()
    assert (other["result"], other["reasonType"]) == ("invalid", "UNKNOWN")
    assert "Lind" not in str(other)


async def test_address_search_without_an_account_number() -> None:
    answer = (await sandbox(wallets=[OWNED]).search({"Beneficiary": {"beneficiaryPersons": []}})).json()
    assert (answer["result"], answer["reasonType"]) == ("invalid", "LACK_OF_INFORMATION")


async def test_a_robot_without_wallets_owns_every_address_and_accepts_every_name() -> None:
    world = sandbox()
    assert (await world.search(_search("anything"))).json()["result"] == "valid"
    assert (await world.authorize(ivms("anything", (person("Any", "Body"),)))).json()["result"] == "verified"


async def test_a_verified_answer_holds_all_four_objects_and_opens_for_the_caller() -> None:
    sent = ivms() | {"unknownToRobots": {"kept": "out"}}
    answer = (await sandbox(wallets=[OWNED]).authorize(sent)).json()
    assert (answer["result"], answer["transferId"], answer["beneficiaryVasp"]) == ("verified", TRANSFER_ID, {})
    payload = opened(answer["payload"])
    assert {name: payload[name] for name in ("Originator", "Beneficiary", "OriginatingVASP")} == ivms()
    legal = payload["BeneficiaryVASP"]["beneficiaryVASP"]["legalPerson"]
    assert legal["name"]["nameIdentifier"][0]["legalPersonName"] == "robot Ltd."


def _without(part: str, name: str | None = None) -> dict[str, Any]:
    changed = ivms()
    if name is None:
        del changed[part]
    else:
        changed[part] = {key: value for key, value in changed[part].items() if key != name}
    return changed


@pytest.mark.parametrize(
    ("payload", "fields", "reason"),
    [
        (_without("Originator"), {}, "LACK_OF_INFORMATION"),
        (_without("Originator", "originatorPersons"), {}, "LACK_OF_INFORMATION"),
        (_without("Originator", "accountNumber"), {}, "LACK_OF_INFORMATION"),
        (_without("OriginatingVASP"), {}, "LACK_OF_INFORMATION"),
        (_without("OriginatingVASP"), {"originatingVasp": {"originatingVASP": company()}}, ""),
        (ivms(), {"originatingVasp": {}}, ""),
        (_without("Beneficiary"), {}, "LACK_OF_INFORMATION"),
        (_without("Beneficiary", "accountNumber"), {}, "LACK_OF_INFORMATION"),
        (
            ivms() | {"Originator": {"originatorPersons": [company()], "accountNumber": ["r"]}},
            {},
            "LACK_OF_INFORMATION",
        ),
        (
            ivms() | {"Originator": {"originatorPersons": [person(), company()], "accountNumber": ["r"]}},
            {},
            "LACK_OF_INFORMATION",
        ),
        (ivms() | {"Originator": {"originatorPersons": [company(), person()], "accountNumber": ["r"]}}, {}, ""),
        (ivms(), {"currency": "DOGE"}, "NOT_SUPPORTED_SYMBOL"),
        (ivms("rOTHER"), {}, "NOT_FOUND_ADDRESS"),
        (ivms("rNOKYC"), {}, "NOT_KYC_USER"),
        (ivms(beneficiaries=(person("Holm", "Eva"),)), {}, "INPUT_NAME_MISMATCHED"),
        (ivms(beneficiaries=(person("Holm", "Eva"),)), {"isExceedingThreshold": "false"}, "INPUT_NAME_MISMATCHED"),
        (ivms(beneficiaries=()), {}, "LACK_OF_INFORMATION"),
        (ivms(beneficiaries=()), {"isExceedingThreshold": True}, "LACK_OF_INFORMATION"),
        (ivms(beneficiaries=()), {"isExceedingThreshold": "false"}, ""),
        (ivms("rFIRM", (company("BIRCH trading"), person("Moreau", "Claire"))), {}, ""),
        (ivms("rFIRM", (company("Birch Trading Ltd."), person("Holm", "Eva"))), {}, "INPUT_NAME_MISMATCHED"),
        (ivms("rFIRM", (company("Birch Trading Ltd."),)), {}, "LACK_OF_INFORMATION"),
    ],
)
async def test_examination_of_an_authorization(payload: dict[str, Any], fields: dict[str, Any], reason: str) -> None:
    world = sandbox(wallets=[OWNED, UNCHECKED, FIRM])
    answer = (await world.authorize(payload, **fields)).json()
    assert (answer["result"], answer["reasonType"]) == ("denied" if reason else "verified", reason)
    assert "Lind" not in str(opened(answer["payload"]).get("BeneficiaryVASP"))


async def test_a_payload_for_another_pair_of_keys_cannot_be_opened() -> None:
    world = sandbox()
    answer = await world.authorize(payload=sealed(ivms(), remote=SOUTH))
    assert error_of(answer) == (503, "INVALID_ENCRYPTED_BODY")
    answer = await world.authorize(payload=sealed(ivms(), key=STRANGER))
    assert error_of(answer) == (503, "INVALID_ENCRYPTED_BODY")


async def test_an_authorization_is_idempotent_by_content() -> None:
    world = sandbox()
    first = (await world.authorize()).json()
    again = (await world.authorize()).json()
    assert first["payload"] != again["payload"]
    assert {**first, "payload": ""} == {**again, "payload": ""}
    assert opened(first["payload"]) == opened(again["payload"])
    for changed in ({"amount": "250.6"}, {"payload": sealed(ivms("rOTHER"))}):
        assert error_of(await world.authorize(**changed)) == (503, "DUPLICATED_TRANSFER_ID")


async def test_the_same_id_of_another_origin_is_another_transfer() -> None:
    world = sandbox()
    await world.authorize()
    answer = await world.authorize(ivms("rOTHER"), key=SOUTH, origin="code:south")
    assert answer.json()["result"] == "verified"
    assert (await world.report("tx1", key=SOUTH, origin="code:south"))["result"] == "normal"
    assert (await world.report("tx2"))["result"] == "normal"


async def test_txid_reports_follow_the_table() -> None:
    world = sandbox()
    assert (await world.report("tx1"))["reasonType"] == "UNKNOWN_TRANSFER_ID"
    await world.authorize()
    assert await world.report("tx1") == {"transferId": TRANSFER_ID, "result": "normal", "reasonType": ""}
    assert (await world.report("tx1"))["result"] == "normal"
    other = await world.report("tx2")
    assert (other["result"], other["reasonType"]) == ("error", "TXID_ALREADY_EXISTS")
    assert (await world.finish())["result"] == "normal"
    assert (await world.report("tx1"))["result"] == "normal"
    assert (await world.report("tx2"))["reasonType"] == "TXID_ALREADY_EXISTS"


async def test_a_finish_follows_the_table() -> None:
    world = sandbox()
    assert (await world.finish())["reasonType"] == "UNKNOWN_TRANSFER_ID"
    await world.authorize()
    assert await world.finish() == {"transferId": TRANSFER_ID, "result": "normal", "reasonType": ""}
    assert (await world.finish())["result"] == "normal"
    assert (await world.report("tx1"))["reasonType"] == "TRANSFER_ALREADY_FAILED"


async def test_a_denied_transfer_takes_no_txid_but_a_finish() -> None:
    world = sandbox(answers="denied", reasonType="NOT_KYC_USER")
    assert (await world.authorize()).json()["reasonType"] == "NOT_KYC_USER"
    assert (await world.report("tx1"))["reasonType"] == "TRANSFER_ALREADY_FAILED"
    assert (await world.finish())["result"] == "normal"


async def test_a_credited_transfer_cannot_be_finished() -> None:
    world = sandbox(creditsAtOnce=True)
    await world.authorize()
    await world.report("tx1")
    refused = await world.finish()
    assert (refused["result"], refused["reasonType"]) == ("error", "ILLEGAL_STATEFLOW")


async def test_another_sender_does_not_know_the_transfer() -> None:
    world = sandbox()
    await world.authorize()
    assert (await world.report("tx1", key=SOUTH, origin="code:south"))["reasonType"] == "UNKNOWN_TRANSFER_ID"
    assert (await world.finish(key=SOUTH, origin="code:south"))["reasonType"] == "UNKNOWN_TRANSFER_ID"


async def test_a_robot_originates_nothing() -> None:
    answer = await sandbox().send("POST", "/v1/code/transfer/robot/status", {"transferId": TRANSFER_ID})
    assert error_of(answer) == (503, "UNKNOWN_TRANSFER_ID")


async def test_denied_examines_first_and_searches_honestly() -> None:
    world = sandbox(answers="denied", reasonType="SANCTION_LIST", wallets=[OWNED])
    assert (await world.search(_search(f"{ADDRESS}:77001"))).json()["result"] == "valid"
    assert (await world.authorize(ivms("rOTHER"))).json()["reasonType"] == "NOT_FOUND_ADDRESS"
    second = await world.authorize(transfer_id=transfer_ids(1)[0])
    assert second.json()["reasonType"] == "SANCTION_LIST"


async def test_late_acts_at_once_and_answers_after_its_delay() -> None:
    world = sandbox(answers="late", delaySeconds=7)
    assert (await world.authorize()).json()["result"] == "verified"
    assert world.pauses == [7]


async def test_never_neither_acts_nor_answers() -> None:
    world = sandbox(answers="never")
    assert error_of(await world.authorize()) == (408, "BENEFICIARY_VASP_REQUEST_TIMEOUT")
    assert (await world.finish())["reasonType"] == "UNKNOWN_TRANSFER_ID"


async def test_garbage_acts_and_cannot_be_read() -> None:
    world = sandbox(answers="garbage")
    assert error_of(await world.authorize()) == (500, "RECEIVED_WRONG_JSON_MESSAGE")
    assert (await world.finish())["result"] == "normal"


@pytest.mark.parametrize(("health", "up"), [("up", "up"), ("down", "down")])
async def test_a_robot_is_as_healthy_as_it_is_set(health: str, up: str) -> None:
    world = sandbox(health=health)
    for _ in range(2):
        vasps = (await world.send("GET", "/v1/code/vasps")).json()["vasps"]
        assert {vasp["vaspEntityId"]: vasp["health"] for vasp in vasps}["robot"] == up
        await world.sandbox.polling.poll()


async def test_unseeded_robots_make_keys_that_work() -> None:
    world = sandbox()
    await world.client.put(
        "/sandbox/members/fresh", json={"vaspLegalName": "F", "countryOfRegistration": "DE", "robot": {}}
    )
    keys = (await world.send("GET", "/v1/code/Vasp/fresh/pubkey")).json()["pubkeys"]
    remote = SimpleNamespace(public_base64=keys[0]["pubkey"])
    answer = await world.authorize(remote=remote, target="fresh")
    assert answer.json()["result"] == "verified"
    assert opened(answer.json()["payload"], NORTH, remote)["Beneficiary"] == ivms()["Beneficiary"]
