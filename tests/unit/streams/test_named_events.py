"""What a refused record names: type, subject and event, as far as they can be read and agree with the key."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from streams.codec import SIZE_MAX
from tests.unit.streams.records import ID, Headers, event, read_bytes
from travelrule.machine.input import Rejected

REQUESTED = "withdrawal.requested.v1"
NAMES = (REQUESTED, f"withdrawal:{ID}", "/platform#e-1")
NOTHING = ("", "", "")
BINARY: Headers = (
    ("ce_id", b"e-1"),
    ("ce_source", b"/platform"),
    ("ce_type", REQUESTED.encode()),
    ("ce_subject", ID.encode()),
    ("content-type", b"application/json"),
)


def names(value: bytes | None, headers: Headers = (), key: bytes | None = ID.encode()) -> tuple[str, str, str]:
    result = read_bytes(value, "withdrawals", key, headers)
    assert isinstance(result, Rejected), result
    return result.type, result.subject, result.event


def request(**changes: Any) -> bytes:
    """A request without any of the fields that it needs, but its id."""
    return orjson.dumps(event(**{"type": REQUESTED, "data": {"withdrawalId": ID}, **changes}))


@pytest.mark.parametrize(
    "value",
    [
        request(),
        request(data={}),
        request(data=["no object"]),
        request(data={"withdrawalId": 7}),
        request(subject=...),
        request(time="yesterday"),
        request(source="/hub").replace(b"/hub", b"/platform").replace(b'"1.0"', b'"9"'),
        request(data={"withdrawalId": ID, "beneficiary": "\x00"}),
        request(data={"withdrawalId": ID, "amount": eval("[" * 80 + "]" * 80)}),  # noqa: S307 - a deep list
    ],
    ids=["data", "no-id-in-data", "list", "number", "no-subject", "time", "specversion", "nul", "deep"],
)
def test_a_refused_request_names_its_withdrawal(value: bytes) -> None:
    assert names(value) == NAMES


@pytest.mark.parametrize("body", [b"{", b"\xff", b"[]", b"{}", b" " * (SIZE_MAX + 1)])
def test_the_headers_of_binary_mode_name_it_whatever_the_body_is(body: bytes) -> None:
    assert names(body, BINARY) == NAMES


@pytest.mark.parametrize("kind", ["withdrawal.requested", "withdrawal.requested.v2", "withdrawal.requested.v10"])
def test_a_version_that_there_is_not_is_a_request_still(kind: str) -> None:
    assert names(request(type=kind)) == NAMES


@pytest.mark.parametrize("changes", [{"id": ...}, {"id": 7}, {"source": ...}, {"id": "a\nb"}, {"id": "x" * 201}])
def test_an_event_that_has_no_readable_id_is_not_named(changes: dict[str, Any]) -> None:
    assert names(request(**changes)) == (REQUESTED, f"withdrawal:{ID}", "")


@pytest.mark.parametrize(
    ("value", "headers", "key"),
    [
        (b"{", (), ID.encode()),
        (b"{}", (), ID.encode()),
        (b" " * (SIZE_MAX + 1), (), ID.encode()),
        (request(type="somebody.elses.v1"), (), ID.encode()),
        (request(type=7), (), ID.encode()),
        (request(), (("content-type", b"application/cloudevents-batch+json"),), ID.encode()),
    ],
)
def test_what_cannot_be_read_names_nothing(value: bytes, headers: Headers, key: bytes) -> None:
    assert names(value, headers, key) == NOTHING


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({}, b"another"),
        ({}, None),
        ({}, b"\xff"),
        ({"data": {"withdrawalId": "another"}}, ID.encode()),
        ({"subject": "another"}, ID.encode()),
        ({"subject": ..., "data": {}}, ID.encode()),
        ({"subject": "a\x01", "data": {"withdrawalId": "a\x01"}}, b"a\x01"),
        ({"subject": "a" * 201, "data": {"withdrawalId": "a" * 201}}, b"a" * 201),
    ],
    ids=["key", "no-key", "binary-key", "data", "subject", "only-key", "control", "long"],
)
def test_without_one_id_that_all_agree_on_no_subject_is_named(changes: dict[str, Any], key: bytes | None) -> None:
    assert names(request(**changes), key=key) == (REQUESTED, "", "/platform#e-1")


def test_events_of_other_types_name_their_subject_too() -> None:
    wallet = orjson.dumps(event(type="wallet.registered.v1", data={"walletId": ID}))
    refused = read_bytes(wallet, "wallets")
    assert isinstance(refused, Rejected)
    assert (refused.type, refused.subject) == ("wallet.registered.v1", f"wallet:{ID}")


def test_the_right_to_write_to_one_topic_names_no_subject_of_another() -> None:
    for topic in ("wallets", "txids", "deposits", "screenings", "decisions"):
        refused = read_bytes(request(), topic)
        assert isinstance(refused, Rejected)
        assert (refused.code, refused.type, refused.subject) == ("WRONG_TOPIC", REQUESTED, "")


@pytest.mark.parametrize(
    ("subject", "named"),
    [
        (f"withdrawal:{ID}", f"withdrawal:{ID}"),
        (f"deposit:{ID}", f"deposit:{ID}"),
        (ID, ""),
        ("withdrawal:another", ""),
        (7, ""),
        ("withdrawal:", ""),
    ],
)
def test_a_refused_decision_names_the_subject_of_its_data(subject: object, named: str) -> None:
    value = orjson.dumps(event(type="decision.recorded.v1", data={"subject": subject, "decision": "perhaps"}))
    result = read_bytes(value, "decisions", ID.encode(), ())
    assert isinstance(result, Rejected), result
    assert (result.type, result.subject, result.event) == ("decision.recorded.v1", named, "/platform#e-1")
