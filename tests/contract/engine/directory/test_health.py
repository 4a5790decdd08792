"""The health of a VASP reaches every process in time, through one process that fetches from the hub."""

from __future__ import annotations

import itertools
import math
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from datetime import datetime, timedelta

import pytest

from schemas.hub.bodies import VaspList
from tests.support.installation import EngineInstallation, robot
from travelrule import metrics
from travelrule.client.codes import error_of
from travelrule.client.errors import NoAnswer
from travelrule.engine.directory.counterparties import COPY_SECONDS, CounterpartyDirectory
from travelrule.engine.directory.fetch_schedule import STALE_INTERVALS, tried_at
from travelrule.engine.gauges import GaugeJob
from travelrule.engine.vault import Vault
from travelrule.store.database import Database

INTERVAL_SECONDS = 20


@pytest.fixture
async def north(database: Database, vault: Vault) -> AsyncIterator[EngineInstallation]:
    made = EngineInstallation(database, vault, [robot(), robot("west", b"w")])
    async with aclosing(made.hub), made.control:
        await made.listing()
        yield made


async def second(north: EngineInstallation) -> None:
    """A second passes: the refresher looks, calls are made."""
    north.clock.forward(1)
    await north.refresher.round()
    await north.calls_all()


async def test_with_default_settings_a_vasp_that_is_listed_down_is_sent_nothing_after_the_interval(
    north: EngineInstallation,
) -> None:
    """Invariant 7, with both processes of an installation: the one that fetches and another one."""
    other = north.another_caller("p2", north.another_view())
    for number in range(5):
        await north.withdraw(f"before-{number}")
        await second(north)
    sent_before = len(north.seen("address-search"))
    assert sent_before == 5
    await north.put(robot(health="down"))
    for number in range(INTERVAL_SECONDS):
        await north.withdraw(f"meanwhile-{number}")
        await second(north)
    sent = len(north.seen("address-search")) + len(north.seen("transfer-authorization"))
    for number in range(3 * INTERVAL_SECONDS):
        await north.withdraw(f"after-{number}")
        if number % 2:
            await north.call(other)
        await second(north)
    assert len(north.seen("address-search")) + len(north.seen("transfer-authorization")) == sent
    assert (await north.verdicts())[-1] == ("hold", "COUNTERPARTY_UNREACHABLE")
    await north.put(robot())
    for _ in range(2 * INTERVAL_SECONDS):
        await second(north)
    assert (await north.verdicts())[-1] == ("allow", "VERIFIED")


def listed_at(north: EngineInstallation) -> list[datetime]:
    """When the operations were called that the refresher uses and that the hub limits per address."""
    entries = [*north.seen("vasp-list"), *north.seen("coin-network")]
    return sorted(datetime.fromisoformat(entry["time"]) for entry in entries)


def most_in_a_minute(times: Sequence[datetime]) -> int:
    return max(sum(timedelta() <= other - at < timedelta(minutes=1) for other in times) for at in times)


@pytest.mark.parametrize("fault", [None, (500, 0), (429, 1)])
async def test_demands_of_several_processes_take_less_than_a_quarter_of_the_hubs_40_requests_a_minute(
    north: EngineInstallation, fault: tuple[int, int] | None
) -> None:
    if fault is not None:
        await north.fault(operation="vasp-list", fault="status", status=fault[0], share=0.5, seed=7)
    views = [north.another_view() for _ in range(3)]
    processes = [north.another_refresher(f"p{number}", view) for number, view in enumerate(views)]
    for at in range(240):
        for view, process in zip(views, processes, strict=True):
            if at % 80 < 60:
                view.wanted.set()
            await process.round()
        north.clock.forward(1)
    times = listed_at(north)
    assert most_in_a_minute(times) < 40 / 4
    if fault is None:
        assert len(times) >= 240 / INTERVAL_SECONDS, "and yet it is kept fresh"
    assert all(not view.wanted.is_set() for view in views)


async def test_too_many_requests_are_answered_with_patience_whatever_is_wanted(north: EngineInstallation) -> None:
    """The hub names no time, so the wait doubles up to a bound; a named time is kept to the second."""
    await north.fault(operation="vasp-list", fault="status", status=429)
    before = len(listed_at(north))
    for _ in range(200):
        north.counterparties.wanted.set()
        north.clock.forward(10)
        await north.refresher.round()
    times = listed_at(north)[before:]
    gaps = [(later - earlier).total_seconds() for earlier, later in itertools.pairwise(times)]
    assert gaps == [10, 20, 40, 80, 160, 300, 300, 300, 300, 300]


async def test_a_retry_after_is_kept_and_a_list_that_comes_ends_the_patience(
    north: EngineInstallation, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[datetime] = []
    whole = north.hub.vasp_list

    async def limited() -> VaspList:
        asked.append(north.clock())
        if len(asked) == 1:
            raise error_of("vasp-list", 429, "TOO_MANY_REQUESTS", 77.0)
        return await whole()

    monkeypatch.setattr(north.hub, "vasp_list", limited)
    for _ in range(100):
        north.counterparties.wanted.set()
        north.clock.forward(1)
        await north.refresher.round()
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
    north: EngineInstallation, status: int, code: str, *, wanted: bool
) -> None:
    await north.fault(operation="address-search", fault="status", status=status, errorType=code)
    await north.withdraw()
    await north.calls_all()
    assert len(north.seen("address-search")) == 1
    assert north.counterparties.wanted.is_set() is wanted


async def test_another_process_learns_the_health_within_a_second_and_fetches_nothing(north: EngineInstallation) -> None:
    view = north.another_view()
    found = await view.get("south")
    assert found is not None
    assert found.up
    await north.put(robot(health="down"))
    await north.refresh()
    lists = len(north.seen("vasp-list"))
    north.clock.forward(COPY_SECONDS + 0.1)
    found = await view.get("south")
    assert found is not None
    assert not found.up
    assert len(north.seen("vasp-list")) == lists


async def test_who_asks_only_for_changed_keys_learns_the_age_of_the_list_too(north: EngineInstallation) -> None:
    """A process whose only calls are repeated with a changed key must not take the list for outdated without end."""
    view = north.another_view()
    assert await view.get("south", fresh=True) is not None
    assert not view.outdated(), "it began a moment ago"
    for _ in range(2 * STALE_INTERVALS):
        north.clock.forward(INTERVAL_SECONDS)
        await north.refresh()
        await view.get("south", fresh=True)
        assert not view.outdated()


async def test_a_list_older_than_its_limit_sends_nothing_and_alerts(north: EngineInstallation) -> None:
    """Which VASPs are down is unknown, so nothing is sent to any until the hub returns the list again."""
    await north.fault(operation="vasp-list", fault="status", status=500)
    for _ in range(STALE_INTERVALS):
        north.clock.forward(INTERVAL_SECONDS - 1)
        await second(north)
    assert await north.alerts() == []
    await north.withdraw("in-time")
    await north.calls_all()
    assert (await north.verdicts())[-1] == ("allow", "VERIFIED")
    sent = len(north.seen())
    await second(north)
    await north.withdraw("too-late")
    for _ in range(62):
        await second(north)
        north.clock.forward(59)
    assert len(north.seen()) == sent
    assert await north.alerts() == ["DIRECTORY_STALE", "DIRECTORY_STALE"], "once an hour"
    await north.clear_faults()
    for _ in range(INTERVAL_SECONDS + 5):
        await second(north)
    assert len(await north.alerts()) == 2
    assert (await north.verdicts())[-1] == ("allow", "VERIFIED")


async def test_a_list_that_was_overtaken_does_not_replace_a_newer_one(north: EngineInstallation) -> None:
    """A process that was frozen inside its fetch stores late what was true long ago."""
    late = await north.counterparties.fetch(networks=False)
    assert late is not None
    await north.put(robot(health="down"))
    await north.refresh()
    await north.counterparties.store(late)
    stored = await north.directory.get("south")
    assert stored is not None
    assert not stored.up


async def test_of_two_processes_that_see_a_fetch_due_one_begins_it(north: EngineInstallation) -> None:
    fetches = north.directory.fetches
    state = await fetches.read()
    began = [await fetches.begin(state, tried_at(state, north.clock())) for _ in range(2)]
    assert began == [True, False]


async def test_the_age_of_the_list_is_a_metric(north: EngineInstallation) -> None:
    gauges = GaugeJob(north.database, "north", north.clock)
    north.clock.forward(42)
    await gauges.round()
    assert metrics.REGISTRY.get_sample_value("travelrule_directory_age_seconds") == 42
    await GaugeJob(north.database, "nobody", north.clock).round()
    assert metrics.REGISTRY.get_sample_value("travelrule_directory_age_seconds") == math.inf


async def test_the_stored_list_is_measured_while_no_list_comes(
    north: EngineInstallation, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A key expires without a new list, and a process whose key is refused never gets one."""
    await second(north)

    async def refused(_: CounterpartyDirectory, *, networks: bool) -> None:
        raise NoAnswer("vasp-list", sent_maybe=False)

    monkeypatch.setattr(CounterpartyDirectory, "fetch", refused)
    metrics.COUNTERPARTY_UP.clear()
    for _ in range(6):
        await second(north)
    assert metrics.REGISTRY.get_sample_value("travelrule_counterparty_up", {"vasp": "south"}) == 1
