"""The VASP list: each VASP once, and what differs from the last one."""

from __future__ import annotations

import pytest

from schemas.hub.bodies import VaspEntry
from tests.support.hub_function import OWN, PEER
from travelrule.client.directory import by_entity, changes, same_alliance


def entry(entity_id: str = "south", **changes: object) -> VaspEntry:
    raw = {
        "vaspEntityId": entity_id,
        "vaspName": entity_id,
        "vaspLegalName": "South Exchange Ltd.",
        "health": "up",
        "allianceName": "code",
        "countryOfRegistration": "SG",
        "pubkeys": [{"pubkey": PEER.public_base64, "expiresAt": "2031-01-01T00:00:00Z"}],
    }
    return VaspEntry.model_validate({**raw, **changes})


def test_of_two_entries_the_first_counts_unless_only_the_other_is_up() -> None:
    first, second = entry(vaspLegalName="A"), entry(vaspLegalName="B")
    assert by_entity([first, second, entry("east")]) == {"south": first, "east": entry("east")}
    down = entry(health="DOWN")
    assert by_entity([down, second]) == {"south": second}
    assert by_entity([second, down]) == {"south": second}


@pytest.mark.parametrize(
    ("new", "what"),
    [
        (entry(), ()),
        (entry(allianceName="CODE", countryOfRegistration="sg"), ()),
        (entry(health="down"), ("down",)),
        (entry(pubkeys=[{"pubkey": OWN.public_base64}]), ("keys",)),
        (entry(pubkeys=[{"pubkey": PEER.public_base64, "expiresAt": "2032-01-01T00:00:00Z"}]), ("keys",)),
        (entry(vaspLegalName="Other"), ("profile",)),
        (entry(allianceName="gtr", health="down", pubkeys=[]), ("down", "keys", "profile")),
    ],
)
def test_what_changed(new: VaspEntry, what: tuple[str, ...]) -> None:
    found = changes({"south": entry()}, {"south": new})
    assert tuple(change.what for change in found) == ((what,) if what else ())


def test_added_and_removed_in_order() -> None:
    found = changes({"b": entry("b"), "a": entry("a")}, {"b": entry("b"), "c": entry("c")})
    assert [(change.entity_id, change.what) for change in found] == [("a", ("removed",)), ("c", ("added",))]


def test_alliances_are_compared_without_case() -> None:
    assert same_alliance(" CODE", "code")
    assert not same_alliance(None, "code")
    assert same_alliance(None, "")
