"""Publisher and consumer, on the embedded broker and on Apache Kafka."""

from __future__ import annotations

import asyncio

import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer

from agents import AGENTS
from streams.backlog import Backlog
from streams.publisher import KafkaPublisher
from tests.contract.streams.broker_topics import BrokerTopics
from tests.contract.streams.worker import Committer, consuming


async def test_what_is_published_is_delivered_whole(place: BrokerTopics, publisher: KafkaPublisher) -> None:
    committer = Committer()
    async with consuming(place.settings, place.connection, committer):
        await publisher.publish("wallets", b"k", b"\x00\xffvalue", [("ce_id", b"1"), ("h", b"")])
        await committer.until(lambda: len(committer.acknowledged) == 1)
    (delivery,) = committer.seen
    assert (delivery.topic, delivery.key, delivery.value) == ("wallets", b"k", b"\x00\xffvalue")
    assert delivery.headers == (("ce_id", b"1"), ("h", b""))


async def test_tombstones_and_records_without_key_arrive(place: BrokerTopics) -> None:
    producer = AIOKafkaProducer(**place.connection.client_options())
    await producer.start()
    await producer.send_and_wait(place.topics.physical("wallets"), value=None, key=b"w-1")
    await producer.send_and_wait(place.topics.physical("txids"), value=b"{}", key=None)
    await producer.stop()
    committer = Committer()
    async with consuming(place.settings, place.connection, committer):
        await committer.until(lambda: len(committer.acknowledged) == 2)
    assert {(d.topic, d.key, d.value) for d in committer.seen} == {
        ("wallets", b"w-1", None),
        ("txids", None, b"{}"),
    }


async def test_records_of_a_key_keep_their_order(place: BrokerTopics, publisher: KafkaPublisher) -> None:
    numbers = range(40)
    await asyncio.gather(*(publisher.publish("withdrawals", b"k%d" % (n % 4), b"%d" % n, []) for n in numbers))
    committer = Committer()
    async with consuming(place.settings, place.connection, committer):
        await committer.until(lambda: len(committer.acknowledged) == len(numbers))
    for key in range(4):
        values = [int(d.value or b"") for d in committer.seen if d.key == b"k%d" % key]
        assert values == list(range(key, 40, 4))


async def test_acknowledged_is_not_delivered_again_and_the_rest_is(
    place: BrokerTopics, publisher: KafkaPublisher
) -> None:
    for n in range(6):
        await publisher.publish("decisions", b"same-key", b"%d" % n, [])
    first = Committer()
    async with consuming(place.settings, place.connection, first):
        await first.until(lambda: len(first.acknowledged) == 6)
    await publisher.publish("decisions", b"same-key", b"6", [])
    second = Committer()
    async with consuming(place.settings, place.connection, second):
        await second.until(lambda: len(second.acknowledged) == 1)
    assert [d.value for d in second.seen] == [b"6"]


async def test_offsets_are_committed_only_after_the_acknowledgement(
    place: BrokerTopics, publisher: KafkaPublisher
) -> None:
    for n in range(3):
        await publisher.publish("txids", b"one", b"%d" % n, [])
    committer = Committer()
    committer.open.clear()
    async with consuming(place.settings, place.connection, committer) as worker:
        await committer.until(lambda: len(committer.seen) == 3)
        await worker.backlog.look()
        assert len(worker.backlog.waiting) == 1
        assert worker.lag_seconds()["txids"] > 0
        committer.open.set()
        await committer.until(lambda: len(committer.acknowledged) == 3)
        await _until_committed(worker.backlog)
        assert worker.lag_seconds() == dict.fromkeys(AGENTS, 0.0)


async def _until_committed(backlog: Backlog) -> None:
    async with asyncio.timeout(60):
        await backlog.look()
        while backlog.waiting:
            await backlog.look()


async def test_a_stuck_committer_is_not_alive(place: BrokerTopics, publisher: KafkaPublisher) -> None:
    await publisher.publish("txids", b"one", b"1", [])
    committer = Committer()
    committer.open.clear()
    async with consuming(place.settings, place.connection, committer, stall_s=0.2) as worker:
        assert worker.alive()
        await committer.until(lambda: len(committer.seen) == 1)
        await committer.until(lambda: not worker.alive())
        committer.open.set()
        await committer.until(lambda: len(committer.acknowledged) == 1)
        await _until_committed(worker.backlog)
        assert worker.alive()


async def test_an_agent_whose_queue_fails_ends_the_worker_without_acknowledging(
    place: BrokerTopics, publisher: KafkaPublisher
) -> None:
    class Broken(Committer):
        async def put(self, _: object) -> None:
            raise RuntimeError("the queue is closed")

    await publisher.publish("txids", b"one", b"1", [])
    async with consuming(place.settings, place.connection, Broken()) as worker:
        async with asyncio.timeout(60):
            assert str(await worker.failure()) == "the queue is closed"
    again = Committer()
    async with consuming(place.settings, place.connection, again):
        await again.until(lambda: len(again.acknowledged) == 1)


async def test_publishing_takes_many_at_once_and_reads_back_headers(
    place: BrokerTopics, publisher: KafkaPublisher
) -> None:
    await asyncio.gather(*(publisher.publish("verdicts", b"%d" % n, b"v", [("traceparent", b"t")]) for n in range(500)))
    consumer = AIOKafkaConsumer(
        place.topics.physical("verdicts"), **place.connection.client_options(), auto_offset_reset="earliest"
    )
    await consumer.start()
    try:
        got = [await asyncio.wait_for(consumer.getone(), 60) for _ in range(500)]
    finally:
        await consumer.stop()
    assert {record.key for record in got} == {b"%d" % n for n in range(500)}
    assert all(record.headers == (("traceparent", b"t"),) for record in got)


@pytest.mark.parametrize("topic", ["nothing-of-ours", "travelrule.verdicts"])
async def test_only_topics_of_the_registry_are_written(
    place: BrokerTopics, publisher: KafkaPublisher, topic: str
) -> None:
    with pytest.raises(KeyError):
        await publisher.publish(topic, b"k", b"v", [])
