"""What the hub says of a VASP's health reaches every process in time, by one fetcher that spares the hub."""

from __future__ import annotations

import itertools
import math
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from datetime import datetime, timedelta

import pytest

from schemas.hub.bodies import VaspList
from tests.contract.engine.station import Station, robot
from travelrule import metrics
from travelrule.client.codes import error_of
from travelrule.engine.directory.counterparties import COPY_SECONDS
from travelrule.engine.directory.fetch_schedule import STALE_INTERVALS, tried_at
from travelrule.engine.gauges import GaugeJob
from travelrule.engine.vault import Vault
from travelrule.store.database import Database

INTERVAL_SECONDS = 20


@pytest.fixture
async def station(database: Database, vault: Vault) -> AsyncIterator[Station]:
    made = Station(database, vault, [robot(), robot("west", b"w")])
    async with aclosing(made.hub), made.control:
        await made.listing()
        yield made


async def second(station: Station) -> None:
    """A second passes: the refresher looks, calls are made."""
    station.clock.forward(1)
    await station.refresher.round()
    await station.calls_all()


async def test_with_default_settings_a_vasp_that_is_listed_down_is_sent_nothing_after_the_interval(
    station: Station,
) -> None:
    """Invariant 7, with both processes of an installation: the one that fetches and another one."""
    other = station.another_caller("p2", station.another_view())
    for number in range(5):
        await station.withdraw(f"before-{number}")
        await second(station)
    sent_before = len(station.seen("address-search"))
    assert sent_before == 5
    await station.put(robot(health="down"))
    for number in range(INTERVAL_SECONDS):
        await station.withdraw(f"meanwhile-{number}")
        await second(station)
    sent = len(station.seen("address-search")) + len(station.seen("transfer-authorization"))
    for number in range(3 * INTERVAL_SECONDS):
        await station.withdraw(f"after-{number}")
        if number % 2:
            await station.call(other)
        await second(station)
    assert len(station.seen("address-search")) + len(station.seen("transfer-authorization")) == sent
    assert (await station.verdicts())[-1] == ("hold", "COUNTERPARTY_UNREACHABLE")
    await station.put(robot())
    for _ in range(2 * INTERVAL_SECONDS):
        await second(station)
    assert (await station.verdicts())[-1] == ("allow", "VERIFIED")


def listed_at(station: Station) -> list[datetime]:
    """When the operations were called that the refresher uses and that the hub limits per address."""
    entries = [*station.seen("vasp-list"), *station.seen("coin-network")]
    return sorted(datetime.fromisoformat(entry["time"]) for entry in entries)


def most_in_a_minute(times: Sequence[datetime]) -> int:
    return max(sum(timedelta() <= other - at < timedelta(minutes=1) for other in times) for at in times)


@pytest.mark.parametrize("fault", [None, (500, 0), (429, 1)])
async def test_demands_of_several_processes_take_less_than_a_quarter_of_the_hubs_40_requests_a_minute(
    station: Station, fault: tuple[int, int] | None
) -> None:
    if fault is not None:
        await station.fault(operation="vasp-list", fault="status", status=fault[0], share=0.5, seed=7)
    views = [station.another_view() for _ in range(3)]
    processes = [station.another_refresher(f"p{number}", view) for number, view in enumerate(views)]
    for at in range(240):
        for view, process in zip(views, processes, strict=True):
            if at % 80 < 60:
                view.wanted.set()
            await process.round()
        station.clock.forward(1)
    times = listed_at(station)
    assert most_in_a_minute(times) < 40 / 4
    if fault is None:
        assert len(times) >= 240 / INTERVAL_SECONDS, "and yet it is kept fresh"
    assert all(not view.wanted.is_set() for view in views)


async def test_too_many_requests_are_answered_with_patience_whatever_is_wanted(station: Station) -> None:
    """The hub names no time, so the wait doubles up to a bound; a named time is kept to the second."""
    await station.fault(operation="vasp-list", fault="status", status=429)
    before = len(listed_at(station))
    for _ in range(200):
        station.counterparties.wanted.set()
        station.clock.forward(10)
        await station.refresher.round()
    times = listed_at(station)[before:]
    gaps = [(later - earlier).total_seconds() for earlier, later in itertools.pairwise(times)]
    assert gaps == [10, 20, 40, 80, 160, 300, 300, 300, 300, 300]


async def test_a_retry_after_is_kept_and_a_list_that_comes_ends_the_patience(
    station: Station, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[datetime] = []
    whole = station.hub.vasp_list

    async def limited(*, traceparent: str | None = None) -> VaspList:
        asked.append(station.clock())
        if len(asked) == 1:
            raise error_of("vasp-list", 429, "TOO_MANY_REQUESTS", 77.0)
        return await whole(traceparent=traceparent)

    monkeypatch.setattr(station.hub, "vasp_list", limited)
    for _ in range(100):
        station.counterparties.wanted.set()
        station.clock.forward(1)
        await station.refresher.round()
    assert [(at - asked[0]).total_seconds() for at in asked] == [0, 77, 82, 87, 92]


@pytest.mark.parametrize(
    ("status", "code", "wanted"),
    [
        (408, "BENEFICIARY_VASP_REQUEST_TIMEOUT", True),
        (503, "VASP_BACKEND_INTERNAL_ERROR", True),
        (503, "", True),
        (500, "RECEIVED_WRONG_JSON_MESSAGE", True),
        (500, "RECEIVED_MSG_MISSING_FIELD", True),
        (500, "CODE_SERVER_INTERNAL_ERROR", False),
        (502, "", False),
        (504, "", False),
        (429, "TOO_MANY_REQUESTS", False),
        (422, "INVALID_MSG_FIELD_VALUE", False),
    ],
)
async def test_an_answer_that_names_the_member_asks_for_its_health(
    station: Station, status: int, code: str, *, wanted: bool
) -> None:
    await station.fault(operation="address-search", fault="status", status=status, errorType=code)
    await station.withdraw()
    await station.calls_all()
    assert len(station.seen("address-search")) == 1
    assert station.counterparties.wanted.is_set() is wanted


async def test_another_process_learns_the_health_within_a_second_and_fetches_nothing(station: Station) -> None:
    view = station.another_view()
    found = await view.get("south")
    assert found is not None
    assert found.up
    await station.put(robot(health="down"))
    await station.refresh()
    lists = len(station.seen("vasp-list"))
    station.clock.forward(COPY_SECONDS + 0.1)
    found = await view.get("south")
    assert found is not None
    assert not found.up
    assert len(station.seen("vasp-list")) == lists


async def test_who_asks_only_for_changed_keys_learns_the_age_of_the_list_too(station: Station) -> None:
    """A process whose only calls are repeated with a changed key must not take the list for outdated without end."""
    view = station.another_view()
    assert await view.get("south", fresh=True) is not None
    assert not view.outdated(), "it began a moment ago"
    for _ in range(2 * STALE_INTERVALS):
        station.clock.forward(INTERVAL_SECONDS)
        await station.refresh()
        await view.get("south", fresh=True)
        assert not view.outdated()


async def test_a_list_older_than_its_limit_sends_nothing_and_alerts(station: Station) -> None:
    """Who is down cannot be told any more, so nothing goes to anyone until the hub gives the list again."""
    await station.fault(operation="vasp-list", fault="status", status=500)
    for _ in range(STALE_INTERVALS):
        station.clock.forward(INTERVAL_SECONDS - 1)
        await second(station)
    assert await station.alerts() == []
    await station.withdraw("in-time")
    await station.calls_all()
    assert (await station.verdicts())[-1] == ("allow", "VERIFIED")
    sent = len(station.seen())
    await second(station)
    await station.withdraw("too-late")
    for _ in range(62):
        await second(station)
        station.clock.forward(59)
    assert len(station.seen()) == sent
    assert await station.alerts() == ["DIRECTORY_STALE", "DIRECTORY_STALE"], "once an hour"
    await station.clear_faults()
    for _ in range(INTERVAL_SECONDS + 5):
        await second(station)
    assert len(await station.alerts()) == 2
    assert (await station.verdicts())[-1] == ("allow", "VERIFIED")


async def test_a_list_that_was_overtaken_does_not_replace_a_newer_one(station: Station) -> None:
    """A process that was frozen inside its fetch stores late what was true long ago."""
    late = await station.counterparties.fetch(networks=False)
    assert late is not None
    await station.put(robot(health="down"))
    await station.refresh()
    await station.counterparties.store(late)
    stored = await station.directory.get("south")
    assert stored is not None
    assert not stored.up


async def test_of_two_processes_that_see_a_fetch_due_one_begins_it(station: Station) -> None:
    fetches = station.directory.fetches
    state = await fetches.read()
    began = [await fetches.begin(state, tried_at(state, station.clock())) for _ in range(2)]
    assert began == [True, False]


async def test_the_age_of_the_list_is_a_metric(station: Station) -> None:
    gauges = GaugeJob(station.database, "north", station.clock)
    station.clock.forward(42)
    await gauges.round()
    assert metrics.REGISTRY.get_sample_value("travelrule_directory_age_seconds") == 42
    await GaugeJob(station.database, "nobody", station.clock).round()
    assert metrics.REGISTRY.get_sample_value("travelrule_directory_age_seconds") == math.inf
