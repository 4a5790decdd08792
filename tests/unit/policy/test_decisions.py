"""The section ``[decisions]`` of a policy: what is read, and what is refused before it is in force."""

import pytest

from travelrule.crypto.signing import SigningKey
from travelrule.policy.policy import Policy
from travelrule.policy.policy_file import PolicyFaults

KEY = SigningKey(b"A" * 32).public_base64


def key(name: str = "alice-1", actor: str = "alice", public_key: str = KEY, more: str = "") -> str:
    return f'[decisions.keys.{name}]\nactor = "{actor}"\npublic_key = "{public_key}"\n{more}\n'


def faults_of(text: str) -> list[tuple[str, str]]:
    with pytest.raises(PolicyFaults) as caught:
        Policy.from_toml(text)
    assert all(fault.fix and KEY not in fault.fix for fault in caught.value.faults)
    return [(fault.field, fault.code) for fault in caught.value.faults]


def test_a_policy_from_before_leaves_decisions_open_and_keeps_its_version() -> None:
    assert Policy.default().decisions.authority == "open"
    assert Policy.from_toml('[decisions]\nauthority = "open"').version == Policy.default().version


def test_keys_are_part_of_the_version() -> None:
    rules = '[decisions]\nauthority = "signed"\n'
    versions = {Policy.from_toml(rules + keys).version for keys in (key(), key("alice-2"), key(actor="bob"))}
    assert len(versions) == 3


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('[decisions]\nauthority = "everybody"', [("decisions.authority", "UNKNOWN_VALUE")]),
        ('[decisions]\nauthority = "signed"', [("decisions.keys", "CONTRADICTION")]),
        ("[decisions]\nvalid_seconds = 0", [("decisions.valid_seconds", "OUT_OF_RANGE")]),
        ("[decisions]\nvalid_seconds = 86401", [("decisions.valid_seconds", "OUT_OF_RANGE")]),
        (key(public_key="AAAA"), [("decisions.keys.alice-1.public_key", "INVALID_VALUE")]),
        (key(public_key=KEY[:-1]), [("decisions.keys.alice-1.public_key", "INVALID_VALUE")]),
        (key(more="valid_until = 2027-01-01T00:00:00"), [("decisions.keys.alice-1.valid_until", "INVALID_VALUE")]),
        (key(more="until = 1"), [("decisions.keys.alice-1.until", "UNKNOWN_NAME")]),
        (key() + key("bob-1", "bob"), [("decisions.keys.bob-1", "CONTRADICTION")]),
    ],
)
def test_what_cannot_be_meant(text: str, found: list[tuple[str, str]]) -> None:
    assert faults_of(text) == found


@pytest.mark.parametrize("point", [bytes(32), bytes([1]) + bytes(31)], ids=["zero", "identity"])
def test_a_key_that_anybody_can_sign_for_is_none(point: bytes) -> None:
    """Points of small order verify signatures that were made without any private key."""
    import base64

    found = faults_of(key(public_key=base64.b64encode(point).decode()))
    assert found == [("decisions.keys.alice-1.public_key", "INVALID_VALUE")]


def test_an_actor_may_have_two_keys_while_rotating() -> None:
    second = SigningKey(b"B" * 32).public_base64
    policy = Policy.from_toml(key() + key("alice-2", public_key=second, more="valid_until = 2027-01-01T00:00:00Z"))
    assert {one.actor for one in policy.decisions.keys.values()} == {"alice"}
