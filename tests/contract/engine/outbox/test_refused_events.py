"""Events that the broker will never take: kept, counted, alerted, republishable; those behind them go on."""

from __future__ import annotations

import asyncio

import pytest

from tests.contract.engine.outbox.test_relay import Bench
from tests.contract.store.rows import event, read, write
from travelrule import metrics
from travelrule.engine.gauges import GaugeJob
from travelrule.engine.outbox.relay import FAILED_SECONDS
from travelrule.store import expired_rows, tables
from travelrule.store.database import Database
from travelrule.store.outbox_rows import outbox_item


@pytest.fixture
def bench(database: Database) -> Bench:
    return Bench(database)


def refuse(bench: Bench, *values: bytes) -> None:
    bench.broker.fate = lambda _topic, value: "never" if value in values else "taken"


async def refused(bench: Bench) -> list[tuple[str, str]]:
    rows = await read(bench.database, tables.outbox, tables.outbox.c.refused.is_not(None))
    return [(row.value.decode(), row.refused) for row in rows]


async def test_it_is_tried_once_and_no_longer_blocks_its_key(bench: Bench) -> None:
    await write(bench.database, tables.outbox, [event("a", 1), event("a", 2), event("b", 1), event("a", 3)])
    refuse(bench, b"a#1")
    relay = bench.relay()
    for _ in range(6):
        await relay.round()
        bench.clock.forward(FAILED_SECONDS + 1)
    assert bench.broker.values == ["b#1", "a#2", "a#3"]
    assert bench.broker.tried[b"a#1"] == 1
    assert bench.alerts == [("withdrawal:a", "EVENT_REFUSED", "critical")]
    assert await refused(bench) == [("a#1", "RECORD_REFUSED")]
    assert await bench.unsent() == 0


async def test_an_outage_is_no_refusal(bench: Bench) -> None:
    await write(bench.database, tables.outbox, [event("a", 1)])
    bench.broker.fate = lambda *_: "refused"
    relay = bench.relay()
    for _ in range(5):
        await relay.round()
        bench.clock.forward(FAILED_SECONDS + 1)
    assert bench.broker.tried[b"a#1"] == 5
    assert (bench.alerts, await refused(bench), await bench.unsent()) == ([], [], 1)


async def test_an_alert_that_is_refused_raises_none(bench: Bench) -> None:
    await write(bench.database, tables.outbox, [event("a", 1, topic="alerts"), event("a", 2, topic="alerts")])
    refuse(bench, b"a#1")
    relay = bench.relay()
    for _ in range(3):
        await relay.round()
    assert bench.alerts == []
    assert bench.broker.values == ["a#2"]
    assert await refused(bench) == [("a#1", "RECORD_REFUSED")]


async def test_the_alert_about_what_has_no_subject_of_its_own_is_about_us(bench: Bench) -> None:
    await write(
        bench.database,
        tables.outbox,
        [
            event("a", 1, subject="audit:north", topic="audit"),
            event("b", 1, subject="deadletter:b", topic="deadletters"),
        ],
    )
    refuse(bench, b"a#1", b"b#1")
    await bench.relay().round()
    assert bench.alerts == [("vasp:north", "EVENT_REFUSED", "critical")] * 2


async def test_those_of_the_own_batch_that_are_behind_it_wait_until_it_is_aside(bench: Bench) -> None:
    """Published at once or claimed later: the order of a key stays."""
    relay = bench.relay()
    leased = relay.lease(3, bench.clock())
    assert leased is not None
    owner, until = leased
    rows = [event("a", number, lease_owner=owner, lease_until=until) for number in (1, 2, 3)]
    await write(bench.database, tables.outbox, rows)
    refuse(bench, b"a#2")
    stored = await read(bench.database, tables.outbox, order=tables.outbox.c.id)
    relay.publish_soon([outbox_item(row.id, row._mapping) for row in stored], until)
    while relay._preclaimed:
        await asyncio.wait(relay._preclaimed)
    assert bench.broker.values == ["a#1"]
    for _ in range(3):
        bench.clock.forward(FAILED_SECONDS + 1)
        await relay.round()
    assert bench.broker.values == ["a#1", "a#3"]
    assert await refused(bench) == [("a#2", "RECORD_REFUSED")]


async def test_an_alert_that_cannot_be_stored_leaves_the_event_to_be_tried_again(bench: Bench) -> None:
    await write(bench.database, tables.outbox, [event("a", 1)])
    refuse(bench, b"a#1")
    failures: list[Exception] = [ConnectionResetError()]
    raised = bench.alerts

    async def alert(subject: str, said: object) -> None:
        if failures:
            raise failures.pop()
        raised.append((subject, "EVENT_REFUSED", "critical"))

    relay = bench.relay()
    relay._alert = alert
    with pytest.raises(ConnectionResetError):
        await relay.round()
    assert await refused(bench) == []
    bench.clock.forward(60)
    await relay.round()
    assert await refused(bench) == [("a#1", "RECORD_REFUSED")]
    assert len(raised) == 1


async def test_it_is_counted_and_retention_keeps_it(bench: Bench) -> None:
    await write(bench.database, tables.outbox, [event("a", 1), event("b", 1)])
    refuse(bench, b"a#1")
    await bench.relay().round()
    await GaugeJob(bench.database, "north", bench.clock).round()
    assert metrics.OUTBOX_REFUSED._value.get() == 1
    assert metrics.OUTBOX_UNSENT._value.get() == 0
    bench.clock.forward(86400)
    async with bench.database.begin() as connection:
        assert await expired_rows.delete_events(connection, "north", bench.clock(), 10) == 1
    assert await refused(bench) == [("a#1", "RECORD_REFUSED")]
