"""What robots say to searches: honest answers (M6, M1), false claims, late ones."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from tests.support.sandbox import ADDRESS, OWNED, World, listed, sandbox, withdrawal
from tests.support.search_hub import ACCOUNT, TXID, TXID_SEARCH, WALLET_SEARCH, rows

EVM = "0x52908400098527886E0F7030069857D2E4169EE7"


def _robot(entity_id: str, **robot: Any) -> dict[str, Any]:
    return listed(entity_id, robot=robot)


@pytest.mark.parametrize(
    ("sent", "fields", "found"),
    [
        ({}, {}, True),
        ({}, {"txid": TXID.upper()}, True),
        ({}, {"txid": f"0x{TXID}"}, True),
        ({}, {"txid": "another"}, False),
        ({}, {"beneficiaryAddress": f"{ADDRESS}:77002"}, False),
        ({}, {"beneficiaryAddress": ADDRESS}, False),
        ({}, {"beneficiaryAddress": ACCOUNT.upper()}, False),
        ({"address": ADDRESS}, {}, True),
        ({"address": EVM}, {"beneficiaryAddress": EVM.lower()}, True),
        ({"address": "bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a"},
         {"beneficiaryAddress": "qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a"}, True),
        ({"originator": None, "kyc": False}, {}, True),
    ],
)  # fmt: skip
async def test_a_withdrawal_is_found_by_txid_and_address(
    sent: dict[str, Any], fields: dict[str, Any], found: bool
) -> None:
    world = sandbox(withdrawals=[withdrawal(**sent)])
    result = await world.find(**fields)
    assert (result["result"], rows(result)["robot"]) == (("valid", "FOUND") if found else ("invalid", "NOT_FOUND_TXID"))


async def test_of_a_batch_each_address_is_found() -> None:
    world = sandbox(withdrawals=[withdrawal(address="rA"), withdrawal(address="rB")])
    found = [await world.find(request_id=at, beneficiaryAddress=at) for at in ("rA", "rB", "rC")]
    assert [result["result"] for result in found] == ["valid", "valid", "invalid"]


@pytest.mark.parametrize(
    ("currency", "network", "found"),
    [("XRP", "XRP", True), ("xrp", "xrp", True), ("XRP", "all", True), ("BTC", "XRP", False), ("XRP", "TRX", False)],
)
async def test_an_affiliated_robot_looks_at_currency_and_network(currency: str, network: str, found: bool) -> None:
    world = sandbox(alliance="GTR", withdrawals=[withdrawal(network="XRP")])
    result = await world.find(currency=currency, network=network)
    assert result["result"] == ("valid" if found else "invalid")


async def test_two_claimants_of_whom_one_lies() -> None:
    liar = _robot("liar", claims=["0x" + TXID.upper()])
    world = sandbox(withdrawals=[withdrawal()], more=[liar])
    result = await world.find()
    assert (result["result"], result["reasonType"]) == ("invalid", "ALLIANCE_DATA_NON_UNIQUE_RESULT")
    assert {name for name, row in rows(result).items() if row == "FOUND"} == {"robot", "liar"}
    alone = await world.find(request_id="second", beneficiaryAddress="rANY")
    assert alone["vaspEntityId"] == "liar"


async def test_a_late_robot_is_not_available_and_the_others_are() -> None:
    async def never(_: float) -> None:
        await asyncio.Event().wait()

    world = sandbox(searchDelaySeconds=7, withdrawals=[withdrawal()])
    assert (await world.find())["vaspEntityId"] == "robot"
    assert world.pauses == [7]
    late = sandbox(searchDelaySeconds=7, withdrawals=[withdrawal()], more=[_robot("liar", claims=[TXID])])
    late.sandbox.members.robot("robot")._pause = never  # type: ignore[union-attr]
    result = await late.find()
    assert rows(result)["robot"] == "SYSTEM_NOT_AVAILABLE"
    assert result["vaspEntityId"] == "liar"


@pytest.mark.parametrize(
    ("fields", "found"),
    [
        ({}, True),
        ({"currency": "xrp"}, True),
        ({"network": "all"}, True),
        ({"addressNumber": f"{ADDRESS}:77002"}, False),
        ({"currency": "BTC"}, False),
    ],
)
async def test_a_wallet_search_finds_the_wallets_of_robots(fields: dict[str, str], found: bool) -> None:
    world = sandbox(wallets=[OWNED])
    result = await world.find(WALLET_SEARCH, **fields)
    assert result["result"] == ("valid" if found else "invalid")
    assert rows(result)["robot"] == ("FOUND" if found else "NOT_FOUND_ADDRESS")


async def test_who_takes_every_address_is_found_by_none() -> None:
    world = sandbox(wallets=[OWNED], more=[_robot("open"), _robot("silent", answers="never")])
    result = await world.find(WALLET_SEARCH)
    assert (result["beneficiaryVaspEntityId"], rows(result)["open"]) == ("robot", "NOT_FOUND_ADDRESS")


async def test_an_affiliated_wallet_is_found_with_a_network() -> None:
    world = sandbox(alliance="GTR", wallets=[OWNED])
    assert "robot" not in rows(await world.find(WALLET_SEARCH))
    for network in ("XRP", "all"):
        found = await world.find(WALLET_SEARCH, request_id=network, network=network)
        assert found["beneficiaryVaspEntityId"] == "robot"


@pytest.mark.parametrize("kind", [TXID_SEARCH, WALLET_SEARCH], ids=["txid", "wallet"])
async def test_a_robot_that_is_down_is_not_asked(kind: Any) -> None:
    world = sandbox(health="down", withdrawals=[withdrawal()], wallets=[OWNED])
    assert "robot" not in rows(await world.find(kind))


async def test_a_member_that_moved_in_is_asked() -> None:
    world = sandbox()
    spec = {"vaspLegalName": "N", "countryOfRegistration": "DE", "robot": {"withdrawals": [withdrawal()]}}
    await world.client.put("/sandbox/members/newcomer", json=spec)
    assert (await world.find())["vaspEntityId"] == "newcomer"


def _asks(world: World, operation: str) -> dict[str, Any]:
    return {entry["to"]: entry for entry in world.entries(operation)}


async def test_the_journal_shows_search_asks_and_result_by_its_id() -> None:
    world = sandbox(withdrawals=[withdrawal()])
    await world.find()
    asks = _asks(world, "txid-check")
    assert asks.keys() == {"south", "robot"}
    assert asks["robot"]["from"] == "codevasp"
    assert asks["robot"]["ids"]["result"] == "valid"
    answer = await world.client.get("/sandbox/journal", params={"requestId": asks["robot"]["ids"]["requestId"]})
    operations = [entry["operation"] for entry in answer.json()["entries"]]
    assert sorted(operations) == ["txid-check", "txid-check", "txid-search", "txid-search-result"]


async def test_the_example_has_someone_to_find_two_claimants_and_an_affiliated_network(
    request: pytest.FixtureRequest,
) -> None:
    example = json.loads((request.config.rootpath / "examples" / "world.json").read_text())
    robots = [member for member in example["members"] if member.get("robot")]
    world = sandbox(more=robots)
    sent = {
        member["vaspEntityId"]: member["robot"]["withdrawals"][0]
        for member in robots
        if member["robot"].get("withdrawals")
    }

    async def find(entity_id: str, **fields: Any) -> dict[str, Any]:
        one = sent[entity_id]
        return await world.find(
            request_id=f"{entity_id}{len(fields)}", txid=one["txid"], beneficiaryAddress=one["address"], **fields
        )

    assert (await find("codexchange-non-kor"))["vaspEntityId"] == "codexchange-non-kor"
    assert (await find("robot-lies"))["reasonType"] == "ALLIANCE_DATA_NON_UNIQUE_RESULT"
    assert (await find("gtr-robot"))["reasonType"] == "NOT_FOUND_TXID"
    assert (await find("gtr-robot", currency="BTC", network="BTC"))["vaspEntityId"] == "gtr-robot"
