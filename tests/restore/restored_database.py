"""The commands of the guide: dump, loss, restore, and the group's offsets set back to the time of the dump."""

from __future__ import annotations

import asyncio
import subprocess
import time
from datetime import datetime, timedelta
from pathlib import Path

from confluent_kafka import ConsumerGroupState, ConsumerGroupTopicPartitions, TopicPartition
from confluent_kafka.admin import OffsetSpec

from tests.services import GivenPostgres, PostgresServer
from tests.services.kafka import admin_client
from tests.services.postgres import binaries

Server = PostgresServer | GivenPostgres
MARGIN = timedelta(seconds=5)
"""Records that were taken and not committed when the dump began are read again too."""
LEFT_SECONDS = 120


def _run(*words: str) -> None:
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


async def dump(server: Server, database: str, file: Path) -> None:
    """Write a dump while the processes run; a dump sees the database at one moment."""
    url = server.dsn(database).replace("+asyncpg", "")
    await asyncio.to_thread(_run, str(binaries() / "pg_dump"), "--format=custom", f"--file={file}", url)


async def lose(server: Server, database: str) -> None:
    """Drop the database with everything in it."""
    await asyncio.to_thread(server.drop_database, database)


async def restore(server: Server, database: str, file: Path) -> None:
    """Make the database again from the dump, in one transaction."""
    await asyncio.to_thread(server.execute, f"CREATE DATABASE {database} TEMPLATE template0")
    url = server.dsn(database).replace("+asyncpg", "")
    words = ("--single-transaction", "--exit-on-error", "--no-owner", f"--dbname={url}")
    await asyncio.to_thread(_run, str(binaries() / "pg_restore"), *words, str(file))


def set_back(bootstrap: str, group: str, topics: list[str], to: datetime) -> int:
    """Set the offsets of the group to a time, as ``kafka-consumer-groups.sh --to-datetime`` does, as soon as the broker
    has removed its last member. Return by how many records they went back.
    """
    admin = admin_client(bootstrap)
    deadline = time.monotonic() + LEFT_SECONDS
    while admin.describe_consumer_groups([group])[group].result(timeout=30).state is not ConsumerGroupState.EMPTY:
        assert time.monotonic() < deadline, "killed members are still in the group"
        time.sleep(0.5)  # between two questions to the broker
    described = admin.list_topics(timeout=10).topics
    partitions = [TopicPartition(name, number) for name in topics for number in described[name].partitions]
    moment = OffsetSpec.for_timestamp(int((to - MARGIN).timestamp() * 1000))
    found = {one: future.result(timeout=30).offset for one, future in _list(admin, partitions, moment)}
    ends = {one: future.result(timeout=30).offset for one, future in _list(admin, partitions, OffsetSpec.latest())}
    wanted = [
        TopicPartition(one.topic, one.partition, found[one] if found[one] >= 0 else ends[one]) for one in partitions
    ]
    (before,) = admin.list_consumer_group_offsets([ConsumerGroupTopicPartitions(group)]).values()
    committed = {(one.topic, one.partition): one.offset for one in before.result(timeout=30).topic_partitions}
    (after,) = admin.alter_consumer_group_offsets([ConsumerGroupTopicPartitions(group, wanted)]).values()
    refused = [one for one in after.result(timeout=30).topic_partitions if one.error is not None]
    assert not refused, refused[0].error
    return sum(max(0, committed.get((one.topic, one.partition), 0) - one.offset) for one in wanted)


def _list(admin: object, partitions: list[TopicPartition], moment: OffsetSpec) -> list[tuple[TopicPartition, object]]:
    return list(admin.list_offsets(dict.fromkeys(partitions, moment)).items())
