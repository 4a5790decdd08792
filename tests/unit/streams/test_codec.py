from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.events.txids import WithdrawalBroadcast
from schemas.events.wallets import WalletRemoved
from schemas.nesting_depth import DEPTH_MAX
from schemas.registry import EVENTS, TOPICS
from streams import codec
from streams.codec import CODES, SIZE_MAX, read, reader, write_event
from tests.unit.streams.records import ID, NOW, accepted, event, read_bytes, read_event, record, refused
from travelrule.machine.input import Input, RawMessage, Rejected

TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


def test_a_structured_event_becomes_an_input() -> None:
    got = accepted(read_event(traceparent=TRACE, future="ignored"))
    assert (got.source, got.id, got.type) == ("/platform", "e-1", "withdrawal.broadcast.v1")
    assert got.subject == f"withdrawal:{ID}"
    assert got.at == datetime(2026, 11, 20, 9, tzinfo=UTC)
    assert got.data == WithdrawalBroadcast(withdrawal_id=ID, txid="AB01")
    assert got.traceparent == TRACE
    assert got.raw is not None
    assert got.raw.offset == 42


def test_content_is_the_same_whatever_the_order_of_fields() -> None:
    one = accepted(read_bytes(orjson.dumps(event(data={"withdrawalId": ID, "txid": "AB01"}))))
    two = accepted(read_bytes(orjson.dumps(event(data={"txid": "AB01", "withdrawalId": ID})), headers=()))
    assert one.content == two.content == orjson.dumps({"txid": "AB01", "withdrawalId": ID})
    assert WithdrawalBroadcast.model_validate_json(one.content) == one.data


def test_two_inputs_never_share_their_salt() -> None:
    assert accepted(read_event()).salt != accepted(read_event()).salt


BINARY = (
    ("ce_specversion", b"1.0"),
    ("ce_id", b"e-1"),
    ("ce_source", b"/platform"),
    ("ce_type", b"withdrawal.broadcast.v1"),
    ("ce_subject", ID.encode()),
    ("ce_time", b"2026-11-20T09:00:00Z"),
    ("ce_traceparent", TRACE.encode()),
    ("content-type", b"application/json; charset=utf-8"),
)
BODY = orjson.dumps({"withdrawalId": ID, "txid": "AB01"})


def test_binary_mode_says_the_same_as_structured() -> None:
    binary = accepted(read_bytes(BODY, headers=BINARY))
    structured = accepted(read_event(traceparent=TRACE))
    for name in ("source", "id", "type", "subject", "at", "data", "content", "traceparent"):
        assert getattr(binary, name) == getattr(structured, name), name


def test_header_names_are_compared_without_case() -> None:
    headers = tuple((name.title(), value) for name, value in BINARY)
    assert accepted(read_bytes(BODY, headers=headers)).id == "e-1"


def test_structured_wins_over_stray_attributes() -> None:
    headers = (("content-type", b"application/cloudevents+json; charset=UTF-8"), ("ce_id", b"other"))
    assert accepted(read_bytes(orjson.dumps(event()), headers=headers)).id == "e-1"


def test_trace_context_in_plain_headers_counts() -> None:
    got = accepted(read_bytes(orjson.dumps(event()), headers=(("traceparent", TRACE.encode()),)))
    assert got.traceparent == TRACE


@pytest.mark.parametrize(
    ("headers", "code"),
    [
        ((("content-type", b"application/cloudevents-batch+json"),), "UNSUPPORTED_FORMAT"),
        ((("content-type", b"application/cloudevents+avro"),), "UNSUPPORTED_FORMAT"),
        ((*BINARY[:-1], ("content-type", b"text/plain")), "INVALID_VALUE"),
        ((*BINARY[1:4], ("ce_subject", b"\xff")), "INVALID_TEXT"),
        (tuple((f"ce_x{n}", b"") for n in range(100)), "TOO_LONG"),
    ],
)
def test_headers_that_are_refused(headers: tuple[tuple[str, bytes], ...], code: str) -> None:
    assert refused(read_bytes(BODY, headers=headers))[0] == code


@pytest.mark.parametrize(
    ("value", "code"),
    [
        (b"", "INVALID_JSON"),
        (b"not json", "INVALID_JSON"),
        (b'{"id": "\xff"}', "INVALID_JSON"),
        (b'{"id": "\\ud800"}', "INVALID_JSON"),
        (b'{"id": 1e400}', "INVALID_JSON"),
        (b"[" * 5000 + b"]" * 5000, "INVALID_JSON"),
        (b"[]", "WRONG_TYPE"),
        (b"null", "WRONG_TYPE"),
        (b'{"x": "\\u0000"}', "INVALID_TEXT"),
        (b'{"data": {"a\\u0000": 1}}', "INVALID_TEXT"),
        (b'{"data": [["\\u0000"]]}', "INVALID_TEXT"),
        (b'{"x": ' + b"[" * DEPTH_MAX + b"]" * DEPTH_MAX + b"}", "TOO_DEEP"),
        (b'{"x": "' + b"a" * SIZE_MAX + b'"}', "TOO_LARGE"),
    ],
)
def test_bytes_that_are_refused(value: bytes, code: str) -> None:
    assert refused(read_bytes(value)) == (code, "")


def test_an_escaped_backslash_before_u0000_is_no_nul() -> None:
    data = {"withdrawalId": ID, "txid": "AB01", "note": r"\u0000"}
    assert accepted(read_event(data=data)).content == orjson.dumps(data, option=orjson.OPT_SORT_KEYS)


@pytest.mark.parametrize(
    ("changes", "code", "field"),
    [
        ({"type": ...}, "MISSING_FIELD", "type"),
        ({"type": "withdrawal.broadcast.v2"}, "UNKNOWN_TYPE", "type"),
        ({"type": ["a"]}, "UNKNOWN_TYPE", "type"),
        ({"type": "withdrawal.requested.v1"}, "WRONG_TOPIC", "type"),
        ({"type": "withdrawal.verdict.v1"}, "WRONG_TOPIC", "type"),
        ({"id": ...}, "MISSING_FIELD", "id"),
        ({"id": ""}, "EMPTY_VALUE", "id"),
        ({"source": 7}, "WRONG_TYPE", "source"),
        ({"specversion": "0.3"}, "INVALID_VALUE", "specversion"),
        ({"time": "yesterday"}, "INVALID_TIME", "time"),
        ({"subject": ...}, "MISSING_FIELD", "subject"),
        ({"datacontenttype": "application/xml"}, "INVALID_VALUE", "datacontenttype"),
        ({"data": ...}, "MISSING_FIELD", "data"),
        ({"data": "text"}, "WRONG_TYPE", "data"),
        ({"data": {"withdrawalId": ID}}, "MISSING_FIELD", "data.txid"),
        ({"data": {"withdrawalId": ID, "txid": 5}}, "WRONG_TYPE", "data.txid"),
        ({"data": {"withdrawalId": "other", "txid": "AB01"}}, "KEY_MISMATCH", "key"),
        ({"subject": "other"}, "KEY_MISMATCH", "subject"),
    ],
)
def test_events_that_are_refused(changes: dict[str, Any], code: str, field: str) -> None:
    assert refused(read_event(**changes)) == (code, field)


@pytest.mark.parametrize("room", ["hub", "timers", "subjects", "lists", "directory", "gateway", "kafka"])
@pytest.mark.parametrize(
    "form",
    [
        "/{0}",
        "/{0}/",
        "/{0}/code:south",
        "//{0}",
        "///{0}//x",
        "/./{0}",
        "/platform/../{0}",
        "/{0}/..",
        "/{0}/../platform",
        "/%2E/{0}",
        "%2F{0}",
        "%252F{0}",
        "/{0}?a=b",
        "/{0}#a",
        "\\{0}",
    ],
)
def test_a_platform_does_not_speak_as_a_part_of_this_program(room: str, form: str) -> None:
    encoded = "".join(f"%{ord(letter):02x}" for letter in room)
    for name in (room, room.upper(), room.title(), encoded, encoded.replace("%", "%25")):
        source = form.format(name)
        assert refused(read_event(source=source)) == ("RESERVED_SOURCE", "source"), source


@pytest.mark.parametrize(
    "source",
    [
        "/platform",
        "/platform/hub",
        "/operator/north",
        "/hubs",
        "/hub-of-ours",
        "/subjects2/x",
        "hub",
        "https://platform.example/hub",
        "/travelrule/north",
        "/a/../b",
        "urn:uuid:0b6f3c1e-7d0a-4f6e-9a51-2f1d9d1f7c11",
        "/100%",
    ],
)
def test_a_platform_may_name_its_source_otherwise_as_it_likes(source: str) -> None:
    assert accepted(read_event(source=source)).source == source


def test_a_source_in_the_headers_of_binary_mode_is_held_to_the_same() -> None:
    headers = tuple((name, b"/subjects" if name == "ce_source" else value) for name, value in BINARY)
    assert refused(read_bytes(BODY, headers=headers)) == ("RESERVED_SOURCE", "source")


@pytest.mark.parametrize("key", [None, b"", b"other", b"\xff"])
def test_the_key_is_the_subject(key: bytes | None) -> None:
    assert refused(read_event(key=key)) == ("KEY_MISMATCH", "key")


def test_without_time_the_time_of_receipt_counts() -> None:
    assert accepted(read_event(time=...)).at == NOW
    assert accepted(reader(lambda: NOW)(record(orjson.dumps(event(time=...))))).at == NOW


def test_an_operators_decision_keeps_its_qualified_subject() -> None:
    subject = f"exchange:code:north/{ID}"
    data = {"subject": subject, "decision": "allow", "actor": "kim", "reason": "checked"}
    key = f"code:north/{ID}"
    got = read_event("decisions", key.encode(), type="decision.recorded.v1", subject=key, data=data)
    assert accepted(got).subject == subject


def test_a_tombstone_removes_a_wallet() -> None:
    got = accepted(read_bytes(None, "wallets", b"w-1", (("traceparent", TRACE.encode()),)))
    assert (got.type, got.subject, got.at) == ("wallet.removed.v1", "wallet:w-1", NOW)
    assert (got.source, got.id) == ("/kafka/wallets", "3-42")
    assert got.data == WalletRemoved(wallet_id="w-1")
    assert got.content == b'{"walletId":"w-1"}'
    assert got.traceparent == TRACE


def test_a_tombstone_with_unreadable_headers_removes_it_all_the_same() -> None:
    assert accepted(read_bytes(None, "wallets", b"w-1", (("ce_x", b"\xff"),))).traceparent is None


@pytest.mark.parametrize("topic", [name for name, spec in TOPICS.items() if not spec.compacted])
def test_tombstones_elsewhere_are_refused(topic: str) -> None:
    assert refused(read_bytes(None, topic)) == ("TOMBSTONE_NOT_ALLOWED", "")


@pytest.mark.parametrize(("key", "code"), [(None, "EMPTY_VALUE"), (b"\xff", "KEY_MISMATCH"), (b"\x00", "INVALID_TEXT")])
def test_a_tombstone_needs_a_key(key: bytes | None, code: str) -> None:
    assert refused(read_bytes(None, "wallets", key))[0] == code


def test_our_own_mistake_is_a_rejection_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: object) -> bytes:
        raise RecursionError

    monkeypatch.setattr(codec, "canonical", broken)
    assert refused(read_event())[0] == "UNREADABLE"


def test_what_we_write_can_be_read() -> None:
    data = {"withdrawalId": ID, "txid": "AB01"}
    value = write_event(
        type="withdrawal.broadcast.v1",
        source="/travelrule/north",
        id="e-9",
        subject=ID,
        time=NOW,
        data=data,
        traceparent=TRACE,
    )
    got = accepted(read_bytes(value))
    assert (got.id, got.at, got.traceparent) == ("e-9", NOW, TRACE)


def test_a_rejection_repeats_nothing_of_the_message() -> None:
    secret = "Anna Berg 1990-02-03"
    data = {"withdrawalId": ID, "txid": [secret], secret: 1}
    for result in (read_event(data=data), read_event(type=secret), read_event(key=secret.encode())):
        assert isinstance(result, Rejected)
        assert secret not in f"{result.code} {result.field} {result.fix} {result!r} {result.raw!r}"


def test_codes_are_declared() -> None:
    assert all(code == code.upper() and text for code, text in CODES.items())


_json = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=20,
)
_topics = st.sampled_from(sorted(TOPICS))
_types = st.sampled_from(sorted(EVENTS)) | st.text(max_size=8)
_headers = st.lists(
    st.tuples(st.sampled_from(["ce_id", "ce_type", "content-type", "traceparent", "x"]), st.binary(max_size=40)),
    max_size=5,
).map(tuple)


@settings(max_examples=100)
@given(topic=_topics, key=st.none() | st.binary(max_size=8), value=st.none() | st.binary(), headers=_headers)
def test_no_bytes_make_it_raise(
    topic: str, key: bytes | None, value: bytes | None, headers: tuple[tuple[str, bytes], ...]
) -> None:
    result = read(RawMessage(topic, 0, 0, key, value, headers), topic, received_at=NOW)
    assert isinstance(result, Rejected | Input)
    assert getattr(result, "code", "") != "UNREADABLE"


@settings(max_examples=100)
@given(topic=_topics, event_type=_types, changes=st.dictionaries(st.sampled_from([*event()]), _json), data=_json)
def test_no_json_makes_it_raise(topic: str, event_type: str, changes: dict[str, Any], data: Any) -> None:
    value = orjson.dumps(event(**{"data": data, "type": event_type} | changes))
    result = read(RawMessage(topic, 0, 0, b"k", value), topic, received_at=NOW)
    assert isinstance(result, Rejected | Input)
    assert getattr(result, "code", "") != "UNREADABLE"


ANNA, RLO = {"lastName": "Berg", "firstName": "Anna"}, {"lastName": "\u202e"}
WITHDRAWAL = {
    "withdrawalId": ID,
    "currency": "BTC",
    "amount": "1",
    "tradePrice": "1",
    "tradeCurrency": "USD",
    "isExceedingThreshold": False,
    "destination": {"kind": "vasp", "vaspEntityId": "south", "address": "a"},
    "originator": {"customerId": "c", "natural": ANNA},
    "beneficiary": {"natural": ANNA},
}
WALLET = {"walletId": ID, "address": "a", "currencies": ["BTC"], "customerId": "c", "kyc": True}


@pytest.mark.parametrize(
    ("topic", "kind", "data", "field"),
    [
        ("withdrawals", "withdrawal.requested.v1", WITHDRAWAL | {"beneficiary": {"natural": RLO}}, "beneficiary"),
        (
            "withdrawals",
            "withdrawal.requested.v1",
            WITHDRAWAL | {"originator": {"customerId": "c", "natural": RLO}},
            "originator",
        ),
        (
            "withdrawals",
            "withdrawal.recorded.v1",
            WITHDRAWAL | {"txid": "ab", "beneficiary": {"natural": RLO}},
            "beneficiary",
        ),
        ("withdrawals", "withdrawal.amended.v1", {"withdrawalId": ID, "beneficiary": {"natural": RLO}}, "beneficiary"),
        ("wallets", "wallet.registered.v1", WALLET | {"owner": {"natural": RLO}}, "owner"),
    ],
)
def test_a_name_that_is_none_is_refused_with_its_field(topic: str, kind: str, data: dict[str, Any], field: str) -> None:
    got = read_event(topic, type=kind, data=data)
    assert refused(got) == ("INVALID_NAME", f"data.{field}.natural.lastName")
    assert "\u202e" not in str(got)
    named = {**data, field: {**data[field], "natural": ANNA}}
    assert accepted(read_event(topic, type=kind, data=named)).type == kind
