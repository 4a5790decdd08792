"""Events on their way to the broker: each subject's in order, none lost, none twice but after a failure."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest

from tests.contract.store.rows import NOW, event, read, write
from tests.support.hub import HandClock
from travelrule.engine.outbox import relay as module
from travelrule.engine.outbox.relay import FAILED_SECONDS, LEASE_SECONDS, Relay
from travelrule.machine.effects import Alert
from travelrule.store import tables
from travelrule.store.database import Database
from travelrule.store.outbox_rows import OutboxRepository


class NeverError(Exception):
    """As the publisher raises it for a record that is too large."""

    again = False


class FakeBroker:
    """A publisher that fails, loses acknowledgements or hangs, by the ``fate`` of a value."""

    def __init__(self) -> None:
        self.log: list[tuple[str, bytes, bytes]] = []
        self.tried: Counter[bytes] = Counter()
        self.headers: list[list[tuple[str, bytes]]] = []
        self.fate: Callable[[str, bytes], str] = lambda _topic, _value: "taken"
        self.released = asyncio.Event()

    async def publish(self, topic: str, key: bytes, value: bytes, headers: list[tuple[str, bytes]]) -> None:
        self.tried[value] += 1
        match self.fate(topic, value):
            case "refused":
                raise ConnectionResetError
            case "never":
                raise NeverError
            case "acknowledgement lost":
                self.log.append((topic, key, value))
                raise TimeoutError
            case "hangs":
                await self.released.wait()
            case _:
                await asyncio.sleep(0)
        self.log.append((topic, key, value))
        self.headers.append(headers)

    @property
    def values(self) -> list[str]:
        return [value.decode() for _, _, value in self.log]


class Bench:
    """Relays on one database and one broker."""

    def __init__(self, database: Database) -> None:
        self.clock = HandClock()
        self.clock.now = NOW
        self.database = database
        self.broker = FakeBroker()
        self.wake = asyncio.Event()
        self.alerts: list[tuple[str, str, str]] = []

    def relay(self, name: str = "r1") -> Relay:
        return Relay(OutboxRepository(self.database, "north", name), self.broker, self.wake, self.clock, self.alert)

    async def alert(self, subject: str, alert: Alert) -> None:
        self.alerts.append((subject, alert.code, alert.severity))

    async def unsent(self) -> int:
        return sum(row.sent_at is None for row in await read(self.database, tables.outbox))


@pytest.fixture
def bench(database: Database) -> Bench:
    return Bench(database)


@asynccontextmanager
async def running(relay: Relay) -> AsyncIterator[asyncio.Task[None]]:
    task = asyncio.create_task(relay.run(lambda error: isinstance(error, OSError)))
    try:
        yield task
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError, ZeroDivisionError):
            await task


async def test_events_are_published_whole_and_once(bench: Bench) -> None:
    rows = [event("a", 1, record_key=b"\xff"), event("a", 2), event("b", 1, record_key=None, topic="deadletters")]
    await write(bench.database, tables.outbox, rows)
    relay = bench.relay()
    assert [await relay.round() for _ in range(3)] == [2, 1, 0]
    assert sorted(bench.broker.log) == [
        ("deadletters", b"", b"b#1"),
        ("verdicts", b"a", b"a#2"),
        ("verdicts", b"\xff", b"a#1"),
    ]
    assert bench.broker.headers[0] == [("content-type", b"a")]
    assert {row.sent_at for row in await read(bench.database, tables.outbox)} == {NOW}


async def test_a_refused_event_rests_and_nobody_spins(bench: Bench) -> None:
    await write(bench.database, tables.outbox, [event("a", 1), event("a", 2), event("b", 1)])
    bench.broker.fate = lambda _, value: "refused" if value == b"a#1" else "taken"
    relay = bench.relay()
    for _ in range(20):
        await relay.round()
    assert bench.broker.tried == {b"a#1": 1, b"b#1": 1}
    bench.clock.forward(FAILED_SECONDS + 0.1)
    await relay.round()
    assert bench.broker.tried[b"a#1"] == 2
    bench.broker.fate = lambda *_: "taken"
    bench.clock.forward(FAILED_SECONDS + 0.1)
    for _ in range(3):
        await relay.round()
    assert bench.broker.values == ["b#1", "a#1", "a#2"]


async def test_the_loop_does_not_spin_while_the_broker_is_down(bench: Bench) -> None:
    await write(bench.database, tables.outbox, [event(f"k{number}") for number in range(5)])
    bench.broker.fate = lambda *_: "refused"
    relay = bench.relay()
    rounds = []
    whole = relay.round

    async def counted() -> int:
        rounds.append(1)
        return await whole()

    relay.round = counted  # type: ignore[method-assign]
    async with running(relay):
        await asyncio.sleep(0.3)
    assert len(rounds) <= 3
    assert max(bench.broker.tried.values()) == 1


async def test_an_acknowledgement_that_was_lost_repeats_the_event_and_loses_none(bench: Bench) -> None:
    await write(bench.database, tables.outbox, [event("a", number) for number in (1, 2)])
    bench.broker.fate = lambda _, value: "acknowledgement lost" if bench.broker.tried[value] == 1 else "taken"
    relay = bench.relay()
    for _ in range(8):
        await relay.round()
        bench.clock.forward(FAILED_SECONDS + 0.1)
    assert bench.broker.values == ["a#1", "a#1", "a#2", "a#2"]
    assert await bench.unsent() == 0


async def test_one_event_that_hangs_holds_up_its_successors_and_nobody_else(bench: Bench) -> None:
    """A missing topic takes the client seconds to find out: meanwhile verdicts must flow."""
    rows = [event("stuck", 1, topic="callbacks"), event("stuck", 2, topic="callbacks")]
    await write(bench.database, tables.outbox, [*rows, *(event("a", number) for number in range(1, 6))])
    bench.broker.fate = lambda topic, _: "hangs" if topic == "callbacks" else "taken"
    relay = bench.relay()
    async with running(relay), asyncio.timeout(60):
        while len(bench.broker.log) < 5:
            await asyncio.sleep(0.01)
        assert bench.broker.values == [f"a#{number}" for number in range(1, 6)]
        bench.broker.released.set()
        while len(bench.broker.log) < 7:
            await asyncio.sleep(0.01)
    assert bench.broker.values[5:] == ["stuck#1", "stuck#2"]


async def test_an_event_that_hangs_for_too_long_counts_as_refused(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PUBLISH_SECONDS", 0.05)
    assert LEASE_SECONDS > 10, "a relay gives up before another may claim"
    await write(bench.database, tables.outbox, [event("a", 1)])
    bench.broker.fate = lambda *_: "hangs"
    relay = bench.relay()
    assert await relay.round() == 0
    monkeypatch.undo()
    bench.broker.released.set()
    bench.clock.forward(FAILED_SECONDS + 0.1)
    assert await relay.round() == 1
    assert bench.broker.values == ["a#1"]


async def test_no_more_on_their_way_than_allowed(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "CLAIM", 4)
    monkeypatch.setattr(module, "SOON_SECONDS", 0.01)
    await write(bench.database, tables.outbox, [event(f"k{number}") for number in range(10)])
    bench.broker.fate = lambda *_: "hangs"
    relay = bench.relay()
    for _ in range(4):
        await relay.round()
    assert sum(bench.broker.tried.values()) == 4
    bench.broker.released.set()
    async with asyncio.timeout(60):
        while len(bench.broker.log) < 10:
            await relay.round()
    assert len(bench.broker.log) == 10


async def test_a_relay_that_dies_leaves_its_events_to_another(bench: Bench) -> None:
    await write(bench.database, tables.outbox, [event("a", 1), event("a", 2)])
    bench.broker.fate = lambda *_: "hangs"
    async with running(bench.relay("r1")), asyncio.timeout(60):
        while not bench.broker.tried:
            await asyncio.sleep(0.01)
    bench.broker.fate = lambda *_: "taken"
    other = bench.relay("r2")
    assert await other.round() == 0
    bench.clock.forward(LEASE_SECONDS + 1)
    assert [await other.round() for _ in range(3)] == [1, 1, 0]
    assert bench.broker.values == ["a#1", "a#2"], "what was cancelled was not published behind our back"


async def test_a_commit_wakes_the_relay_at_once(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "POLL_SECONDS", 60)
    async with running(bench.relay()), asyncio.timeout(60):
        await asyncio.sleep(0.05)
        await write(bench.database, tables.outbox, [event("a", 1), event("a", 2)])
        bench.wake.set()
        while len(bench.broker.log) < 2:
            await asyncio.sleep(0.01)
    assert bench.broker.values == ["a#1", "a#2"]


async def test_without_a_wake_it_polls(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "POLL_SECONDS", 0.02)
    async with running(bench.relay()), asyncio.timeout(60):
        await write(bench.database, tables.outbox, [event("a", 1)])
        while not bench.broker.log:
            await asyncio.sleep(0.01)
    assert bench.broker.values == ["a#1"]


async def test_the_loop_outlives_a_database_failure_and_nothing_else(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "POLL_SECONDS", 0.01)
    failures: list[BaseException] = [ConnectionResetError(), ZeroDivisionError()]

    async def fail() -> int:
        raise failures.pop(0)

    relay = bench.relay()
    relay.round = fail  # type: ignore[method-assign]
    async with running(relay) as task:
        with pytest.raises(ZeroDivisionError):
            await task
    assert failures == []


@pytest.mark.parametrize("seed", [1, 2, 3])
async def test_order_and_completeness_with_relays_and_a_broker_that_fail_at_random(bench: Bench, seed: int) -> None:
    chance = random.Random(seed)
    total = {f"k{number}": chance.randint(1, 6) for number in range(12)}
    rows = [event(key, number) for number in range(1, 7) for key, count in total.items() if number <= count]
    await write(bench.database, tables.outbox, rows)
    failed: Counter[bytes] = Counter()

    def fate(_topic: str, value: bytes) -> str:
        drawn = chance.choice(["taken", "taken", "taken", "refused", "acknowledgement lost"])
        failed[value] += drawn == "acknowledgement lost"
        return drawn

    bench.broker.fate = fate
    relays = [bench.relay(f"r{number}") for number in range(3)]
    for _ in range(400):
        await asyncio.gather(*(relay.round() for relay in relays))
        bench.clock.forward(FAILED_SECONDS + 0.1)
        if not await bench.unsent():
            break
    per_key: dict[str, list[int]] = defaultdict(list)
    for _, key, value in bench.broker.log:
        per_key[key.decode()].append(int(value.partition(b"#")[2]))
    for key, count in total.items():
        assert per_key[key] == sorted(per_key[key]), (seed, key)
        assert set(per_key[key]) == set(range(1, count + 1)), (seed, key)
    published = Counter(value for _, _, value in bench.broker.log)
    assert published == Counter({value: 1 + failed[value] for value in published}), "twice only after a failure"
