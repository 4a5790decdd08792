from __future__ import annotations

from datetime import UTC, datetime

from streams.dead_letter_headers import DeadLetterHeaders
from streams.topics import Topics
from travelrule.machine.input import RawMessage, Rejected

FIRST = datetime(2026, 11, 20, 9, 0, 0, 5000, tzinfo=UTC)
LATER = datetime(2026, 11, 20, 10, tzinfo=UTC)


def _headers(
    original: tuple[tuple[str, bytes], ...], at: datetime, code: str = "UNKNOWN_TYPE"
) -> list[tuple[str, bytes]]:
    raw = RawMessage("txids", 3, 42, b"k", b"v", original)
    return DeadLetterHeaders(Topics("north."))(Rejected(raw, code, "type", "send a known type"), at)


def test_the_headers_of_the_contract() -> None:
    assert _headers((("ce_id", b"1"), ("ce_id", b"2")), FIRST) == [
        ("ce_id", b"1"),
        ("ce_id", b"2"),
        ("__streams.errors.topic", b"north.txids"),
        ("__streams.errors.partition", b"3"),
        ("__streams.errors.offset", b"42"),
        ("__streams.errors.exception", b"UNKNOWN_TYPE"),
        ("__streams.errors.message", b"UNKNOWN_TYPE"),
        ("__streams.errors.stacktrace", b"UNKNOWN_TYPE"),
        ("travelrule.error.code", b"UNKNOWN_TYPE"),
        ("travelrule.error.field", b"type"),
        ("travelrule.error.fix", b"send a known type"),
        ("travelrule.attempts", b"1"),
        ("travelrule.first_failure_at", b"2026-11-20T09:00:00.005Z"),
    ]


def test_a_replay_counts_on_and_keeps_the_first_failure() -> None:
    first = tuple(_headers((("ce_id", b"1"),), FIRST))
    second = _headers(first, LATER, "CONFLICT")
    assert [name for name, _ in second] == [name for name, _ in first]
    values = dict(second)
    assert values["travelrule.attempts"] == b"2"
    assert values["travelrule.first_failure_at"] == b"2026-11-20T09:00:00.005Z"
    assert values["travelrule.error.code"] == b"CONFLICT"


def test_attempts_of_a_strangers_making_count_as_none() -> None:
    for former in (b"many", b"", b"9" * 5000, b"-1"):
        assert dict(_headers((("travelrule.attempts", former),), FIRST))["travelrule.attempts"] == b"1"


def test_the_field_and_the_fix_of_a_replay_are_those_of_its_own_refusal() -> None:
    first = tuple(_headers((), FIRST))
    raw = RawMessage("txids", 3, 43, b"k", b"v", first)
    values = dict(DeadLetterHeaders(Topics("north."))(Rejected(raw, "INVALID_JSON", "", "send one JSON object"), LATER))
    assert (values["travelrule.error.field"], values["travelrule.error.fix"]) == (b"", b"send one JSON object")
