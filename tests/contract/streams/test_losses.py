"""Nothing is lost on Apache Kafka: workers that are killed, rebalances with work in hand, brokers that go away."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest
from aiokafka import TopicPartition
from aiokafka.errors import KafkaError

from streams.backlog import Backlog
from streams.connection import Connection
from streams.publisher import KafkaPublisher, UnreachableError
from streams.worker import FaustWorker
from tests.contract.streams.worker import Committer, consuming
from tests.contract.streams.worker_processes import QUICK, file_worker, new_topics, settings_for
from tests.services import KafkaNode
from travelrule.errors import ServiceUnavailable
from travelrule.settings import Settings

pytestmark = [
    pytest.mark.services,
    # aiokafka drops sockets when a broker dies while it connects; that is its business and the kernel's.
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

EVENTS = 3000


@pytest.fixture(autouse=True)
def dropped_sockets_are_found_here() -> Iterator[None]:
    """And not in whatever test the collector happens to run in."""
    yield
    gc.collect()


def _lines(file: Path) -> list[tuple[str, int, int, bytes]]:
    """Process, partition, offset and value of each committed record; a torn last line counts for nothing."""
    rows = [line.split(b" ") for line in file.read_bytes().splitlines()] if file.exists() else []
    return [(row[0].decode(), int(row[1]), int(row[2]), row[3]) for row in rows if len(row) == 4]


def _wait_for(file: Path, count: int, seconds: float = 90) -> None:
    deadline = time.monotonic() + seconds
    while len({value for *_, value in _lines(file)}) < count:
        assert time.monotonic() < deadline, f"only {len({v for *_, v in _lines(file)})} of {count} arrived"
        time.sleep(0.1)


async def test_kill_9_loses_nothing(kafka: KafkaNode, tmp_path: Path) -> None:
    topics, file = new_topics(kafka), tmp_path / "committed"
    publisher = KafkaPublisher(Connection((kafka.bootstrap,)), topics)
    await publisher.start()
    await asyncio.gather(*(publisher.publish("withdrawals", b"k%d" % (n % 37), b"%d" % n, []) for n in range(EVENTS)))
    await publisher.stop()
    with file_worker(kafka, topics, file):
        for kill in range(1, 4):
            with file_worker(kafka, topics, file) as victim:
                await asyncio.to_thread(_wait_for, file, kill * EVENTS // 5)
                victim.kill()
        await asyncio.to_thread(_wait_for, file, EVENTS)
    lines = _lines(file)
    assert {value for *_, value in lines} == {b"%d" % n for n in range(EVENTS)}
    # Each process commits a partition in the order of its offsets; only redelivery repeats some of them.
    offsets: dict[tuple[str, int], list[int]] = defaultdict(list)
    for process, partition, offset, _ in lines:
        offsets[process, partition].append(offset)
    for row in offsets.values():
        first_seen = list(dict.fromkeys(row))
        assert first_seen == sorted(first_seen)
    assert len(lines) < EVENTS * 1.5  # redelivery is a batch and a commit interval, not everything


async def test_a_rebalance_waits_for_the_batch_in_hand(kafka: KafkaNode) -> None:
    topics = new_topics(kafka)
    settings, connection = settings_for(kafka, topics), Connection((kafka.bootstrap,))
    publisher = KafkaPublisher(connection, topics)
    await publisher.start()
    first, second = Committer(), Committer()
    first.open.clear()
    async with consuming(settings, connection, first, timing=QUICK) as one:
        await asyncio.gather(*(publisher.publish("withdrawals", b"k%d" % n, b"%d" % n, []) for n in range(40)))
        await first.until(lambda: len(first.seen) == 40)
        joining = asyncio.create_task(_join(settings, connection, second, one))
        # The group changes only after the batch in hand is committed, so nothing of it reaches the newcomer.
        await first.until(lambda: _rebalancing(one))
        assert second.seen == []
        first.open.set()
        await joining
    values = [d.value or b"" for d in (*first.acknowledged, *second.acknowledged)]
    assert sorted(values) == sorted(b"%d" % n for n in range(40))
    await publisher.stop()


async def _join(settings: Settings, connection: Connection, committer: Committer, other: FaustWorker) -> None:
    async with consuming(settings, connection, committer, timing=QUICK) as worker:
        # On a busy machine the group may have dropped the first worker: it holds on to its partitions until it knows.
        await committer.until(lambda: bool(worker.assignment()) and worker.assignment().isdisjoint(other.assignment()))


def _rebalancing(worker: FaustWorker) -> bool:
    return bool(worker._app.rebalancing)


@pytest.mark.operations
@pytest.mark.timeout(180)
async def test_consumer_and_publisher_survive_a_broker_restart(own_kafka: KafkaNode) -> None:
    topics = new_topics(own_kafka, partitions=2)
    settings, connection = settings_for(own_kafka, topics), Connection((own_kafka.bootstrap,))
    publisher = KafkaPublisher(connection, topics, acknowledge_s=4)
    await publisher.start()
    committer = Committer()
    async with consuming(settings, connection, committer, timing=QUICK) as worker:
        await publisher.publish("txids", b"k", b"before", [])
        await committer.until(lambda: len(committer.acknowledged) == 1)
        own_kafka.kill()
        with pytest.raises(UnreachableError):
            await publisher.publish("txids", b"k", b"lost", [])
        await asyncio.to_thread(own_kafka.start)
        await publisher.publish("txids", b"k", b"after", [])
        await committer.until(lambda: any(d.value == b"after" for d in committer.acknowledged), 90)
        assert worker.alive()
        # Stopped while it looks for its coordinator, aiokafka drops the connections that it is about to make.
        await _until_committed(worker)
    values = [d.value for d in committer.seen]
    assert b"lost" not in values  # what the publisher reported as failed, it did not send later behind our back
    assert values[-1] == b"after"
    await publisher.stop()


async def _until_committed(worker: FaustWorker) -> None:
    async with asyncio.timeout(90):
        while True:
            with contextlib.suppress(KafkaError):  # a broker that just came back may refuse some questions
                await worker.backlog.look()
                if not worker.backlog.waiting:
                    return
            await asyncio.sleep(0.1)


async def test_records_that_nobody_takes_are_a_stall(kafka: KafkaNode) -> None:
    topics, connection = new_topics(kafka), Connection((kafka.bootstrap,))
    settings, now = settings_for(kafka, topics), 100.0
    async with consuming(settings, connection, Committer(), timing=QUICK):
        pass  # the group exists, and its only member is gone
    publisher = KafkaPublisher(connection, topics)
    await publisher.start()
    await publisher.publish("txids", b"k", b"v", [])
    await publisher.stop()
    mine: set[TopicPartition] = set()
    backlog = Backlog(connection, settings.consumer_group, [topics.physical("txids")], lambda: mine, lambda: now)
    await backlog.look()
    now += 70
    await backlog.look()
    assert backlog.stalled_seconds() == 70
    assert backlog.stalled_topics() == {topics.physical("txids"): 70}
    mine.add(TopicPartition(topics.physical("wallets"), 0))
    assert backlog.stalled_seconds() == 0
    await backlog.close()


async def test_a_worker_does_not_start_without_a_broker() -> None:
    nowhere = Connection(("127.0.0.1:1",))
    with pytest.raises(ServiceUnavailable):
        async with consuming(Settings(broker_url="kafka://127.0.0.1:1"), nowhere, Committer()):
            raise AssertionError("it started")
