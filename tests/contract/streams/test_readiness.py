"""A worker is ready while it commits what is assigned to it, as the broker sees it."""

from __future__ import annotations

import asyncio

import pytest
from aiokafka import TopicPartition

from streams.backlog import Backlog
from streams.connection import Connection
from streams.publisher import KafkaPublisher
from streams.worker import READY_STALL_SECONDS
from tests.contract.streams.worker import Committer, consuming
from tests.contract.streams.worker_processes import QUICK, new_topics, settings_for
from tests.services import KafkaNode

pytestmark = pytest.mark.services


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


async def _publish(kafka: KafkaNode, prefix_topics: object, key: bytes) -> None:
    publisher = KafkaPublisher(Connection((kafka.bootstrap,)), prefix_topics)  # type: ignore[arg-type]
    await publisher.start()
    await publisher.publish("txids", key, b"v", [])
    await publisher.stop()


async def test_records_that_were_never_taken_make_a_worker_unready(kafka: KafkaNode) -> None:
    topics = await asyncio.to_thread(new_topics, kafka)
    settings, clock, committer = settings_for(kafka, topics), Clock(), Committer()
    async with consuming(settings, Connection((kafka.bootstrap,)), committer, timing=QUICK) as worker:
        worker.backlog._steady = clock
        await committer.until(lambda: len(worker.assignment()) == 4 * len(topics.inputs()))
        await worker.backlog.look()
        assert worker.ready()
        # Paused in the client: the group keeps the member, and the records are never taken.
        thread = worker._app.consumer._thread  # type: ignore[attr-defined]
        thread._ensure_consumer().pause(*worker.assignment())
        await _publish(kafka, topics, b"k")
        await worker.backlog.look()
        assert worker.lag_records()["txids"] == 1
        clock.now += READY_STALL_SECONDS + 1
        await worker.backlog.look()
        assert committer.seen == []
        assert not worker.ready()
        assert worker.alive()  # not yet: a restart costs a rebalance
        assert worker.lag_seconds()["txids"] > READY_STALL_SECONDS
        thread._ensure_consumer().resume(*worker.assignment())
        await committer.until(lambda: len(committer.acknowledged) == 1)
        async with asyncio.timeout(60):
            while not worker.ready():
                await worker.backlog.look()
        assert worker.lag_records()["txids"] == 0


async def test_a_worker_whose_broker_does_not_answer_is_not_ready(own_kafka: KafkaNode) -> None:
    topics = await asyncio.to_thread(new_topics, own_kafka, 1)
    settings, clock, committer = settings_for(own_kafka, topics), Clock(), Committer()
    async with consuming(settings, Connection((own_kafka.bootstrap,)), committer, timing=QUICK) as worker:
        worker.backlog._steady = clock
        await committer.until(lambda: bool(worker.assignment()))
        await worker.backlog.look()
        assert worker.ready()
        own_kafka.freeze()
        clock.now += READY_STALL_SECONDS + 1
        assert not worker.ready()
        own_kafka.thaw()
        await worker.backlog.look()
        assert worker.ready()


async def test_a_worker_without_partitions_is_not_ready(kafka: KafkaNode) -> None:
    topics = await asyncio.to_thread(new_topics, kafka, 1)
    settings, connection = settings_for(kafka, topics), Connection((kafka.bootstrap,))
    committer = Committer()
    async with consuming(settings, connection, committer, timing=QUICK) as worker:
        await committer.until(lambda: bool(worker.assignment()))
        await worker.backlog.look()
        worker.assignment = set  # type: ignore[assignment, method-assign]
        assert not worker.ready()


async def test_what_another_worker_left_waiting_does_not_count_against_its_heir(kafka: KafkaNode) -> None:
    topics, clock = await asyncio.to_thread(new_topics, kafka, 1), Clock()
    async with consuming(settings_for(kafka, topics), Connection((kafka.bootstrap,)), Committer(), timing=QUICK):
        pass  # the group exists
    await _publish(kafka, topics, b"k")
    other, mine = TopicPartition(topics.physical("wallets"), 0), TopicPartition(topics.physical("txids"), 0)
    owned = {other}
    group = settings_for(kafka, topics).consumer_group
    backlog = Backlog(Connection((kafka.bootstrap,)), group, [topics.physical("txids")], lambda: owned, clock)
    await backlog.look()
    clock.now += 500
    owned.add(mine)
    assert backlog.stalled_seconds() == 0
    await backlog.look()
    clock.now += 7
    assert backlog.stalled_seconds() == 7
    assert backlog.stalled_topics() == {topics.physical("txids"): 507}
    await backlog.close()
