"""The copy of a dead letter fits into its topic, whatever was refused."""

from __future__ import annotations

from aiokafka.record.default_records import DefaultRecordBatchBuilder
from hypothesis import given
from hypothesis import strategies as st

from schemas.registry import DEAD_LETTER_BYTES
from travelrule.engine.apply.dead_letter_copy import HEADERS_MAX, KEY_MAX, TRUNCATED, VALUE_MAX, dead_letter_copy

SEAL = 29
OURS = (("travelrule.error.code", b"TOO_LARGE"), ("__streams.errors.topic", b"t" * 249))


def test_what_fits_is_left_as_it_is() -> None:
    copy = dead_letter_copy(b"w-1", b"{}", [("traceparent", b"x"), *OURS])
    assert (copy.key, copy.value, copy.headers) == (b"w-1", b"{}", (("traceparent", b"x"), *OURS))
    assert dead_letter_copy(None, b"", []).key is None


def test_what_is_cut_says_how_long_it_was() -> None:
    value = bytes(range(256)) * 12_000
    copy = dead_letter_copy(b"w-1", value, OURS)
    assert copy.value == value[:VALUE_MAX]
    assert copy.headers == (*OURS, (TRUNCATED, str(len(value)).encode()))


def test_headers_that_do_not_fit_are_left_out_but_never_ours() -> None:
    many = [(f"h{number}", b"x" * 1000) for number in range(100)]
    copy = dead_letter_copy(b"w-1", b"{}", [*many, *OURS])
    assert [header for header in copy.headers if header[0].startswith("h")] == many[:65]
    assert copy.headers[65:] == (*OURS, (TRUNCATED, b"2"))


@given(
    st.none() | st.integers(0, 2 * KEY_MAX),
    st.integers(0, 4 * VALUE_MAX),
    st.lists(st.tuples(st.text(max_size=40), st.integers(0, 2 * HEADERS_MAX)), max_size=30),
)
def test_it_is_never_larger_than_the_topic_takes(key: int | None, value: int, headers: list[tuple[str, int]]) -> None:
    content = bytes(4 * VALUE_MAX)
    whole = [(name, content[:size]) for name, size in headers if not name.startswith("travelrule.")]
    copy = dead_letter_copy(None if key is None else content[:key], content[:value], [*whole, *OURS])
    size = DefaultRecordBatchBuilder.estimate_size_in_bytes(copy.key, copy.value, list(copy.headers))
    assert size + SEAL < DEAD_LETTER_BYTES - 1000
    names = [name for name, _ in copy.headers if name != TRUNCATED]
    is_cut = (key or 0) > KEY_MAX or value > VALUE_MAX or len(names) < len(whole) + len(OURS)
    assert (TRUNCATED in dict(copy.headers)) is is_cut
