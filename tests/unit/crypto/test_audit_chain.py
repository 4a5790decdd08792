from datetime import UTC, datetime, timedelta, timezone
from functools import reduce

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from travelrule.crypto.audit_chain import CHAIN_START, record_hash, sign_root, verify_root
from travelrule.crypto.signing import SigningKey

KEY = SigningKey(bytes([9] * 32))
AT = datetime(2026, 11, 20, 9, 0, 0, 250_000, tzinfo=UTC)
ROOT = bytes(range(32))


def chain_head(bodies: list[bytes], start: bytes = CHAIN_START) -> bytes:
    return reduce(record_hash, bodies, start)


@settings(max_examples=50, deadline=None)
@given(bodies=st.lists(st.binary(max_size=20), min_size=1, max_size=6), where=st.integers(0, 100))
def test_any_change_of_the_history_changes_the_head(bodies: list[bytes], where: int) -> None:
    head = chain_head(bodies)
    at = where % len(bodies)
    assert chain_head([*bodies[:at], bodies[at] + b"x", *bodies[at + 1 :]]) != head
    assert chain_head(bodies[:at] + bodies[at + 1 :]) != head
    assert chain_head([*bodies, b""]) != head
    assert chain_head(bodies[at:], chain_head(bodies[:at])) == head


def test_the_border_between_previous_and_body_counts() -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        record_hash(CHAIN_START[:-1], b"\x00")


def test_signed_root_survives_only_unchanged() -> None:
    signature = sign_root(KEY, 5, ROOT, AT)
    public = KEY.public_base64
    assert verify_root(public, 5, ROOT, AT, signature)
    assert verify_root(public, 5, ROOT, AT.astimezone(timezone(timedelta(hours=9))), signature)
    assert verify_root(public, 5, ROOT, AT.replace(microsecond=0), signature)
    assert not verify_root(public, 6, ROOT, AT, signature)
    assert not verify_root(public, 5, bytes(32), AT, signature)
    assert not verify_root(public, 5, ROOT, AT + timedelta(seconds=1), signature)
    assert not verify_root(SigningKey(bytes(32)).public_base64, 5, ROOT, AT, signature)
    assert not verify_root(public, 5, ROOT, AT, signature[:-4] + "AA==")
    assert not verify_root(public, 5, ROOT, AT, "no base64")


def test_naive_time_and_short_root_are_our_own_fault() -> None:
    with pytest.raises(ValueError, match="aware"):
        sign_root(KEY, 5, ROOT, AT.replace(tzinfo=None))
    with pytest.raises(ValueError, match="32 bytes"):
        sign_root(KEY, 5, b"", AT)
