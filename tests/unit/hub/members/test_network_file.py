"""Members files: read as TOML and JSON, every fault at once with place and fix."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.hub import NORTH, SOUTH
from travelrule.errors import ConfigurationError
from travelrule.hub.members.network_file import NetworkFile, hub_member
from travelrule.hub.spec_files import parse_spec, read_document

SOUTH_SPEC = {
    "vaspEntityId": "south",
    "vaspLegalName": "South Exchange Ltd.",
    "countryOfRegistration": "SG",
    "allianceName": "code",
    "pubkeys": [{"pubkey": SOUTH.public_base64, "expiresAt": "2031-01-01T00:00:00Z"}],
    "baseUrl": "http://127.0.0.1:8082/",
}


def _faults(content: Any) -> dict[str, str]:
    with pytest.raises(ConfigurationError) as refused:
        parse_spec(NetworkFile, content, "members.json")
    return {fault.name: fault.fix for fault in refused.value.faults}


def test_a_member_becomes_its_directory_entry() -> None:
    (spec,) = parse_spec(NetworkFile, {"members": [SOUTH_SPEC]}, "f").members
    entry = spec.member()
    assert (entry.entity_id, entry.base_url, entry.alliance) == ("south", "http://127.0.0.1:8082", "code")
    assert entry.pubkeys[0].expires is not None


def test_an_expiry_that_is_no_date_is_kept_and_means_unknown() -> None:
    odd = {**SOUTH_SPEC, "pubkeys": [{"pubkey": SOUTH.public_base64, "expiresAt": "2022-06-31T23:59:59Z"}]}
    (key,) = parse_spec(NetworkFile, {"members": [odd]}, "f").members[0].member().pubkeys
    assert (key.expires_at, key.expires) == ("2022-06-31T23:59:59Z", None)


def test_a_name_of_another_place_is_not_suggested_for_itself() -> None:
    faults = _faults({"members": [{**SOUTH_SPEC, "memberTimeoutSeconds": 3}], "pubkeys": []})
    assert faults == {
        "members.json members[0].memberTimeoutSeconds": "is not known here: move or remove it",
        "members.json pubkeys": "is not known here: move or remove it",
    }


def test_all_faults_are_told_at_once_with_their_place() -> None:
    faults = _faults(
        {
            "members": [
                {**SOUTH_SPEC, "pubkeys": [{"pubkey": "AAAA"}], "baseUrl": "127.0.0.1:8082"},
                {"vaspEntityID": "east", "countryOfRegistration": "sg"},
            ],
            "memberTimeoutSeconds": 0,
            "hub": {"seed": "secret-text"},
        }
    )
    assert faults["members.json members[0].pubkeys[0].pubkey"].startswith("must be an Ed25519 public key")
    assert "root URL" in faults["members.json members[0].baseUrl"]
    assert faults["members.json members[1].vaspEntityId"] == "is missing: add it"
    assert faults["members.json members[1].vaspEntityID"] == "is not known: did you mean vaspEntityId?"
    assert "members.json members[1].countryOfRegistration" in faults
    assert "members.json memberTimeoutSeconds" in faults
    assert "keys generate" in faults["members.json hub.seed"]
    assert not any("secret-text" in fix for fix in faults.values())


@pytest.mark.parametrize(
    ("members", "told"),
    [
        ([SOUTH_SPEC, SOUTH_SPEC], "name south twice"),
        ([{**SOUTH_SPEC, "vaspEntityId": "codevasp"}], "is the hub itself"),
        ([{**SOUTH_SPEC, "pubkeys": []}], "has no pubkeys"),
    ],
)
def test_members_that_contradict_themselves(members: list[dict[str, Any]], told: str) -> None:
    assert any(told in fix for fix in _faults({"members": members}).values())


def test_the_same_file_as_toml_and_json(tmp_path: Path) -> None:
    (tmp_path / "m.json").write_text(json.dumps({"members": [SOUTH_SPEC], "rateLimitPerMinute": 5}))
    (tmp_path / "m.toml").write_text(
        f"""
rateLimitPerMinute = 5
[[members]]
vaspEntityId = "south"
vaspLegalName = "South Exchange Ltd."
countryOfRegistration = "SG"
allianceName = "code"
baseUrl = "http://127.0.0.1:8082/"
pubkeys = [{{pubkey = "{SOUTH.public_base64}", expiresAt = "2031-01-01T00:00:00Z"}}]
"""
    )
    read = [parse_spec(NetworkFile, read_document(tmp_path / name), name) for name in ("m.json", "m.toml")]
    assert read[0] == read[1]


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("m.json", b'{"members": [}', "line 1"),
        ("m.toml", b"members = [", "no TOML"),
        ("m.json", b"\xff\xfe", "UTF-8"),
        ("m.json", None, "no such file"),
    ],
)
def test_files_that_cannot_be_read(tmp_path: Path, name: str, content: bytes | None, told: str) -> None:
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ConfigurationError, match=told):
        read_document(path)


def test_the_hub_has_its_own_entry_and_seeds_stay_hidden() -> None:
    assert hub_member(NORTH).entity_id == "codevasp"
    seed = "kFW2RN0w/4hp/HJRRdVyzwCjxRncCnrsUn1a/7fxTRc="
    network = parse_spec(NetworkFile, {"hub": {"seed": seed}}, "f")
    key = network.hub.own_key()
    assert key is not None
    assert key.public_base64 == "wR1Gtiixh2GuBQuki01oJuZ4znqwK/MgXYFwt8g+I+s="
    assert seed not in repr(network)
    assert seed not in network.model_dump_json()
