"""Control endpoints: members are added, moved and given new keys; nobody else may do that."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.hub import SOUTH, STRANGER, TRANSFER_ID, error_of
from tests.support.sandbox import ROBOT, listed, real, sandbox, text_key

NEW_SEED = text_key(STRANGER, b"x" * 32)


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/sandbox/faults"),
        ("GET", "/sandbox/faults"),
        ("DELETE", "/sandbox/faults"),
        ("PUT", "/sandbox/members/south"),
        ("GET", "/sandbox/journal"),
    ],
)
@pytest.mark.parametrize("source", ["10.0.0.1", "192.168.1.1", "::2", "not an address"])
async def test_control_is_for_the_loopback_only(method: str, path: str, source: str) -> None:
    answer = await sandbox(client=source).client.request(method, path, json={"fault": "hang"})
    assert error_of(answer) == (403, "ACCESS_DENIED")


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.invalid"},
        {"Host": "127.0.0.1.evil.invalid:9000"},
        {"Host": ""},
        {"Origin": "https://evil.invalid"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:9"},
    ],
)
@pytest.mark.parametrize(("method", "path"), [("GET", "/sandbox/journal"), ("POST", "/sandbox/faults")])
async def test_a_web_page_on_the_same_machine_is_refused(method: str, path: str, headers: dict[str, str]) -> None:
    world = sandbox()
    answer = await world.client.request(method, path, json={"fault": "hang"}, headers=headers)
    assert error_of(answer) == (403, "ACCESS_DENIED")
    assert (await world.client.get("/sandbox/faults")).json() == {"faults": []}


@pytest.mark.parametrize("host", ["localhost:9000", "127.0.0.1", "[::1]:9000"])
async def test_the_machine_itself_has_several_names(host: str) -> None:
    headers = {"Host": host, "Origin": f"http://{host}"}
    assert (await sandbox().client.get("/sandbox/faults", headers=headers)).status_code == 200


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", ""])
async def test_a_body_must_say_that_it_is_json(kind: str) -> None:
    world = sandbox()
    answer = await world.client.post("/sandbox/faults", content=b'{"fault":"hang"}', headers={"Content-Type": kind})
    assert error_of(answer) == (422, "INVALID_MSG_FIELD_VALUE")
    assert answer.json()["faults"][0]["field"] == "Content-Type"


@pytest.mark.parametrize("source", ["127.0.0.1", "127.1.2.3", "::1"])
async def test_every_loopback_address_may(source: str) -> None:
    assert (await sandbox(client=source).client.get("/sandbox/faults")).status_code == 200


async def test_a_rotated_robot_refuses_the_old_key_opens_with_the_new_and_keeps_its_transfers() -> None:
    world = sandbox()
    await world.authorize()
    answer = await world.client.put("/sandbox/members/robot", json=listed("robot", robot={"seed": NEW_SEED}))
    assert (answer.status_code, answer.json()["pubkeys"][0]["pubkey"]) == (200, STRANGER.public_base64)
    assert error_of(await world.authorize()) == (422, "INVALID_RECEIVER_PUBLIC_KEY")
    assert (await world.authorize(remote=STRANGER)).json()["result"] == "verified"
    assert (await world.report("tx1"))["result"] == "normal"
    keys = (await world.send("GET", "/v1/code/Vasp/robot/pubkey")).json()["pubkeys"]
    assert [key["pubkey"] for key in keys] == [STRANGER.public_base64]


async def test_a_robot_without_seed_gets_another_key_each_time() -> None:
    world = sandbox()
    seen = set()
    for _ in range(3):
        answer = await world.client.put("/sandbox/members/robot", json=listed("robot", robot={}))
        seen.add(answer.json()["pubkeys"][0]["pubkey"])
    assert len(seen | {ROBOT.public_base64}) == 4


async def test_a_rotated_real_member_signs_with_its_new_key_only() -> None:
    world = sandbox()
    await world.client.put("/sandbox/members/south", json=real("south", STRANGER))
    old = await world.send("GET", "/v1/code/vasps", key=SOUTH, origin="code:south")
    assert error_of(old) == (422, "INVALID_HEADER_SIGNATURE")
    assert (await world.send("GET", "/v1/code/vasps", key=STRANGER, origin="code:south")).status_code == 200


async def test_a_member_is_moved_and_one_is_added() -> None:
    world = sandbox()
    moved = {**real("south", SOUTH), "baseUrl": "http://elsewhere.invalid"}
    assert (await world.client.put("/sandbox/members/south", json=moved)).status_code == 200
    member = await world.sandbox.state.member("south")
    assert member is not None
    assert member.base_url == "http://elsewhere.invalid"
    assert (await world.client.put("/sandbox/members/east", json=real("east", STRANGER))).status_code == 201
    vasps = (await world.send("GET", "/v1/code/vasps")).json()["vasps"]
    assert [vasp["vaspEntityId"] for vasp in vasps] == ["codevasp", "north", "south", "robot", "nowhere", "east"]


async def test_a_robot_becomes_a_real_member_and_an_unreachable_one() -> None:
    world = sandbox()
    world.south.says(result="normal", transferId=TRANSFER_ID)
    await world.client.put("/sandbox/members/robot", json=real("robot", ROBOT))
    assert (await world.report("tx1"))["result"] == "normal"
    assert len(world.south.calls) == 1
    await world.client.put("/sandbox/members/robot", json=listed("robot"))
    vasps = (await world.send("GET", "/v1/code/vasps")).json()["vasps"]
    assert {vasp["vaspEntityId"]: vasp["health"] for vasp in vasps}["robot"] == "down"


@pytest.mark.parametrize(
    ("path", "body", "told"),
    [
        ("south", {"vaspEntityId": "north"}, "the one in the path"),
        ("south", [], "the one in the path"),
        ("codevasp", real("codevasp", STRANGER), "is the hub itself"),
        ("south", {"vaspLegalName": "S", "countryOfRegistration": "SG", "baseUrl": "http://x"}, "has no pubkeys"),
        ("robot", listed("robot", robot={"answers": "maybe"}), "must be one of"),
    ],
)
async def test_faulty_members_are_refused_and_change_nothing(path: str, body: Any, told: str) -> None:
    world = sandbox()
    before = await world.sandbox.state.revision()
    answer = await world.client.put(f"/sandbox/members/{path}", json=body)
    assert answer.status_code == 422
    assert told in answer.text
    assert await world.sandbox.state.revision() == before


async def test_what_is_no_json_is_told() -> None:
    world = sandbox()
    headers = {"Content-Type": "application/json"}
    answer = await world.client.put("/sandbox/members/south", content=b"{", headers=headers)
    assert answer.json()["faults"] == [{"field": "body", "fix": "is no JSON"}]
