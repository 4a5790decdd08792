"""The stored directory: what was listed, what vanished, and whom nothing may be sent to."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from schemas.hub.bodies import CoinNetworks, PublicKey, VaspEntry
from tests.contract.store.rows import NOW, after
from travelrule.store.database import Database
from travelrule.store.directory import DirectoryRepository

KEY = PublicKey(pubkey="wbFoqLVxayF7Uz+YSsixnEJr88ll/J+wOhRsbAQ/pO4=", expires_at=datetime(2031, 1, 1, tzinfo=UTC))
NEWER = PublicKey(pubkey="wR1Gtiixh2GuBQuki01oJuZ4znqwK/MgXYFwt8g+I+s=", expires_at=None)


def entry(name: str = "south", **changes: object) -> VaspEntry:
    return VaspEntry.model_validate(
        {
            "vaspEntityId": name,
            "vaspLegalName": "South “Größe” Ltd.",
            "countryOfRegistration": "DE",
            "allianceName": "code",
            "health": "up",
            "pubkeys": [KEY],
            **changes,
        }
    )


@pytest.fixture
def directory(database: Database) -> DirectoryRepository:
    return DirectoryRepository(database, "north")


async def store(directory: DirectoryRepository, *entries: VaspEntry, at: float = 0) -> None:
    await directory.store({one.vasp_entity_id: one for one in entries}, await directory.all(), after(at))


async def test_what_was_listed_comes_back_whole(directory: DirectoryRepository) -> None:
    await store(directory, entry(), entry("west", pubkeys=[KEY, NEWER], countryOfRegistration=None))
    known = await directory.all()
    assert {name: stored.entry for name, stored in known.items()} == {
        "south": entry(),
        "west": entry("west", pubkeys=[KEY, NEWER], countryOfRegistration=None),
    }
    assert await directory.get("west") == known["west"]
    assert await directory.get("nobody") is None
    assert known["south"].refreshed_at == NOW


async def test_what_vanished_is_kept_but_not_up(directory: DirectoryRepository) -> None:
    await store(directory, entry(), entry("west"))
    await store(directory, entry("west"), at=60)
    gone = await directory.get("south")
    assert gone is not None
    assert (gone.listed, gone.up, gone.entry, gone.refreshed_at) == (False, False, entry(), NOW)
    await store(directory, entry(), entry("west"), at=120)
    back = await directory.get("south")
    assert back is not None
    assert (back.listed, back.up, back.refreshed_at) == (True, True, after(120))


@pytest.mark.parametrize(
    ("health", "up"),
    [("up", True), (" UP ", True), ("degraded", True), ("down", False), (" DOWN", False), ("Down", False)],
)
async def test_a_vasp_that_is_down_is_not_up(directory: DirectoryRepository, health: str, *, up: bool) -> None:
    """hub-api.md 4.A.1: ``down`` must not be sent requests; otherwise the field is an open text by the schema."""
    await store(directory, entry(health=health))
    stored = await directory.get("south")
    assert stored is not None
    assert stored.up is up


async def test_fetched_keys_replace_the_stored_ones_and_nothing_else(directory: DirectoryRepository) -> None:
    await store(directory, entry(health="down"))
    await directory.store_keys("south", (NEWER,), after(5))
    stored = await directory.get("south")
    assert stored is not None
    assert stored.entry == entry(health="down", pubkeys=[NEWER])
    assert (stored.up, stored.listed, stored.refreshed_at) == (False, True, after(5))
    assert await directory.store_keys("nobody", (KEY,), NOW) is None
    assert await directory.get("nobody") is None, "keys of a stranger make no entry"


async def test_keys_of_a_vasp_that_vanished_do_not_list_it_again(directory: DirectoryRepository) -> None:
    await store(directory, entry(), entry("west"))
    await store(directory, entry("west"))
    await directory.store_keys("south", (NEWER,), after(5))
    stored = await directory.get("south")
    assert stored is not None
    assert not stored.listed


async def test_networks_by_coin(directory: DirectoryRepository) -> None:
    assert await directory.networks() == {}

    async def tell(**coins: list[str]) -> None:
        listed = [
            {"coin": coin, "networkList": [{"network": name, "addressExample": "x"} for name in names]}
            for coin, names in coins.items()
        ]
        await directory.store_networks(CoinNetworks.model_validate({"coinNetworks": listed}), NOW)

    await tell(usdt=["ETH", "TRX"], XRP=["XRP"])
    assert await directory.networks() == {"USDT": ("ETH", "TRX"), "XRP": ("XRP",)}
    await tell(USDT=["SOL"])
    assert await directory.networks() == {"USDT": ("SOL",)}, "what is not listed any more is gone"
    await tell(usdt=["ETH"], USDT=["TRX"], Usdt=["SOL"])
    assert await directory.networks() == {"USDT": ("SOL",)}, "a coin named twice breaks nothing"


async def test_installations_in_one_database_do_not_see_each_other(
    database: Database, directory: DirectoryRepository
) -> None:
    other = DirectoryRepository(database, "east")
    await store(directory, entry())
    await store(other, entry(health="down"))
    mine, theirs = await directory.get("south"), await other.get("south")
    assert mine is not None
    assert theirs is not None
    assert (mine.up, theirs.up) == (True, False)
