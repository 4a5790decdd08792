"""World files: the shape of the contract, and clear faults."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.hub import SOUTH, STRANGER
from tests.support.sandbox import ROBOT_SEED, listed, real
from travelrule.errors import ConfigurationError
from travelrule.sandbox.world.world_file import load_world, parse_world

CONTRACT = {
    "hub": {"seed": "kFW2RN0w/4hp/HJRRdVyzwCjxRncCnrsUn1a/7fxTRc="},
    "members": [
        {
            "vaspEntityId": "south",
            "vaspLegalName": "South Exchange Ltd.",
            "countryOfRegistration": "SG",
            "allianceName": "code",
            "pubkeys": [{"pubkey": SOUTH.public_base64, "expiresAt": "2031-01-01T00:00:00Z"}],
            "baseUrl": "http://127.0.0.1:8082",
        },
        {
            "vaspEntityId": "robot-eu",
            "vaspLegalName": "Robot Europe",
            "countryOfRegistration": "DE",
            "allianceName": "code",
            "robot": {
                "answers": "verified",
                "reasonType": "",
                "delaySeconds": 0,
                "wallets": [
                    {
                        "address": "1KzHK8WMRHRCvRjUV5PFny3v6fqT3UAY5K",
                        "currency": "BTC",
                        "owner": {"natural": {"lastName": "kim", "firstName": "code"}},
                    }
                ],
                "withdrawals": [
                    {
                        "txid": "9f1c",
                        "address": "rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY:77001",
                        "currency": "XRP",
                        "amount": "250.5",
                        "originator": {"natural": {"lastName": "Berg", "firstName": "Anna"}},
                    }
                ],
            },
        },
    ],
    "coinNetworks": [
        {"coin": "XRP", "networkList": [{"network": "XRP", "addressExample": "r...", "txIdExample": "..."}]}
    ],
    "screening": {
        "wallets": {"<address>": {"category": "BLACK", "tags": ["Phishing"]}},
        "transactions": {"<txid>": {"sender": "BLACK", "receiver": "WHITE"}},
        "kyt": {"<txHash>": {"verdict": "Malicious", "pendingSeconds": 3}},
    },
    "rateLimitPerMinute": 0,
    "memberTimeoutSeconds": 10,
    "healthIntervalSeconds": 30,
    "allowHttpCallbacks": True,
}


def _faults(content: Any) -> dict[str, str]:
    with pytest.raises(ConfigurationError) as refused:
        parse_world(content)
    return {fault.name: fault.fix for fault in refused.value.faults}


def test_the_file_of_the_contract_is_read_whole() -> None:
    world = parse_world(CONTRACT)
    robot = world.members[1].robot
    assert robot is not None
    assert robot.wallets[0].person.natural is not None
    assert (robot.withdrawals[0].amount, world.screening.kyt["<txHash>"].pending_seconds) == ("250.5", 3)
    assert (world.member_timeout_seconds, world.allow_http_callbacks, world.tolerance_seconds) == (10, True, 300)


def test_an_empty_world_is_a_world() -> None:
    world = parse_world({})
    assert (world.members, world.rate_limit_per_minute) == ((), 0)


def test_the_example_is_a_world(request: pytest.FixtureRequest) -> None:
    world = load_world(request.config.rootpath / "examples" / "world.json")
    assert {"north", "south"} <= {member.vasp_entity_id for member in world.members}
    answers = {member.robot.answers for member in world.members if member.robot is not None}
    assert answers == {"verified", "denied", "late", "never", "garbage"}


def test_every_fault_is_told_at_once_with_place_and_fix() -> None:
    faults = _faults(
        {
            "members": [
                listed("a", robot={"answers": "maybe", "wallets": [{"address": "r", "currency": "XRP", "owner": {}}]}),
                listed("b", robot={"withdrawals": [{"txid": "t", "address": "r", "currency": "X", "amount": "x"}]}),
                listed("c", baseURL="http://127.0.0.1:1"),
            ],
            "screening": {"wallets": {"r": {"category": "RED"}}},
            "memberTimeoutSecond": 5,
        }
    )
    assert "'verified', 'denied'" in faults["world members[0].robot.answers"]
    assert faults["world members[0].robot.wallets[0].owner"] == "natural: add natural or legal"
    assert "in quotes" in faults["world members[1].robot.withdrawals[0].amount"]
    assert faults["world members[1].robot.withdrawals[0].originator"] == "is missing: add it"
    assert faults["world members[2].baseURL"] == "is not known: did you mean baseUrl?"
    assert "'WHITE', 'GRAY'" in faults["world screening.wallets.r.category"]
    assert faults["world memberTimeoutSecond"] == "is not known: did you mean memberTimeoutSeconds?"


@pytest.mark.parametrize(
    ("member", "told"),
    [
        (listed("a", robot={"answers": "denied"}), "needs a reasonType"),
        (listed("a", robot={"answers": "late"}), "needs delaySeconds"),
        (real("a", SOUTH, robot={}), "both baseUrl and robot"),
        (real("a", SOUTH, seed=ROBOT_SEED), "only robots have a seed"),
        (listed("a", robot={}, pubkeys=[{"pubkey": SOUTH.public_base64}]), "needs the seed"),
        (listed("a", robot={"seed": ROBOT_SEED}, pubkeys=[{"pubkey": STRANGER.public_base64}]), "do not hold"),
        (listed("a", baseUrl="http://127.0.0.1:1"), "has no pubkeys"),
        (listed("codevasp", robot={}), "is the hub itself"),
        (listed("a b", robot={}), "letters, digits, dots"),
    ],
)
def test_members_that_contradict_themselves(member: dict[str, Any], told: str) -> None:
    assert any(told in fix for fix in _faults({"members": [member]}).values())


def test_members_differ() -> None:
    assert "name a twice" in "".join(_faults({"members": [listed("a", robot={})] * 2}).values())


def test_a_seed_may_stand_beside_or_in_the_robot() -> None:
    for member in (listed("a", robot={}, seed=ROBOT_SEED), listed("a", robot={"seed": ROBOT_SEED})):
        seed = parse_world({"members": [member]}).members[0].robot_seed
        assert seed is not None
        assert seed.get_secret_value() == ROBOT_SEED


def test_faults_and_reprs_hold_no_secrets_and_no_persons() -> None:
    content = {
        "members": [listed("a", robot={"seed": "c2VjcmV0", "wallets": [{"owner": {"natural": {"lastName": 5}}}]})]
    }
    assert "c2VjcmV0" not in str(_faults(content))
    world = parse_world(CONTRACT)
    assert not any(text in repr(world) + str(world) for text in ("kFW2", "Berg", "kim"))


def test_a_file_is_named_in_its_faults(tmp_path: Path) -> None:
    path = tmp_path / "my-world.json"
    path.write_text(json.dumps({"memebrs": []}))
    with pytest.raises(ConfigurationError, match=r"my-world\.json memebrs: is not known: did you mean members\?"):
        load_world(path)
