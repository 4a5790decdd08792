from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest

from travelrule.crypto.peer_keys import choose_key
from travelrule.crypto.signing import SigningKey

NOW = datetime(2026, 11, 20, 9, tzinfo=UTC)


@dataclass(frozen=True)
class Entry:
    pubkey: str
    expires_at: datetime | None = None


def entry(number: int, days: float | None) -> Entry:
    expiry = None if days is None else NOW + timedelta(days=days)
    return Entry(SigningKey(bytes([number] * 32)).public_base64, expiry)


@pytest.mark.parametrize(
    ("days", "chosen"),
    [
        ([10, 20, 15], 1),
        ([-1, 5], 1),
        ([0, 5], 1),  # expires this very moment: expired
        ([None, 1], 1),  # unknown expiry ranks last
        ([-1, None], 1),  # but is usable
        ([None, None], 0),
        ([5, 5], 0),
        ([-1, -2], None),
        ([], None),
    ],
)
def test_choice(days: list[float | None], chosen: int | None) -> None:
    entries = [entry(number, value) for number, value in enumerate(days)]
    assert choose_key(entries, NOW) is (None if chosen is None else entries[chosen])


def test_a_text_that_is_no_key_is_passed_over() -> None:
    # One bad directory entry with a late expiry must not stop all sending to that VASP.
    good = entry(1, 1)
    bad = [Entry(text, NOW + timedelta(days=9)) for text in ("", "garbage", "A" * 43 + "=")]
    assert choose_key([*bad, good], NOW) is good
    assert choose_key(bad, NOW) is None
