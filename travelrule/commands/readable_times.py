"""Times and durations as text for people."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo

_UNITS = ((86_400, "d"), (3_600, "h"), (60, "min"), (1, "s"))
TENTHS_BELOW_SECONDS = 10
"""Shorter durations have tenths."""


def moment_text(moment: datetime, zone: tzinfo | None = UTC) -> str:
    """``2026-11-22 09:30:05 UTC``; ``zone`` None is this machine's zone."""
    local = moment.astimezone(zone)
    return f"{local:%Y-%m-%d %H:%M:%S} {local.tzname()}"


def duration_text(duration: timedelta) -> str:
    """The two largest units: ``0.4 s``, ``3 min 5 s``, ``2 d 4 h``. The sign is dropped."""
    seconds = abs(duration.total_seconds())
    if seconds < TENTHS_BELOW_SECONDS:
        return f"{seconds:.1f} s"
    left = round(seconds)
    parts: list[str] = []
    for size, unit in _UNITS:
        count, left = divmod(left, size)
        if count or parts:
            parts.append(f"{count} {unit}" if count else "")
    return " ".join(part for part in parts[:2] if part)


def distance_text(moment: datetime, now: datetime) -> str:
    """``3 min 5 s ago`` or ``in 2 h``."""
    text = duration_text(moment - now)
    return f"{text} ago" if moment <= now else f"in {text}"
