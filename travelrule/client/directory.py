"""The hub's VASP list with each VASP once, and the changes since the last list.

No I/O. The hub may cache the list and may combine several networks in it (``hub-api.md`` 4.A.1).
``schemas.hub.bodies.VaspList`` has dropped the entries that cannot be read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from schemas.hub.bodies import VaspEntry

Change = Literal["added", "removed", "up", "down", "keys", "profile"]


@dataclass(frozen=True, slots=True)
class VaspChange:
    """One VASP whose entry differs.

    ``what`` is ``added`` or ``removed`` alone, or the parts that differ, in this order: ``up``/``down`` (health),
    ``keys`` (public keys), ``profile`` (name, country, alliance).
    """

    entity_id: str
    what: tuple[Change, ...]


def by_entity(entries: Iterable[VaspEntry]) -> dict[str, VaspEntry]:
    """Map ``vaspEntityId`` to its entry; of several the first counts, unless only a later one is up."""
    listing: dict[str, VaspEntry] = {}
    for entry in entries:
        known = listing.get(entry.vasp_entity_id)
        if known is None or (entry.is_up and not known.is_up):
            listing[entry.vasp_entity_id] = entry
    return listing


def alliance(name: str | None) -> str:
    """Return an alliance name for comparison: case does not count (D43); absent is ``""``."""
    return (name or "").strip().lower()


def same_alliance(first: str | None, second: str | None) -> bool:
    """Whether two alliance names mean the same network."""
    return alliance(first) == alliance(second)


def changes(old: Mapping[str, VaspEntry], new: Mapping[str, VaspEntry]) -> tuple[VaspChange, ...]:
    """Return the entries that differ, sorted by entity id."""
    found = []
    for entity_id in sorted(old.keys() | new.keys()):
        what = _difference(old.get(entity_id), new.get(entity_id))
        if what:
            found.append(VaspChange(entity_id, what))
    return tuple(found)


def _difference(old: VaspEntry | None, new: VaspEntry | None) -> tuple[Change, ...]:
    if old is None or new is None:
        return ("added",) if old is None else ("removed",)
    what: list[Change] = []
    if old.is_up != new.is_up:
        what.append("up" if new.is_up else "down")
    if set(old.pubkeys) != set(new.pubkeys):
        what.append("keys")
    if _profile(old) != _profile(new):
        what.append("profile")
    return tuple(what)


def _profile(entry: VaspEntry) -> tuple[str, ...]:
    return (
        entry.vasp_name or "",
        entry.vasp_legal_name or "",
        (entry.country_of_registration or "").upper(),
        alliance(entry.alliance_name),
    )
