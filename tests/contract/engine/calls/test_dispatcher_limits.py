"""Number and order of concurrent calls, and open circuits: the dispatcher with attempts that a test blocks."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from tests.contract.store.rows import NOW, after, call, read, write
from tests.support.hub import HandClock
from tests.support.toy_machine import TOY, dead_letter_headers, told
from travelrule.engine.apply.engine import Engine
from travelrule.engine.calls.call_dispatcher import LEASE_SECONDS, CallDispatcher
from travelrule.engine.calls.call_executor import AttemptResult, Postpone
from travelrule.engine.calls.circuit_breaker import FAILURES_TO_OPEN, OPEN_SECONDS_FIRST
from travelrule.engine.calls.local_queue import HELD_SECONDS
from travelrule.engine.input_outcome import InputOutcome
from travelrule.engine.vault import Vault
from travelrule.machine.effects import Alert
from travelrule.machine.input import Input
from travelrule.machine.internal_inputs import CallResult
from travelrule.policy.policy import Policy
from travelrule.store import bulk, tables
from travelrule.store.call_rows import CallItem, CallRepository, call_item
from travelrule.store.database import Database


class HeldCalling:
    """Attempts that last while ``open`` is not set, and end with the result in ``ends`` for their target."""

    def __init__(self, clock: HandClock) -> None:
        self.clock = clock
        self.open = asyncio.Event()
        self.gates: dict[str, asyncio.Event] = {}
        self.started: list[str] = []
        self.now: Counter[str] = Counter()
        self.most: Counter[str] = Counter()
        self.ends: dict[str, str] = {}

    async def attempt(self, item: CallItem, _jitter: float, _content: Any = None) -> AttemptResult:
        self.started.append(item.id)
        for name in (item.target, "all"):
            self.now[name] += 1
            self.most[name] = max(self.most[name], self.now[name])
        gate = self.gates.setdefault(item.id, asyncio.Event())
        try:
            await asyncio.wait(
                {opened := asyncio.ensure_future(self.open.wait()), own := asyncio.ensure_future(gate.wait())},
                return_when=asyncio.FIRST_COMPLETED,
            )
        finally:
            opened.cancel()
            own.cancel()
            for name in (item.target, "all"):
                self.now[name] -= 1
        match self.ends.get(item.target, "answer"):
            case "silence":
                return AttemptResult(Postpone(self.clock(), tries=item.tries + 1), reached=False, outcome="no-answer")
            case "crash":
                raise ZeroDivisionError
            case "database":
                raise ConnectionResetError
        report = CallResult(
            operation=item.operation, correlation_id=item.correlation_id, target=item.target, outcome="answered"
        )
        return AttemptResult(report, outcome="answer")


class Bench:
    """A caller whose results only delete the call."""

    def __init__(self, database: Database, **limits: Any) -> None:
        self.clock = HandClock()
        self.clock.now = NOW
        self.database = database
        self.calling = HeldCalling(self.clock)
        self.alerts: list[str] = []
        self.wake = asyncio.Event()
        queues = CallRepository(database, "north", "p1")
        self.caller = CallDispatcher(queues, self.calling, self.submit, self.alert, self.wake, self.clock, **limits)  # type: ignore[arg-type]

    async def submit(self, item: Input) -> InputOutcome:
        async with self.database.begin() as connection:
            await bulk.delete(connection, tables.calls, [{"id": item.id}])
        return InputOutcome("applied")

    async def alert(self, _subject: str, alert: Alert) -> None:
        self.alerts.append(alert.code)

    async def rounds(self, times: int = 3) -> None:
        for _ in range(times):
            await self.caller.round()

    async def finish(self) -> None:
        """Let everything that runs end."""
        self.calling.open.set()
        while self.caller._running:
            await asyncio.wait(self.caller._running)
        self.calling.open.clear()


@asynccontextmanager
async def running(caller: CallDispatcher, failed: Callable[[BaseException], bool]) -> AsyncIterator[asyncio.Task[None]]:
    task = asyncio.create_task(caller.run(failed))
    try:
        yield task
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError, ZeroDivisionError):
            await task


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not condition():
            await asyncio.sleep(0.001)


async def test_no_more_at_once_than_in_all_and_per_counterparty(database: Database) -> None:
    bench = Bench(database, concurrency=5, per_counterparty=2)
    await write(
        database, tables.calls, [call(f"{target}-{number}", target) for target in "abcd" for number in range(6)]
    )
    bench.calling.open.clear()
    async with running(bench.caller, lambda _: False):
        await until(lambda: bench.calling.now["all"] == 5)
        await asyncio.sleep(0.02)
        bench.calling.open.set()
        await until(lambda: len(bench.calling.started) == 24)
    assert bench.calling.most["all"] == 5
    assert max(bench.calling.most[target] for target in "abcd") <= 2


async def test_one_slow_counterparty_does_not_hold_up_the_others(database: Database) -> None:
    bench = Bench(database, concurrency=6, per_counterparty=3)
    await write(database, tables.calls, [call(f"slow-{n}", "slow", due=-99 + n) for n in range(30)])
    await write(database, tables.calls, [call(f"fast-{n}", "fast", due=-1) for n in range(3)])
    await bench.rounds(1)
    await until(lambda: bench.calling.now["all"] == 6)
    assert bench.calling.now["slow"] == bench.calling.now["fast"] == 3
    await bench.finish()


async def test_calls_to_a_busy_counterparty_keep_their_order(database: Database) -> None:
    """A call that is passed over because all slots are taken must keep its place in the queue."""
    bench = Bench(database, concurrency=8, per_counterparty=4)
    ids = [f"c{number:02}" for number in range(24)]
    await write(database, tables.calls, [call(name, "south", due=-100 + place) for place, name in enumerate(ids)])
    await bench.caller.round()
    for place, name in enumerate(ids):
        await until(lambda expected=min(place + 4, 24): len(bench.calling.started) == expected)
        bench.calling.gates[name].set()
        await until(lambda running=min(3, 23 - place): len(bench.caller._running) == running)
        bench.clock.forward(1)
        await bench.caller.round()
    assert sorted(bench.calling.started[:4]) == ids[:4]
    assert bench.calling.started[4:] == ids[4:]


async def test_passed_over_calls_cost_no_writes(database: Database) -> None:
    bench = Bench(database, concurrency=8, per_counterparty=4)
    await write(database, tables.calls, [call(f"c{number:02}", "south", due=-50) for number in range(24)])
    await bench.rounds(3)
    bench.calling.gates["c00"].set()
    await until(lambda: len(bench.caller._running) == 3)
    await bench.rounds(3)
    await until(lambda: len(bench.calling.started) == 5)
    untouched = [row for row in await read(database, tables.calls) if row.id not in bench.calling.started]
    assert {(row.due_at, row.lease_until) for row in untouched} == {(after(-50), None)}
    await bench.finish()


async def test_places_of_calls_that_are_not_committed_yet_are_waited_for(database: Database) -> None:
    bench = Bench(database, concurrency=1)
    row = call("c-1")
    assert bench.caller.preclaim(row, NOW) is not None
    assert await bench.caller.round() == 0
    bench.caller.release(call_item({**row, "wrapped": None}))
    await write(database, tables.calls, [call("c-2")])
    assert await bench.caller.round() == 1
    await bench.finish()


async def test_a_counterparty_that_does_not_answer_is_left_in_peace_and_probed(database: Database) -> None:
    bench = Bench(database, per_counterparty=4)
    bench.calling.ends["dead"] = "silence"
    await write(database, tables.calls, [call(f"d{number:02}", "dead", due=-50) for number in range(12)])
    bench.calling.open.set()
    for _ in range(6):
        await bench.caller.round()
        await bench.finish()
        bench.calling.open.set()
    opened_after = len(bench.calling.started)
    assert FAILURES_TO_OPEN <= opened_after <= FAILURES_TO_OPEN + 3
    await write(database, tables.calls, [call("alive", "alive", due=-50)])
    await bench.caller.round()
    await bench.finish()
    assert bench.calling.started[opened_after:] == ["alive"], "nobody else suffers"
    bench.clock.forward(OPEN_SECONDS_FIRST)
    await bench.rounds(3)
    await until(lambda: bench.calling.now["dead"] == 1)
    assert bench.calling.now["dead"] == 1, "one probe"
    bench.calling.ends["dead"] = "answer"
    await bench.finish()
    await bench.rounds(3)
    await until(lambda: bench.calling.now["dead"] == 4)
    await bench.finish()


async def test_a_crashing_call_is_set_aside_with_one_alert_and_others_go_on(database: Database) -> None:
    bench = Bench(database)
    bench.calling.ends["odd"] = "crash"
    bench.calling.open.set()
    await write(database, tables.calls, [call("c-1", "odd"), call("c-2", "south")])
    async with running(bench.caller, lambda _: False):
        await until(lambda: bench.alerts != [])
        await until(lambda: "c-2" in bench.calling.started)
        for _ in range(3):
            bench.clock.forward(LEASE_SECONDS + 1)
            bench.wake.set()
            await asyncio.sleep(0.02)
    assert bench.calling.started.count("c-1") == 1
    assert bench.alerts == ["CALL_UNPROCESSABLE"]
    (left,) = await read(database, tables.calls)
    assert left.due_at >= after(3600)


async def test_a_database_that_is_away_costs_no_call_and_no_alert(database: Database) -> None:
    bench = Bench(database)
    bench.calling.ends["south"] = "database"
    bench.calling.open.set()
    await write(database, tables.calls, [call("c-1")])
    await bench.caller.round()
    await bench.finish()
    assert bench.alerts == []
    bench.calling.ends.clear()
    bench.calling.open.set()
    bench.clock.forward(LEASE_SECONDS + 1)
    await bench.caller.round()
    await bench.finish()
    assert bench.calling.started == ["c-1", "c-1"]
    assert await read(database, tables.calls) == []


async def test_the_loop_outlives_a_database_failure_and_nothing_else(database: Database) -> None:
    class Failing:
        owner = "p1"
        errors: list[Exception] = [ConnectionResetError(), ZeroDivisionError()]
        seen = 0

        async def claim(self, *_: Any) -> list[CallItem]:
            self.seen += 1
            raise self.errors[min(self.seen - 1, 1)]

    bench = Bench(database)
    bench.caller._rows = Failing()  # type: ignore[assignment]
    bench.wake.set()
    async with running(bench.caller, lambda error: isinstance(error, OSError)) as task:
        with pytest.raises(ZeroDivisionError):
            await task
    assert bench.caller._rows.seen == 2  # type: ignore[attr-defined]


async def test_cancelled_the_requests_on_their_way_are_given_up_and_their_leases_stay(database: Database) -> None:
    bench = Bench(database)
    await write(database, tables.calls, [call("c-1")])
    async with running(bench.caller, lambda _: False):
        await until(lambda: bench.calling.now["all"] == 1)
    await until(lambda: bench.calling.now["all"] == 0)
    (row,) = await read(database, tables.calls)
    assert row.lease_until == after(LEASE_SECONDS)


async def test_an_orderly_end_waits_for_requests_and_begins_no_more(database: Database) -> None:
    bench = Bench(database)
    await write(database, tables.calls, [call("c-1")])
    async with running(bench.caller, lambda _: False):
        await until(lambda: bench.calling.now["all"] == 1)
        draining = asyncio.create_task(bench.caller.drain())
        await asyncio.sleep(0)
        await write(database, tables.calls, [call("c-2")])
        bench.wake.set()
        await asyncio.sleep(0.02)
        assert not draining.done()
        bench.calling.open.set()
        await draining
    assert bench.calling.started == ["c-1"]
    assert [row.id for row in await read(database, tables.calls)] == ["c-2"]


async def test_calls_of_this_processs_own_decisions_are_made_at_once_and_leased(
    database: Database, vault: Vault
) -> None:
    """What saves a look into the store must not lose a call if the process dies, nor send one that was rolled back."""
    bench = Bench(database)
    engine = Engine(
        "north", database, {"withdrawal": TOY}, vault, Policy.default, dead_letter_headers, clock=bench.clock
    )
    engine.calls = bench.caller
    await engine.apply([told("call", "w-1")])
    await until(lambda: bench.calling.now["all"] == 1)
    (row,) = await read(database, tables.calls)
    assert (row.lease_owner, row.lease_until) == ("p1", after(LEASE_SECONDS))
    outcomes = await engine.apply([told("call", "w-2"), told("crash", "w-3")])
    assert [outcome.status for outcome in outcomes] == ["applied", "rejected"]
    await until(lambda: bench.calling.now["all"] == 2)
    await asyncio.sleep(0.01)
    assert len(bench.calling.started) == len(await read(database, tables.calls)) == 2
    assert not bench.caller._preclaimed
    await bench.finish()


async def test_a_call_that_the_same_batch_takes_back_is_not_made(database: Database, vault: Vault) -> None:
    bench = Bench(database)
    engine = Engine(
        "north", database, {"withdrawal": TOY}, vault, Policy.default, dead_letter_headers, clock=bench.clock
    )
    engine.calls = bench.caller
    await engine.apply([told("call"), told("drop")])
    await asyncio.sleep(0.01)
    assert bench.calling.started == []
    assert await read(database, tables.calls) == []


async def test_calls_without_a_place_wait_here_and_are_begun_as_places_get_free(database: Database) -> None:
    """Under load a claim per free place costs more than everything else."""
    bench = Bench(database, concurrency=2, per_counterparty=2, held=8)
    rows = [call(f"c-{number}", "ab"[number % 2], due=-1) for number in range(4)]
    taken = [bench.caller.preclaim(row, NOW) for row in rows]
    for item in taken:
        assert item is not None
        bench.caller.start(item, None)  # type: ignore[arg-type]
    await until(lambda: bench.calling.now["all"] == 2)
    await bench.finish()
    await until(lambda: sorted(bench.calling.started) == ["c-0", "c-1", "c-2", "c-3"])
    assert bench.calling.most["all"] == 2


async def test_what_waits_here_for_too_long_goes_back_to_the_store(database: Database) -> None:
    bench = Bench(database, concurrency=1, held=8)
    rows = [call(f"c-{number}", due=-1) for number in range(2)]
    taken = [bench.caller.preclaim(row, NOW) for row in rows]
    await write(database, tables.calls, rows)
    for item in taken:
        assert item is not None
        bench.caller.start(item, None)  # type: ignore[arg-type]
    await until(lambda: bench.calling.now["all"] == 1)
    bench.clock.forward(HELD_SECONDS + 0.1)
    other = Bench(database)
    other.clock = bench.clock
    assert await other.caller.round() == 0, "leased"
    bench.caller._draining = True
    await bench.caller.round()
    other.caller._clock = bench.clock
    assert await other.caller.round() == 1
    await until(lambda: other.calling.started == ["c-1"])
    assert bench.calling.started == ["c-0"]
    await bench.finish()
    await other.finish()


async def test_a_call_that_was_taken_back_while_it_waited_is_not_made(database: Database) -> None:
    bench = Bench(database, concurrency=1, held=8)
    for number in range(3):
        item = bench.caller.preclaim(call(f"c-{number}", subject=f"withdrawal:w-{number}"), NOW)
        assert item is not None
        bench.caller.start(item, None)  # type: ignore[arg-type]
    await until(lambda: bench.calling.now["all"] == 1)
    bench.caller.drop("withdrawal:w-1", ())
    bench.caller.drop("withdrawal:w-2", ("address-search",))
    await bench.finish()
    await bench.finish()
    assert bench.calling.started == ["c-0", "c-2"]


async def test_a_counterparty_that_does_not_answer_gets_no_calls_held_for_it(database: Database) -> None:
    bench = Bench(database, per_counterparty=4, held=64)
    bench.calling.ends["dead"] = "silence"
    bench.calling.open.set()
    await write(database, tables.calls, [call(f"d{number:02}", "dead", due=-50) for number in range(5)])
    await bench.caller.round()
    await until(lambda: len(bench.calling.started) >= FAILURES_TO_OPEN and not bench.caller._running)
    assert bench.caller.preclaim(call("d-more", "dead"), NOW) is None
    assert bench.caller.preclaim(call("a-1", "alive"), NOW) is not None
