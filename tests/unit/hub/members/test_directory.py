"""VASP list, public key, coin networks, unknown paths (hub-api.md section 2)."""

from __future__ import annotations

import pytest

from tests.support.hub import NORTH, SOUTH, STRANGER, error_of, hub_under_test, member
from travelrule.hub.members.member import HUB_ENTITY


async def test_the_list_names_every_member_and_the_hub() -> None:
    hub = hub_under_test()
    vasps = (await hub.send("GET", "/v1/code/vasps")).json()["vasps"]
    assert [vasp["vaspEntityId"] for vasp in vasps] == [HUB_ENTITY, "north", "south"]
    assert vasps[2] == {
        "health": "up",
        "vaspEntityId": "south",
        "vaspName": "south",
        "vaspLegalName": "south Ltd.",
        "countryOfRegistration": "SG",
        "allianceName": "code",
        "pubkeys": [{"pubkey": SOUTH.public_base64, "expiresAt": "2031-01-01T00:00:00Z"}],
    }


async def test_the_list_follows_health_and_rotation_at_once() -> None:
    hub = hub_under_test()
    await hub.send("GET", "/v1/code/vasps")
    await hub.hub.state.set_health("south", up=False)
    assert (await hub.send("GET", "/v1/code/vasps")).json()["vasps"][2]["health"] == "down"
    await hub.hub.state.put_member(member("south", STRANGER), up=True)
    changed = (await hub.send("GET", "/v1/code/vasps")).json()["vasps"][2]
    assert (changed["health"], changed["pubkeys"][0]["pubkey"]) == ("up", STRANGER.public_base64)


async def test_public_keys_list_all_keys_of_the_target() -> None:
    hub = hub_under_test()
    await hub.hub.state.put_member(member("south", SOUTH, STRANGER), up=True)
    keys = (await hub.send("GET", "/v1/code/Vasp/south/pubkey")).json()["pubkeys"]
    assert [key["pubkey"] for key in keys] == [SOUTH.public_base64, STRANGER.public_base64]


async def test_the_current_key_can_be_asked_for_with_an_old_one_in_hand() -> None:
    hub = hub_under_test()
    assert (await hub.send("GET", "/v1/code/Vasp/south/pubkey", remote=STRANGER)).status_code == 200


async def test_coin_networks_come_from_the_file() -> None:
    networks = [{"coin": "XRP", "networkList": [{"network": "XRP", "addressExample": "r", "txIdExample": "t"}]}]
    hub = hub_under_test(coin_networks=networks)
    answer = (await hub.send("GET", "/v1/code/connect/coin-network")).json()
    assert answer["coinNetworks"] == networks
    assert answer["updatedDateTime"].endswith("Z")


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/", 404),
        ("GET", "/v1/code/vasp/south/pubkey", 404),
        ("GET", "/v1/code/vasps/", 404),
        ("GET", "/v1/code/connect/vasps", 404),
        ("POST", "/v1/code/connect/south", 404),
        ("DELETE", "/v1/code/vasps", 405),
    ],
)
async def test_unknown_paths_answer_in_the_one_shape(method: str, path: str, status: int) -> None:
    answer = await hub_under_test().send(method, path)
    assert answer.status_code == status
    assert set(answer.json()) == {"errorType", "errorMsg"}


async def test_the_hub_may_be_asked_by_itself_but_answers_no_transfer() -> None:
    hub = hub_under_test()
    answer = await hub.send("GET", "/v1/code/vasps", key=NORTH, origin=f"code:{HUB_ENTITY}")
    assert error_of(answer) == (422, "INVALID_HEADER_SIGNATURE")
