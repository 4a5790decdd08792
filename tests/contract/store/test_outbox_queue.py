"""The order of events: a later one of its (topic, key) is never claimed before an earlier one is sent."""

from __future__ import annotations

import asyncio
import random
from collections import defaultdict
from datetime import datetime, timedelta

import pytest

from tests.contract.store.rows import NOW, after, event, read, write
from travelrule.store import tables
from travelrule.store.database import Database
from travelrule.store.outbox_rows import OutboxItem, OutboxRepository


@pytest.fixture
def queues(database: Database) -> OutboxRepository:
    return OutboxRepository(database, "north", "relay-1")


def names(items: list[OutboxItem]) -> list[str]:
    return [item.value.decode() for item in items]


async def claim(
    queues: OutboxRepository, count: int = 100, now: datetime = NOW, seconds: float = 30
) -> list[OutboxItem]:
    return await queues.claim(count, now, now + timedelta(seconds=seconds))


async def test_only_the_first_unsent_event_of_each_key_and_topic(database: Database, queues: OutboxRepository) -> None:
    rows = [event("a", 1), event("a", 2), event("b", 1), event("a", 1, topic="alerts", value=b"alert"), event("b", 2)]
    await write(database, tables.outbox, rows)
    assert names(await claim(queues)) == ["a#1", "b#1", "alert"]
    assert await claim(queues) == []


async def test_a_claimed_event_carries_everything(database: Database, queues: OutboxRepository) -> None:
    headers = '[["content-type","YQ=="],["traceparent","Yg=="]]'
    row = event("ключ", 1, record_key=b"\xff\x00", value=bytes(range(256)), headers=headers)
    await write(database, tables.outbox, [row, event("b", record_key=None)])
    first, second = await claim(queues)
    assert (first.topic, first.key, first.record_key, first.value) == (
        "verdicts",
        "ключ",
        b"\xff\x00",
        bytes(range(256)),
    )
    assert first.headers == (("content-type", "YQ=="), ("traceparent", "Yg=="))
    assert second.record_key == b""
    assert "#" not in repr(first), "the value may be personal data"


async def test_the_next_event_follows_when_the_first_is_sent(database: Database, queues: OutboxRepository) -> None:
    await write(database, tables.outbox, [event("a", number) for number in (1, 2, 3)])
    seen = []
    for _ in range(3):
        items = await claim(queues)
        seen += names(items)
        await queues.mark_sent([item.id for item in items], NOW)
    assert seen == ["a#1", "a#2", "a#3"]
    assert {row.sent_at for row in await read(database, tables.outbox)} == {NOW}


async def test_a_lease_keeps_others_away_until_it_runs_out(database: Database, queues: OutboxRepository) -> None:
    other = OutboxRepository(database, "north", "relay-2")
    await write(database, tables.outbox, [event("a", 1), event("a", 2)])
    assert names(await claim(queues)) == ["a#1"]
    assert await claim(other, now=after(29)) == []
    assert names(await claim(other, now=after(31))) == ["a#1"]
    assert await claim(queues, now=after(32)) == [], "the dead owner's row belongs to the other one now"


async def test_a_postponed_event_rests_and_keeps_its_successors_waiting(
    database: Database, queues: OutboxRepository
) -> None:
    await write(database, tables.outbox, [event("a", 1), event("a", 2), event("b", 1)])
    items = await claim(queues)
    await queues.postpone([items[0].id], after(2))
    await queues.mark_sent([items[1].id], NOW)
    assert await claim(queues, now=after(1)) == []
    assert names(await claim(queues, now=after(2.1))) == ["a#1"]


async def test_count_limits_a_claim_and_the_oldest_go_first(database: Database, queues: OutboxRepository) -> None:
    await write(database, tables.outbox, [event(f"k{number}") for number in range(10)])
    assert names(await claim(queues, 3)) == ["k0#1", "k1#1", "k2#1"]
    assert names(await claim(queues, 3)) == ["k3#1", "k4#1", "k5#1"]


async def test_one_vasp_never_takes_the_events_of_another(database: Database, queues: OutboxRepository) -> None:
    await write(database, tables.outbox, [event("a", 1, vasp="south"), event("a", 1, value=b"ours")])
    assert names(await claim(queues)) == ["ours"]


@pytest.mark.parametrize("seed", [1, 2])
async def test_order_per_key_holds_with_many_relays_failures_and_dead_owners(database: Database, seed: int) -> None:
    """Relays that fail, stall past their lease and die: per key the first time of each event is in order, and none
    is missing. Only an unfinished relay may cause another to send the same event again.
    """
    chance = random.Random(seed)
    total = {f"k{number}": chance.randint(1, 6) for number in range(8)}
    rows = [event(key, number) for key, count in total.items() for number in range(1, count + 1)]
    chance.shuffle(rows)
    rows.sort(key=lambda row: row["sequence"])
    await write(database, tables.outbox, rows)
    published: dict[str, list[int]] = defaultdict(list)
    clock = {"now": NOW}

    async def relay(name: str) -> None:
        queues = OutboxRepository(database, "north", name)
        while await unsent():
            clock["now"] += timedelta(seconds=1)
            items = await claim(queues, chance.randint(1, 4), clock["now"], 5)
            for item in items:
                match chance.random():
                    case share if share < 0.2:  # the broker did not take it
                        await queues.postpone([item.id], clock["now"] + timedelta(seconds=2))
                    case share if share < 0.3:  # died before publishing
                        continue
                    case share:
                        number = int(item.value.decode().partition("#")[2])
                        published[item.key].append(number)
                        if share > 0.4:  # else died between the broker's answer and the mark
                            await queues.mark_sent([item.id], clock["now"])

    async def unsent() -> int:
        return sum(row.sent_at is None for row in await read(database, tables.outbox))

    await asyncio.gather(*(relay(f"relay-{number}") for number in range(3)))
    for key, count in total.items():
        numbers = published[key]
        # An owner that was given up may still send what it holds; consumers ignore a number that they have passed.
        firsts = list(dict.fromkeys(numbers))
        assert firsts == sorted(firsts), (seed, key, numbers)
        assert set(numbers) == set(range(1, count + 1)), (seed, key, numbers)


async def test_relays_at_once_share_the_work_and_nobody_gets_a_row_twice(database: Database) -> None:
    await write(database, tables.outbox, [event(f"k{number}") for number in range(60)])
    relays = [OutboxRepository(database, "north", f"relay-{number}") for number in range(4)]
    claims = await asyncio.gather(*(claim(relay, 10) for relay in relays for _ in range(3)))
    taken = [item.id for items in claims for item in items]
    assert len(taken) == len(set(taken))
    assert len(taken) >= 40, "locked rows are passed over, not waited for"
