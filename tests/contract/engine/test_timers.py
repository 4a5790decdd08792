"""Timers come due once in all processes, and a broken one neither spins nor delays the others."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from tests.contract.store.rows import NOW, after, read
from tests.support.hub import HandClock
from tests.support.toy_machine import TOY, Told, dead_letter_headers, told
from travelrule.engine import timers as module
from travelrule.engine.apply.engine import Engine
from travelrule.engine.input_outcome import InputOutcome
from travelrule.engine.timers import TimerJob
from travelrule.engine.vault import Vault
from travelrule.machine.decision import Decision
from travelrule.machine.input import Input
from travelrule.machine.internal_inputs import TimerDue
from travelrule.machine.projection import Projection
from travelrule.policy.policy import Policy
from travelrule.store import bulk, tables
from travelrule.store.database import Database
from travelrule.store.leases import LeaseRepository

SECOND = timedelta(seconds=1)


def decide(state: Told | None, item: Input, policy: Policy, now: datetime) -> Decision[Any]:
    """``later``: sets a timer for 10 s from now (kept as text); a timer that comes due is applied and cleared, unless
    the subject was told to crash at it or to leave it standing.
    """
    if isinstance(item.data, TimerDue):
        assert state is not None
        if "crash-later" in state.heard:
            raise ZeroDivisionError
        if "stubborn" in state.heard:
            return Decision(state, status="duplicate")
        rest = tuple(word for word in state.heard if not word.startswith("at:"))
        return Decision(Told((*rest, f"fired {item.data.name}")))
    decision = TOY.decide(state, item, policy, now)
    if decision.state is not None and decision.state.heard[-1] in ("later", "crash-later", "stubborn"):
        due = (now + 10 * SECOND).isoformat()
        return replace(decision, state=Told((*decision.state.heard, f"at:{due}")))
    return decision


def project(state: Told) -> Projection:
    due = [datetime.fromisoformat(word[3:]) for word in state.heard if word.startswith("at:")]
    return Projection(due_at=min(due, default=None), due_timer="held" if due else "")


class Place:
    """Timers of one or more processes on one database."""

    def __init__(self, database: Database, vault: Vault) -> None:
        self.clock = HandClock()
        self.clock.now = NOW
        self.database = database
        machine = replace(TOY, decide=decide, project=project)
        self.engine = Engine(
            "north", database, {"withdrawal": machine}, vault, Policy.default, dead_letter_headers, clock=self.clock
        )
        self.submitted: list[Input] = []

    async def submit(self, item: Input) -> InputOutcome:
        self.submitted.append(item)
        return (await self.engine.apply([item]))[0]

    def timers(self, owner: str = "p1") -> TimerJob:
        leases = LeaseRepository(self.database, "north", owner, self.clock)
        return TimerJob(self.database, "north", leases, self.submit, self.engine.alert, self.clock)

    async def heard(self, name: str = "w-1") -> tuple[str, ...]:
        subject = f"withdrawal:{name}"
        async with self.database.begin() as connection:
            subjects = await self.engine.loader.lock(connection, [subject], set())
        return tuple(word for word in subjects[subject].state.heard if not word.startswith("at:"))

    async def due(self, name: str = "w-1") -> datetime | None:
        (row,) = await read(self.database, tables.subjects, tables.subjects.c.subject == f"withdrawal:{name}")
        return row.due_at  # type: ignore[no-any-return]

    async def alerts(self) -> list[str]:
        rows = await read(self.database, tables.outbox, tables.outbox.c.topic == "alerts", order=tables.outbox.c.id)
        import orjson

        return [orjson.loads(row.value)["data"]["code"] for row in rows]


@pytest.fixture
def place(database: Database, vault: Vault) -> Place:
    return Place(database, vault)


async def test_a_timer_comes_due_once_and_not_before_its_time(place: Place) -> None:
    timers = place.timers()
    await place.engine.apply([told("later")])
    place.clock.now = after(9.999999)
    assert await timers.round() == 0
    place.clock.now = after(10)
    assert await timers.round() == 1
    assert await timers.round() == 0
    assert await place.heard() == ("later", "fired held")
    (item,) = place.submitted
    assert (item.source, item.at, item.data) == ("/timers", after(10), TimerDue(name="held", due_at=after(10)))


async def test_what_a_timer_begins_belongs_to_the_trace_of_its_subject(place: Place) -> None:
    trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    await place.engine.apply([replace(told("later"), traceparent=trace)])
    await place.engine.apply([told("later")])
    place.clock.now = after(10)
    assert await place.timers().round() == 1
    (item,) = place.submitted
    assert item.traceparent == trace, "an input without a trace does not end the one that there is"


async def test_several_processes_that_look_at_once_make_one_effect(place: Place) -> None:
    """The lease may have run out while a process was slow: then two look."""
    await place.engine.apply([told("later", f"w-{number}") for number in range(10)])
    place.clock.now = after(11)
    await asyncio.gather(*(place.timers(f"p{number}").round() for number in range(3)))
    for number in range(10):
        assert await place.heard(f"w-{number}") == ("later", "fired held")
    assert await place.alerts() == []


async def test_a_timer_set_anew_comes_due_again(place: Place) -> None:
    timers = place.timers()
    for start in (0, 60):
        place.clock.now = after(start)
        await place.engine.apply([told("later")])
        place.clock.now = after(start + 10)
        assert await timers.round() == 1
    assert await place.heard() == ("later", "fired held", "later", "fired held")


async def test_a_crashing_timer_is_put_off_with_an_alert_and_tried_again_at_a_slow_pace(place: Place) -> None:
    timers = place.timers()
    await place.engine.apply([told("crash-later", "w-1"), told("later", "w-2")])
    place.clock.now = after(11)
    await timers.round()
    assert await place.heard("w-2") == ("later", "fired held"), "the others come due in time"
    assert await place.alerts() == ["TIMER_UNPROCESSABLE"]
    for _ in range(5):
        place.clock.now += SECOND
        assert await timers.round() == 0
    tried = len(place.submitted)
    place.clock.now += module.UNPROCESSABLE_RETRY
    for _ in range(4):
        await timers.round()
        place.clock.now += SECOND
    assert tried < len(place.submitted) <= tried + 2
    assert set(await place.alerts()) == {"TIMER_UNPROCESSABLE"}


async def test_more_crashing_timers_than_one_look_takes_do_not_starve_the_rest(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "CLAIM", 3)
    await place.engine.apply([told("crash-later", f"c-{number}") for number in range(4)])
    place.clock.now = after(1)
    await place.engine.apply([told("later", "w-1")])
    place.clock.now = after(20)
    timers = place.timers()
    assert await timers.round() == 3
    await timers.round()
    assert await place.heard("w-1") == ("later", "fired held")


async def test_a_timer_that_a_decision_leaves_standing_does_not_spin(place: Place) -> None:
    timers = place.timers()
    await place.engine.apply([told("stubborn")])
    place.clock.now = after(11)
    for _ in range(6):
        await timers.round()
        place.clock.now += SECOND
    assert len(place.submitted) <= 2
    assert await place.alerts() == ["TIMER_UNPROCESSABLE"]


async def test_a_state_that_does_not_open_does_not_stop_the_timers(place: Place) -> None:
    await place.engine.apply([told("later", "w-1"), told("later", "w-2")])
    async with place.database.begin() as connection:
        broken = {"vasp": "north", "subject": "withdrawal:w-1", "sealed": b"\x01" + b"x" * 60}
        await bulk.update(connection, tables.subjects, [broken])
    fresh = Place(place.database, place.engine.vault)
    fresh.clock.now = after(11)
    timers = fresh.timers()
    for _ in range(3):
        await timers.round()
        fresh.clock.now += SECOND
    assert await fresh.heard("w-2") == ("later", "fired held")
    assert await fresh.due("w-1") == after(11) + module.UNPROCESSABLE_RETRY
    assert len(fresh.submitted) == 2


async def test_the_timer_of_an_erased_subject_comes_due_no_more(place: Place) -> None:
    await place.engine.apply([told("later")])
    async with place.database.begin() as connection:
        await connection.execute(tables.data_keys.delete())
    fresh = Place(place.database, place.engine.vault)
    fresh.clock.now = after(11)
    timers = fresh.timers()
    assert [await timers.round() for _ in range(3)] == [1, 0, 0]
    assert await fresh.due() is None
    assert await fresh.alerts() == []


async def test_inputs_that_wait_for_a_subject_too_long_are_told_once(place: Place) -> None:
    timers = place.timers()
    await place.engine.apply([told("mined", input_id="m-1")])
    place.clock.now += timedelta(seconds=Policy.default().time_limits.parked)
    assert [await timers.round() for _ in range(3)] == [1, 0, 0]
    assert await place.alerts() == ["PARKED_TOO_LONG"]
    await place.engine.apply([told("one")])
    assert await place.heard() == ("one", "mined"), "what waited is applied all the same"


async def test_the_loop_fires_with_the_lease_and_outlives_a_database_failure(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "POLL_SECONDS", 0.01)
    await place.engine.apply([told("later")])
    place.clock.now = after(11)
    timers = place.timers()
    other = LeaseRepository(place.database, "north", "p2", place.clock)
    assert await other.take(module.LEASE, 5)
    failures: list[BaseException] = [ConnectionResetError()]

    class Failing(LeaseRepository):
        async def take(self, name: str, seconds: float) -> bool:
            if failures:
                raise failures.pop()
            return await super().take(name, seconds)

    timers._leases = Failing(place.database, "north", "p1", place.clock)
    task = asyncio.create_task(timers.run(lambda error: isinstance(error, OSError)))
    await asyncio.sleep(0.1)
    assert place.submitted == [], "another process has the lease"
    place.clock.now += 6 * SECOND
    async with asyncio.timeout(60):
        while not place.submitted:
            await asyncio.sleep(0.01)
    failures.append(ZeroDivisionError())
    with pytest.raises(ZeroDivisionError):
        await task
    assert len(place.submitted) == 1
