"""The lists in force as a process screens with them: loaded, updated, never lost, without delaying any request."""

from __future__ import annotations

import asyncio
import itertools
import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from decimal import Decimal
from types import FrameType
from typing import Any

import pytest
from sqlalchemy import update

from tests.contract.engine.policy.test_active_and_gauges import value
from tests.contract.store.rows import NOW
from travelrule import metrics
from travelrule.engine.lists import active_lists as module
from travelrule.engine.lists.active_lists import RETRY, SLICE_SECONDS, TOLD_AGAIN, ActiveLists, ScreeningResult
from travelrule.machine.effects import Alert
from travelrule.messages.assessment import Party
from travelrule.screening.lists.list_content import pack
from travelrule.screening.lists.list_entries import BirthDate, EntryKind, ListAddress, ListEntry, ListName
from travelrule.store import tables
from travelrule.store.database import Database
from travelrule.store.list_versions import ListRepository, ListVersion

THRESHOLD = Decimal("0.9")
LONGEST_LINES = 100_000
"""Lines of Python in a turn of the event loop: one step of building (28,000 at most), one of searching, and whatever
else is ready. A build that does not give way is millions."""
EVM = "0x8589427373D6D84E98730D7795D8f6f8731FDA16"
IVAN = Party(names=("Ivan Przyklad",), kind="person")
MARTA = Party(names=("Marta Beispiel",), kind="person")


def entry(name: str, number: int = 1, kind: EntryKind = "person", address: str = "", **more: Any) -> ListEntry:
    addresses = (ListAddress("USDT", address),) if address else ()
    return ListEntry("", str(number), kind, (ListName(name, "primary"),), addresses=addresses, **more)


class House:
    """The active lists of one process, with the alerts raised, at a time that the test sets."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.lists = ListRepository(database, "north")
        self.now = NOW
        self.told: list[tuple[str, str, str]] = []
        self.active = self.process()

    def process(self) -> ActiveLists:
        return ActiveLists(self.lists, self.tell, self.clock)

    def clock(self) -> datetime:
        return self.now

    async def tell(self, subject: str, alert: Alert) -> None:
        self.told.append((subject, alert.code, alert.severity))

    async def put(self, code: str, *entries: ListEntry) -> str:
        version, content = pack(entries)
        row = ListVersion(code, version, "own-csv", len(entries), len(entries), 0, "{}", None, self.now)
        await self.lists.activate(row, content)
        return version

    async def spoil(self, version: str) -> None:
        table = tables.list_chunks
        async with self.database.begin() as connection:
            await connection.execute(update(table).where(table.c.version == version).values(content=b"spoilt"))
            await connection.execute(update(tables.lists).where(tables.lists.c.version == version).values(size=6))

    async def ask(self, *parties: Party, addresses: tuple[str, ...] = ()) -> ScreeningResult:
        return await self.active.screen(parties, addresses, threshold=THRESHOLD)

    async def found(self, *parties: Party, addresses: tuple[str, ...] = ()) -> list[tuple[str, str, str]]:
        return [(hit.list, hit.entry, hit.what) for hit in (await self.ask(*parties, addresses=addresses)).hits]


@pytest.fixture
def house(database: Database) -> House:
    return House(database)


async def test_without_lists_nothing_is_checked(house: House) -> None:
    await house.active.start()
    assert await house.ask(IVAN, addresses=(EVM,)) == ScreeningResult(checked=False, hits=(), versions={})


async def test_names_and_addresses_of_all_lists_are_found(house: House) -> None:
    first = await house.put("un", entry("Ivan Przyklad", birth_dates=(BirthDate("1981", "1981"),)))
    second = await house.put("own", entry("Muster Holding", 2, "vessel", EVM), entry("Marta Beispiel", 3, "other"))
    await house.active.start()
    screened = await house.ask(Party(names=("?", "PRZYKLAD, Ivan"), kind="person", date_of_birth="1981-02-30"))
    assert screened.checked
    assert screened.versions == {"un": first, "own": second}
    (hit,) = screened.hits
    assert (hit.list, hit.entry, hit.what, hit.score >= THRESHOLD) == ("un", "1", "party", True)
    assert await house.found(MARTA) == [("own", "3", "party")]
    assert await house.found(MARTA.model_copy(update={"kind": "organisation"})) == [("own", "3", "party")]
    assert await house.found(Party(names=("Muster Holding",), kind="organisation")) == [("own", "2", "party")]
    assert await house.found(Party(names=("Muster Holding",), kind="person")) == []


async def test_an_address_is_found_in_any_spelling_of_its_family_and_no_other(house: House) -> None:
    bitcoin = "12jVCWW1ZhTLA5yVnroEJswqKwsfiZKsax"
    await house.put("own", entry("One", 1, address=EVM), entry("Two", 2, address=bitcoin))
    await house.active.start()
    for spelling in (EVM, EVM.lower(), "0x" + EVM[2:].upper(), f" {EVM} "):
        assert await house.found(addresses=("nothing", spelling)) == [("own", "1", "address")]
    assert await house.found(addresses=(bitcoin,)) == [("own", "2", "address")]
    assert await house.found(addresses=(bitcoin.lower(),)) == [], "base58 is exact"
    (hit,) = (await house.ask(addresses=(EVM, EVM.lower()))).hits
    assert hit.score == 1
    assert EVM.lower() not in hit.reason.lower()


async def test_a_threshold_decides_what_a_hit_is(house: House) -> None:
    await house.put("own", entry("Ivan Przyklad"))
    await house.active.start()
    near = Party(names=("Przyklad Ivan",), kind="person")
    assert await house.found(near) == [("own", "1", "party")]
    assert (await house.active.screen([near], [], threshold=Decimal(1))).hits == ()


async def test_a_new_version_is_taken_up_and_told_without_a_restart(house: House) -> None:
    await house.put("own", entry("Ivan Przyklad"))
    await house.active.start()
    seen = house.active.changed
    await house.active.round()
    assert not seen.is_set(), "nothing changed"
    version = await house.put("own", entry("Marta Beispiel"))
    await house.active.round()
    assert seen.is_set()
    assert not house.active.changed.is_set()
    assert house.active.versions == {"own": version}
    assert await house.found(IVAN, MARTA) == [("own", "1", "party")]
    assert await house.found(IVAN) == []


async def test_a_spoilt_version_leaves_the_former_one_and_the_other_lists_in_use(house: House) -> None:
    await house.put("un", entry("Marta Beispiel"))
    former = await house.put("own", entry("Ivan Przyklad"))
    await house.active.start()
    spoilt = await house.put("own", entry("Ivan Przyklad"), entry("Somebody Else", 2))
    await house.spoil(spoilt)
    await house.put("un", entry("Marta Beispiel"), entry("One More", 2))
    await house.active.round()
    screened = await house.ask(IVAN, MARTA)
    assert (screened.checked, [hit.list for hit in screened.hits]) == (True, ["own", "un"])
    assert screened.versions["own"] == former
    assert house.told == [("list:own", "LIST_UNREADABLE", "critical")]
    await house.active.round()
    house.now += RETRY
    await house.active.round()
    assert len(house.told) == 1, "told once a day"
    house.now += TOLD_AGAIN
    await house.active.round()
    assert len(house.told) == 2
    good = await house.put("own", entry("Ivan Przyklad"), entry("Somebody Else", 3))
    await house.active.round()
    assert house.active.versions["own"] == good


async def test_a_process_that_starts_with_a_spoilt_version_takes_the_one_before(house: House) -> None:
    former = await house.put("own", entry("Ivan Przyklad"))
    house.now += timedelta(hours=1)
    await house.spoil(await house.put("own", entry("Ivan Przyklad"), entry("Somebody Else", 2)))
    await house.active.start()
    assert house.active.versions == {"own": former}
    assert (await house.ask(IVAN)).checked
    assert [code for _, code, _ in house.told] == ["LIST_UNREADABLE"]


async def test_a_list_that_cannot_be_read_at_all_means_not_checked_and_takes_no_hit_away(house: House) -> None:
    await house.put("un", entry("Marta Beispiel"))
    await house.spoil(await house.put("own", entry("Ivan Przyklad")))
    await house.active.start()
    screened = await house.ask(IVAN, MARTA)
    assert (screened.checked, [hit.list for hit in screened.hits]) == (False, ["un"])


async def test_what_is_in_use_is_measured_and_a_list_imported_again_is_young(house: House) -> None:
    day = timedelta(days=1)
    await house.put("own", entry("Ivan Przyklad"), entry("Marta Beispiel", 2))
    await house.active.start()
    house.now += day
    await house.active.round()
    assert (value(metrics.LIST_ENTRIES, list="own"), value(metrics.LIST_AGE_SECONDS, list="own")) == (2, 86_400)
    await house.spoil(await house.put("own", entry("Ivan Przyklad")))
    await house.active.round()
    assert (value(metrics.LIST_ENTRIES, list="own"), value(metrics.LIST_AGE_SECONDS, list="own")) == (2, 86_400)
    row = (await house.lists.active())["own"]
    version, content = pack([entry("Ivan Przyklad"), entry("Marta Beispiel", 2)])
    await house.lists.activate(replace(row, version=version, imported_at=house.now), content)
    await house.active.round()
    assert value(metrics.LIST_AGE_SECONDS, list="own") == 0


async def test_the_loop_goes_on_when_the_database_is_away_and_ends_for_anything_else(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "POLL_SECONDS", 0)
    failures: list[BaseException] = [ConnectionResetError(), ZeroDivisionError()]

    async def fail() -> None:
        raise failures.pop(0)

    monkeypatch.setattr(house.active, "round", fail)
    with pytest.raises(ZeroDivisionError):
        await house.active.run(lambda error: isinstance(error, OSError))
    assert failures == []


def many(count: int) -> Iterator[ListEntry]:
    syllables = ("ba", "ko", "ri", "met", "sul", "vane", "dor", "wit", "ze", "nu", "fal", "gost", "hi", "jam", "lek")
    for number in range(count):
        words, rest = [], number * 7919 + 13
        for _ in range(3):
            rest, first = divmod(rest, 15)
            rest, second = divmod(rest + 31, 15)
            words.append((syllables[first] + syllables[second]).title())
        yield entry(f"{' '.join(words)} {number}", number)


class Turns:
    """The lines of Python that this thread runs in each turn of the event loop: what others of the process wait for."""

    def __init__(self) -> None:
        self.longest = self.number = self._lines = 0

    def trace(self, _frame: FrameType, event: str, _argument: Any) -> Any:
        self._lines += event == "line"
        return self.trace

    async def watch(self) -> None:
        while True:
            self._lines = 0
            await asyncio.sleep(0)
            self.longest = max(self.longest, self._lines)
            self.number += 1


@pytest.fixture
def turns() -> Iterator[Turns]:
    turns = Turns()
    before = sys.gettrace()
    sys.settrace(turns.trace)
    yield turns
    sys.settrace(before)


async def test_nobody_waits_while_lists_are_built_replaced_or_searched(
    house: House, turns: Turns, monkeypatch: pytest.MonkeyPatch
) -> None:
    moments = itertools.count()
    # As if each step took its whole slice.
    monkeypatch.setattr(module, "perf_counter", lambda: next(moments) * SLICE_SECONDS)
    await house.put("big", *many(4_000))
    await house.put("other", *many(1_000))
    asked = [Party(names=(f"Bako Rimet {'x' * 200} {number}",), kind="person") for number in range(5)]
    watching = asyncio.create_task(turns.watch())
    await house.active.start()
    assert turns.number > 1_000
    watching.cancel()
    await house.put("other", *many(1_100))
    watching = asyncio.create_task(turns.watch())
    searching = [asyncio.create_task(house.ask(party)) for party in asked]
    await house.active.round()
    await asyncio.gather(*searching)
    watching.cancel()
    assert house.active.versions.keys() == {"big", "other"}
    assert (await house.ask(Party(names=(next(many(1)).name,), kind="person"))).hits
    assert turns.longest < LONGEST_LINES


async def test_a_search_that_began_with_the_former_lists_ends_with_them(house: House) -> None:
    former = await house.put("own", *many(300))
    await house.active.start()
    names = tuple(listed.name for listed in many(300))
    searching = asyncio.create_task(house.ask(Party(names=names, kind="person")))
    await asyncio.sleep(0)
    await house.put("own", entry("Ivan Przyklad"))
    await house.active.round()
    screened = await searching
    assert (screened.versions, len(screened.hits)) == ({"own": former}, 300)
    assert await house.found(IVAN) == [("own", "1", "party")]
