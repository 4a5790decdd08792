"""Partitions go on being served after their leaders moved and a worker died, on three brokers."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Iterator
from pathlib import Path

import pytest
from confluent_kafka import Producer
from confluent_kafka import TopicPartition as Partition

from streams.connection import Connection
from streams.topics import Topics
from streams.worker import FaustWorker
from tests.contract.streams.worker import Committer, consuming
from tests.contract.streams.worker_processes import QUICK, file_worker, new_topics, settings_for
from tests.services import KafkaCluster

pytestmark = [
    pytest.mark.operations,
    pytest.mark.services,
    # aiokafka drops sockets when a broker goes away while it connects.
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

PARTITIONS = 3
SERVED_SECONDS = 90
"""Generous for a slow machine, and a third of the age that metadata has by default."""


@pytest.fixture(autouse=True)
def dropped_sockets_are_found_here() -> Iterator[None]:
    yield
    gc.collect()


def _all(topics: Topics) -> set[tuple[str, int]]:
    return {(name, number) for name in topics.inputs() for number in range(PARTITIONS)}


def _owned(worker: FaustWorker) -> set[tuple[str, int]]:
    return {(tp.topic, tp.partition) for tp in worker.assignment()}


def _served(committer: Committer, topics: Topics) -> set[tuple[str, int]]:
    return {(topics.physical(d.topic), d.partition) for d in committer.acknowledged}


def _publish_to(cluster: KafkaCluster, partitions: set[tuple[str, int]], value: bytes) -> None:
    producer = Producer({"bootstrap.servers": cluster.bootstrap, "acks": "all", "log_level": 0})
    for topic, partition in partitions:
        producer.produce(topic, value, partition=partition)
    assert producer.flush(60) == 0


async def test_a_dead_workers_partitions_are_served_although_their_leaders_moved(
    kafka_cluster: KafkaCluster, tmp_path: Path
) -> None:
    topics = await asyncio.to_thread(new_topics, kafka_cluster, PARTITIONS)
    settings, committer = settings_for(kafka_cluster, topics), Committer()
    with file_worker(kafka_cluster, topics, tmp_path / "committed") as victim:
        async with consuming(settings, Connection(kafka_cluster.addresses), committer, timing=QUICK) as survivor:
            await committer.until(lambda: 0 < len(_owned(survivor)) < len(_all(topics)))
            theirs = _all(topics) - _owned(survivor)
            await asyncio.to_thread(kafka_cluster.move_leaders_from, 1, topics.inputs())
            # Only leaders of what the victim reads move back: no answer tells the survivor that they did.
            moved = [Partition(*one) for one in theirs]
            await asyncio.to_thread(kafka_cluster.elect_preferred_leaders, moved)
            assert 1 in {kafka_cluster.leaders(topic)[number] for topic, number in theirs}
            victim.kill()
            await asyncio.to_thread(_publish_to, kafka_cluster, _all(topics), b"after the move")
            await committer.until(lambda: _served(committer, topics) == _all(topics), SERVED_SECONDS)
