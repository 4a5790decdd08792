"""The age of lists: an alert when a list is too old, again daily, no more when it was renewed."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from tests.contract.store.rows import NOW
from travelrule.engine.lists import list_age as module
from travelrule.engine.lists.list_age import ListAgeJob
from travelrule.machine.effects import Alert
from travelrule.policy.policy import Policy
from travelrule.store.database import Database
from travelrule.store.leases import LeaseRepository
from travelrule.store.list_versions import ListRepository, ListVersion

DAY = timedelta(days=1)
DATED = ListVersion("un", "a" * 64, "un-xml", 1003, 4193, 0, "{}", NOW - 5 * DAY, NOW)
UNDATED = ListVersion("own", "b" * 64, "own-csv", 2, 6, 2, "{}", None, NOW)


class Watched:
    """A watch whose alerts are kept, at a time that the test sets."""

    def __init__(self, database: Database, name: str = "one") -> None:
        self.now = NOW
        self.rules = Policy()
        self.told: list[tuple[str, str]] = []
        self.lists = ListRepository(database, "north")
        leases = LeaseRepository(database, "north", name, self.clock)
        self.watch = ListAgeJob(self.lists, leases, lambda: self.rules, self.tell, self.clock)

    def clock(self) -> datetime:
        return self.now

    async def tell(self, subject: str, alert: Alert) -> None:
        self.told.append((subject, alert.code))

    async def at(self, now: datetime) -> list[tuple[str, str]]:
        self.now = now
        self.told.clear()
        await self.watch.round()
        return list(self.told)


async def test_an_old_list_is_an_alert_daily_until_it_is_renewed(database: Database) -> None:
    watched = Watched(database)
    await watched.lists.activate(DATED, b"un")
    await watched.lists.activate(UNDATED, b"own")
    assert await watched.at(NOW + 2 * DAY) == []
    late = NOW + 2 * DAY + timedelta(seconds=1)
    assert await watched.at(late) == [("list:un", "LIST_STALE")]
    assert await watched.at(late + timedelta(hours=23)) == []
    assert await watched.at(late + DAY) == [("list:un", "LIST_STALE")]
    renewed = replace(DATED, version="c" * 64, published_at=late + DAY)
    await watched.lists.activate(renewed, b"renewed")
    assert await watched.at(late + 2 * DAY) == []


async def test_an_undated_list_that_is_imported_again_is_fresh(database: Database) -> None:
    watched = Watched(database)
    await watched.lists.activate(UNDATED, b"own")
    assert await watched.at(NOW + 8 * DAY) == [("list:own", "LIST_STALE")]
    await watched.lists.activate(replace(UNDATED, imported_at=NOW + 8 * DAY), b"own")
    assert await watched.at(NOW + 9 * DAY) == []
    assert await watched.at(NOW + 16 * DAY) == [("list:own", "LIST_STALE")], "told at once, not a day after the first"


async def test_no_list_at_all_is_an_alert_where_the_policy_requires_them(database: Database) -> None:
    watched = Watched(database)
    assert await watched.at(NOW) == [("list:-", "LISTS_UNAVAILABLE")]
    assert await watched.at(NOW + timedelta(hours=23)) == []
    assert await watched.at(NOW + DAY) == [("list:-", "LISTS_UNAVAILABLE")]
    watched.rules = Policy(sanctions="off")
    assert await watched.at(NOW + 3 * DAY) == []
    watched.rules = Policy()
    assert await watched.at(NOW + 3 * DAY) == [("list:-", "LISTS_UNAVAILABLE")]
    await watched.lists.activate(replace(UNDATED, imported_at=NOW + 4 * DAY), b"own")
    assert await watched.at(NOW + 5 * DAY) == []


async def test_one_process_tells_and_the_loop_outlives_a_database_failure_only(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LOOK_SECONDS", 0)
    first, second = Watched(database, "first"), Watched(database, "second")
    for watched in (first, second):
        await watched.lists.activate(DATED, b"un")
        watched.now = NOW + 30 * DAY
        failures: list[BaseException | None] = [ConnectionResetError(), None, ZeroDivisionError()]
        take = watched.watch._leases.take

        async def fails(*arguments: Any, left: Any = failures, take: Any = take) -> bool:
            failure = left.pop(0)
            if failure is not None:
                raise failure
            return await take(*arguments)  # type: ignore[no-any-return]

        monkeypatch.setattr(watched.watch._leases, "take", fails)
        with pytest.raises(ZeroDivisionError):
            await watched.watch.run(lambda error: isinstance(error, OSError))
    assert first.told == [("list:un", "LIST_STALE")]
    assert second.told == []
