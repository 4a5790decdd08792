"""Invariant 7 from outside: which member was listed as down, when, and which VASP called it nevertheless."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from tests.chaos.evidence import Evidence
from tests.chaos.faults import FORWARDED
from tests.chaos.oracle import Breach

KNOWN_BY_ALL = timedelta(seconds=8)
"""After the alert: the other processes' copies of the directory are up to 5 s old, and what was on its way arrives."""
FOREVER = datetime.max.replace(tzinfo=UTC)

Window = tuple[datetime, datetime]


def windows(evidence: Evidence, vasp: str) -> dict[str, list[Window]]:
    """When ``vasp`` knew each counterparty as down, from its own alerts."""
    turns = sorted(
        (one.data["sequence"], one.key, one.data["code"], one.at)
        for one in evidence.said[vasp]
        if one.topic == "alerts" and one.data["code"] in ("DIRECTORY_VASP_DOWN", "DIRECTORY_VASP_UP") and one.at
    )
    found: dict[str, list[Window]] = {}
    for _, counterparty, code, at in turns:
        known = found.setdefault(counterparty, [])
        if code == "DIRECTORY_VASP_DOWN":
            known.append((at + KNOWN_BY_ALL, FOREVER))
        elif known:
            known[-1] = (known[-1][0], at)
    return found


def the_down_are_left_alone(evidence: Evidence) -> Iterator[Breach]:
    """7: a VASP that is down by the directory is sent nothing."""
    for vasp in evidence.said:
        down = windows(evidence, vasp)
        for call in evidence.calls:
            if call.caller != vasp or call.operation not in FORWARDED:
                continue
            if any(begin <= call.at < end for begin, end in down.get(call.target, ())):
                yield Breach(
                    7, "broken", call.transfer_id, f"{vasp}: {call.operation} to {call.target}, which was down"
                )
