"""Whether our clock is right: the hub refuses requests that are minutes off, and verdicts contain our time."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

from travelrule.commands.doctor.check import Check

CLOCK = "clock"
OFF_MAX = timedelta(seconds=60)
"""A hub's tolerance is minutes; a clock that NTP keeps is right to milliseconds."""


def clock(ahead: Mapping[str, timedelta | None]) -> Check:
    """Compare with other clocks: ``ahead`` is how far each is ahead of ours, by name."""
    seen = {name: offset for name, offset in ahead.items() if offset is not None}
    if not seen:
        detail = f"nothing to compare with: no time from the {' or the '.join(ahead)}"
        return Check(
            CLOCK,
            ok=False,
            detail=detail,
            fix="correct what their checks name and run doctor again; set the clock by NTP",
        )
    detail = ", ".join(_told(name, offset) for name, offset in seen.items())
    if max(abs(offset) for offset in seen.values()) > OFF_MAX:
        return Check(CLOCK, ok=False, detail=detail, fix="set this machine's clock by NTP, or that of the other side")
    return Check(CLOCK, ok=True, detail=detail)


def _told(name: str, offset: timedelta) -> str:
    seconds = round(abs(offset).total_seconds())
    if seconds == 0:
        return f"as the {name}"
    return f"{seconds} s {'behind' if offset > timedelta(0) else 'ahead of'} the {name}"
