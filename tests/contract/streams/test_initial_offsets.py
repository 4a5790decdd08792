"""Where a worker begins to read: what is committed, and what it commits where nothing is."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
from confluent_kafka import ConsumerGroupTopicPartitions, Producer, TopicPartition
from confluent_kafka.admin import AdminClient

from streams.connection import Connection
from streams.topics import Topics
from tests.contract.streams.worker import Committer, consuming
from tests.contract.streams.worker_processes import QUICK, new_topics, settings_for
from tests.services import KafkaNode

pytestmark = pytest.mark.services

PARTITIONS = 3
UNREAD, BEGUN, CUT = range(PARTITIONS)


def _publish(kafka: KafkaNode, topic: str, count: int) -> None:
    producer = Producer({"bootstrap.servers": kafka.bootstrap, "acks": "all", "log_level": 0})
    for partition in range(PARTITIONS):
        for number in range(count):
            producer.produce(topic, b"%d" % number, partition=partition)
    assert producer.flush(60) == 0


def _publish_one(kafka: KafkaNode, topic: str) -> None:
    producer = Producer({"bootstrap.servers": kafka.bootstrap, "acks": "all", "log_level": 0})
    producer.produce(topic, b"first")
    assert producer.flush(60) == 0


def _committed(kafka: KafkaNode, topics: Topics) -> dict[tuple[str, int], int]:
    admin = AdminClient({"bootstrap.servers": kafka.bootstrap})
    group = f"{topics.prefix}group"
    future = admin.list_consumer_group_offsets([ConsumerGroupTopicPartitions(group)])[group]
    return {(one.topic, one.partition): one.offset for one in future.result(timeout=30).topic_partitions}


def _group_had_committed(kafka: KafkaNode, topics: Topics, topic: str, partition: int, offset: int) -> None:
    admin = AdminClient({"bootstrap.servers": kafka.bootstrap})
    before = ConsumerGroupTopicPartitions(f"{topics.prefix}group", [TopicPartition(topic, partition, offset)])
    for future in admin.alter_consumer_group_offsets([before]).values():
        future.result(timeout=30)


def _delete_before(kafka: KafkaNode, topic: str, partition: int, offset: int) -> None:
    admin = AdminClient({"bootstrap.servers": kafka.bootstrap})
    for future in admin.delete_records([TopicPartition(topic, partition, offset)]).values():
        future.result(timeout=30)


async def _until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not await asyncio.to_thread(condition):
            await asyncio.sleep(0.1)  # between two real questions to the broker


async def test_every_partition_gets_one_without_a_record_lost_or_read_twice(kafka: KafkaNode) -> None:
    topics = await asyncio.to_thread(new_topics, kafka, PARTITIONS)
    topic = topics.physical("txids")
    await asyncio.to_thread(_publish, kafka, topic, 6)
    await asyncio.to_thread(_group_had_committed, kafka, topics, topic, BEGUN, 4)
    await asyncio.to_thread(_delete_before, kafka, topic, CUT, 2)
    wanted = {(name, number) for name in topics.inputs() for number in range(PARTITIONS)}
    committer = Committer()
    committer.open.clear()  # nothing is acknowledged: what is committed was committed without a record
    async with consuming(settings_for(kafka, topics), Connection((kafka.bootstrap,)), committer, timing=QUICK):
        await committer.until(lambda: len(committer.seen) == 6 + 2 + 4)
        await _until(lambda: set(_committed(kafka, topics)) == wanted)
        committed = await asyncio.to_thread(_committed, kafka, topics)
        assert {part: committed[topic, part] for part in range(PARTITIONS)} == {UNREAD: 0, BEGUN: 4, CUT: 2}
        assert all(offset == 0 for (name, _), offset in committed.items() if name != topic)
        committer.open.set()
        await committer.until(lambda: len(committer.acknowledged) == 12)
        await _until(lambda: {_committed(kafka, topics)[topic, part] for part in range(PARTITIONS)} == {6})
    offsets = sorted((d.partition, d.offset) for d in committer.seen)
    assert offsets == [
        *((UNREAD, n) for n in range(6)),
        *((BEGUN, n) for n in (4, 5)),
        *((CUT, n) for n in range(2, 6)),
    ]


async def test_a_first_record_that_a_rebalance_dropped_is_read_again(kafka: KafkaNode) -> None:
    topics = await asyncio.to_thread(new_topics, kafka, 1)
    committer = Committer()
    committer.open.clear()
    async with consuming(
        settings_for(kafka, topics), Connection((kafka.bootstrap,)), committer, timing=QUICK
    ) as worker:
        await committer.until(lambda: bool(worker.assignment()))
        await asyncio.to_thread(_publish_one, kafka, topics.physical("txids"))
        await committer.until(lambda: len(committer.seen) == 1)
        # Nothing is committed, so this is where the consumer has to go back to after each rebalance.
        await worker._app.consumer.perform_seek()
        await committer.until(lambda: len(committer.seen) == 2)
        assert {d.offset for d in committer.seen} == {0}
        committer.open.set()
