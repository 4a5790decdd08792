"""Times and durations as a person reads them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from travelrule.commands.readable_times import distance_text, duration_text, moment_text

NOON = datetime(2026, 11, 22, 12, 0, 5, 400_000, tzinfo=UTC)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0.0 s"),
        (0.44, "0.4 s"),
        (9.94, "9.9 s"),
        (10, "10 s"),
        (59.6, "1 min"),
        (60, "1 min"),
        (185, "3 min 5 s"),
        (3600, "1 h"),
        (3605, "1 h"),
        (7800, "2 h 10 min"),
        (86_400 * 2 + 4 * 3600 + 59, "2 d 4 h"),
        (86_400 * 2 + 59, "2 d"),
        (-185, "3 min 5 s"),
    ],
)
def test_a_duration_has_two_units(seconds: float, text: str) -> None:
    assert duration_text(timedelta(seconds=seconds)) == text


def test_a_distance_says_which_way() -> None:
    assert distance_text(NOON - timedelta(minutes=3), NOON) == "3 min ago"
    assert distance_text(NOON + timedelta(hours=2), NOON) == "in 2 h"
    assert distance_text(NOON, NOON) == "0.0 s ago"


@pytest.mark.parametrize(
    ("zone", "text"),
    [
        (UTC, "2026-11-22 12:00:05 UTC"),
        (ZoneInfo("Asia/Singapore"), "2026-11-22 20:00:05 +08"),
        (ZoneInfo("Europe/Berlin"), "2026-11-22 13:00:05 CET"),
    ],
)
def test_a_moment_names_its_zone(zone: ZoneInfo, text: str) -> None:
    assert moment_text(NOON, zone) == text
