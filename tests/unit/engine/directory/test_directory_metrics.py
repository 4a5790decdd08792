"""Which keys expire when, and whether the directory lists one of ours."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from schemas.hub.bodies import VaspEntry
from travelrule import metrics
from travelrule.engine.directory.directory_metrics import DirectoryMetrics
from travelrule.store.directory import StoredVasp

NOW = datetime(2026, 11, 22, tzinfo=UTC)
OURS, OTHER = "OURS", "OTHER"


def entry(name: str, *keys: tuple[str, int | None], listed: bool = True) -> StoredVasp:
    pubkeys = [
        {"pubkey": key, **({} if days is None else {"expiresAt": (NOW + timedelta(days=days)).isoformat()})}
        for key, days in keys
    ]
    wire: dict[str, Any] = {"vaspEntityId": name, "vaspName": name, "health": "up", "pubkeys": pubkeys}
    return StoredVasp(VaspEntry.from_wire(wire), listed, NOW)


def show(*entries: StoredVasp) -> None:
    directory = {one.entry.vasp_entity_id: one for one in entries}
    DirectoryMetrics("north", (OURS,)).show(directory, NOW)


def expiry(vasp: str, owner: str = "counterparty") -> float | None:
    labels = {"vasp": vasp, "owner": owner}
    found = metrics.REGISTRY.get_sample_value("travelrule_key_expiry_timestamp_seconds", labels)
    return None if found is None else (found - NOW.timestamp()) / 86_400


def test_the_last_key_counts_and_one_without_an_expiry_has_no_end() -> None:
    show(
        entry("south", (OTHER, 3), ("NEWER", 30)),
        entry("east", (OTHER, None), ("NEWER", 30)),
        entry("west", (OTHER, -2)),
        entry("gone", (OTHER, 5), listed=False),
        entry("none"),
    )
    assert [expiry(name) for name in ("south", "east", "west", "gone", "none")] == [30, None, -2, None, None]
    show(entry("west", (OTHER, 4)))
    assert [expiry(name) for name in ("south", "west")] == [None, 4], "what is not listed any more is not served"


@pytest.mark.parametrize(
    ("keys", "listed", "ends"),
    [
        ([(OURS, 9), (OTHER, 99)], 1, 9),
        ([(OTHER, 99)], 0, None),
        ([(OURS, -1)], 0, -1),
        ([(OURS, None)], 1, None),
    ],
)
def test_of_our_own_entry_only_keys_that_we_hold_count(
    keys: list[tuple[str, int | None]], listed: int, ends: float | None
) -> None:
    show(entry("north", *keys))
    assert metrics.REGISTRY.get_sample_value("travelrule_own_key_listed") == listed
    assert expiry("north", "own") == ends


def test_a_directory_without_us_lists_no_key_of_ours() -> None:
    show(entry("south", (OTHER, 1)))
    assert metrics.REGISTRY.get_sample_value("travelrule_own_key_listed") == 0


@pytest.mark.parametrize(("health", "listed", "up"), [("up", True, 1), ("DOWN", True, 0), ("up", False, 0)])
def test_our_own_health_at_the_hub_is_served(health: str, listed: bool, up: int) -> None:
    own = entry("north", (OURS, 9), listed=listed)
    show(StoredVasp(own.entry.model_copy(update={"health": health}), listed, NOW), entry("south"))
    assert metrics.REGISTRY.get_sample_value("travelrule_own_up") == up
    show(entry("south"))
    assert metrics.REGISTRY.get_sample_value("travelrule_own_up") == 0, "an entry that is gone is not up"
