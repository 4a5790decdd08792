"""Events that the process which decides on them publishes itself: nothing lost, nothing early, each subject's in order.

PostgreSQL is where they are taken; on SQLite the same must come out by the way of the store.
"""

from __future__ import annotations

import asyncio
import random
from collections import Counter, defaultdict

import orjson
import pytest

from tests.contract.engine.outbox.test_relay import Bench, running
from tests.contract.store.rows import event, read, write
from tests.support.toy_machine import TOY, dead_letter_headers, told
from travelrule.engine.apply.engine import Engine
from travelrule.engine.outbox import relay as module
from travelrule.engine.outbox.relay import FAILED_SECONDS, LEASE_SECONDS, Relay
from travelrule.engine.vault import Vault
from travelrule.policy.policy import Policy
from travelrule.store import tables
from travelrule.store.database import Database


@pytest.fixture
def bench(database: Database) -> Bench:
    return Bench(database)


def engine_of(bench: Bench, vault: Vault, relay: Relay | None) -> Engine:
    engine = Engine(
        "north", bench.database, {"withdrawal": TOY}, vault, Policy.default, dead_letter_headers, clock=bench.clock
    )
    engine.events = relay
    return engine


async def published(bench: Bench, relay: Relay, count: int) -> list[tuple[bytes, int]]:
    """Wait for so many events on the broker; key and sequence of each."""
    async with asyncio.timeout(60):
        while len(bench.broker.log) < count or await bench.unsent():
            await relay.round()
            await asyncio.sleep(0.001)
    return [(key, orjson.loads(value)["data"]["sequence"]) for _, key, value in bench.broker.log]


async def test_events_of_own_batches_are_published_without_a_claim(bench: Bench, vault: Vault) -> None:
    relay = bench.relay()
    engine = engine_of(bench, vault, relay)
    await engine.apply([told("emit", "w-1"), told("emit", "w-2"), told("emit", "w-1")])
    if bench.database.is_postgresql:
        assert {row.lease_owner for row in await read(bench.database, tables.outbox)} == {"r1"}
        assert not engine.committed.outbox.is_set()
        async with asyncio.timeout(60):
            while await bench.unsent():
                await asyncio.sleep(0.001)
    assert sorted(await published(bench, relay, 3)) == [(b"w-1", 1), (b"w-1", 2), (b"w-2", 1)]
    assert [entry for entry in await published(bench, relay, 3) if entry[0] == b"w-1"] == [(b"w-1", 1), (b"w-1", 2)]
    assert max(bench.broker.tried.values()) == 1


async def test_an_event_behind_an_unsent_one_is_not_taken(bench: Bench, vault: Vault) -> None:
    """The process with the earlier one may be slow or dead: the next one may be sent only after it."""
    await write(bench.database, tables.outbox, [event("w-1", 0)])
    relay = bench.relay()
    engine = engine_of(bench, vault, relay)
    await engine.apply([told("emit", "w-1"), told("emit", "w-2")])
    assert engine.committed.outbox.is_set()
    leased = {row.key for row in await read(bench.database, tables.outbox) if row.lease_until is not None}
    assert leased == ({"w-2"} if bench.database.is_postgresql else set())
    async with asyncio.timeout(60):
        while await bench.unsent():
            await relay.round()
            await asyncio.sleep(0.001)
    assert [key for _, key, _ in bench.broker.log if key == b"w-1"] == [b"w-1", b"w-1"]
    assert next(value for _, key, value in bench.broker.log if key == b"w-1") == b"w-1#0"


async def test_a_refused_event_holds_back_its_successors_of_the_same_batch(bench: Bench, vault: Vault) -> None:
    first = True

    def fate(_topic: str, _value: bytes) -> str:
        nonlocal first
        refused, first = first, False
        return "refused" if refused else "taken"

    bench.broker.fate = fate
    relay = bench.relay()
    await engine_of(bench, vault, relay).apply([told("emit", "w-1"), told("emit", "w-1")])
    for _ in range(3):
        await asyncio.sleep(0.01)
        await relay.round()
    assert bench.broker.log == []
    for _ in range(4):
        bench.clock.forward(FAILED_SECONDS + 0.1)
        await relay.round()
    assert await published(bench, relay, 2) == [(b"w-1", 1), (b"w-1", 2)]


async def test_what_was_rolled_back_is_not_published(bench: Bench, vault: Vault) -> None:
    relay = bench.relay()
    engine = engine_of(bench, vault, relay)
    outcomes = await engine.apply([told("emit", "w-1"), told("crash", "w-2")])
    assert [outcome.status for outcome in outcomes] == ["applied", "rejected"]
    verdicts = [key for topic, key, _ in bench.broker.log if topic == "verdicts"]
    assert len(verdicts) <= 1
    async with asyncio.timeout(60):
        while await bench.unsent():
            await relay.round()
            await asyncio.sleep(0.001)
    assert Counter(topic for topic, _, _ in bench.broker.log) == {"verdicts": 1, "deadletters": 1}


async def test_a_process_that_dies_leaves_what_it_took_to_another(bench: Bench, vault: Vault) -> None:
    relay = bench.relay("r1")
    bench.broker.fate = lambda *_: "hangs"
    async with running(relay):
        await engine_of(bench, vault, relay).apply([told("emit", "w-1"), told("emit", "w-1")])
        async with asyncio.timeout(60):
            while not bench.broker.tried:
                await asyncio.sleep(0.001)
    bench.broker.fate = lambda *_: "taken"
    other = bench.relay("r2")
    assert await other.round() == 0, "it may still be on its way"
    bench.clock.forward(LEASE_SECONDS + 1)
    assert await published(bench, other, 2) == [(b"w-1", 1), (b"w-1", 2)]


async def test_what_comes_after_events_on_their_way_follows_at_once(
    bench: Bench, vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second batch finds the first one's events unsent; no relay polls in between."""
    relay = bench.relay()
    engine = engine_of(bench, vault, relay)
    engine.committed.outbox = bench.wake
    at_rest = asyncio.Event()
    whole = relay.round

    async def watched() -> int:
        at_rest.clear()
        sent = await whole()
        if not sent:
            at_rest.set()
        return sent

    monkeypatch.setattr(relay, "round", watched)
    monkeypatch.setattr(module, "POLL_SECONDS", 60)
    async with running(relay), asyncio.timeout(60):
        for _ in range(6):
            await engine.apply([told("emit", "w-1")])
        while len(bench.broker.log) < 6 or await bench.unsent():
            await asyncio.sleep(0.001)
        await at_rest.wait()
    assert [entry[1] for entry in await published(bench, relay, 6)] == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize("seed", [1, 2, 3])
async def test_order_and_completeness_with_two_processes_and_a_broker_that_fails(
    bench: Bench, vault: Vault, seed: int
) -> None:
    chance = random.Random(seed)
    relays = [bench.relay(name) for name in ("r1", "r2")]
    engines = [engine_of(bench, vault, relay) for relay in relays]
    bench.broker.fate = lambda *_: chance.choice(["taken", "taken", "taken", "refused", "acknowledgement lost"])
    for _ in range(12):
        batch = [told("emit", f"w-{chance.randint(1, 4)}") for _ in range(chance.randint(1, 5))]
        await chance.choice(engines).apply(batch)
        for relay in relays:
            await relay.round()
        bench.clock.forward(chance.choice([0, FAILED_SECONDS + 0.1]))
    for _ in range(400):
        if not await bench.unsent():
            break
        await asyncio.gather(*(relay.round() for relay in relays))
        bench.clock.forward(FAILED_SECONDS + 0.1)
    assert not await bench.unsent()
    heard: defaultdict[bytes, list[int]] = defaultdict(list)
    for key, sequence in await published(bench, relays[0], 0):
        if sequence not in heard[key]:
            heard[key].append(sequence)
    assert heard
    for key, sequences in heard.items():
        assert sequences == list(range(1, len(sequences) + 1)), key


async def test_an_event_of_another_process_behind_a_taken_one_follows_at_once(
    bench: Bench, vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A gateway's process has no relay: what it adds is claimed by one that looks while its own event is on its way,
    finds nothing, and must not wait for the next poll to look again.
    """
    monkeypatch.setattr(module, "POLL_SECONDS", 60)
    relay = bench.relay()
    engines = [engine_of(bench, vault, relay), engine_of(bench, vault, None)]
    for engine in engines:
        engine.committed.outbox = bench.wake
    bench.broker.fate = lambda *_: "hangs"
    async with running(relay), asyncio.timeout(60):
        await engines[0].apply([told("emit", "w-1")])
        while not bench.broker.tried:
            await asyncio.sleep(0.001)
        bench.broker.fate = lambda *_: "taken"
        await engines[1].apply([told("emit", "w-1")])
        while bench.wake.is_set():
            await asyncio.sleep(0.001)
        bench.broker.released.set()
        while await bench.unsent():
            await asyncio.sleep(0.001)
    assert await published(bench, relay, 2) == [(b"w-1", 1), (b"w-1", 2)]


async def test_a_process_that_ends_takes_no_more_events(bench: Bench, vault: Vault) -> None:
    """What it commits meanwhile must be there for another process at once, not when a lease has run out."""
    relay = bench.relay("r1")
    async with running(relay):
        await asyncio.sleep(0)
    await engine_of(bench, vault, relay).apply([told("emit", "w-1")])
    assert await published(bench, bench.relay("r2"), 1) == [(b"w-1", 1)]
