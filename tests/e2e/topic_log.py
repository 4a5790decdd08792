"""Topics read from the beginning to their end, as any other consumer would see them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import orjson
from aiokafka import AIOKafkaConsumer, TopicPartition


@dataclass(frozen=True, slots=True)
class Record:
    """One record; ``topic`` without the prefix."""

    topic: str
    partition: int
    offset: int
    key: bytes | None
    value: bytes | None
    headers: tuple[tuple[str, bytes], ...]

    @property
    def event(self) -> dict[str, Any]:
        """The CloudEvent in it."""
        event: dict[str, Any] = orjson.loads(self.value or b"null")
        return event

    @property
    def data(self) -> dict[str, Any]:
        """The data of the event."""
        data: dict[str, Any] = self.event["data"]
        return data

    def header(self, name: str) -> str:
        """A header as text; empty if it is not there."""
        return next((value.decode() for key, value in self.headers if key == name), "")


async def read_topics(bootstrap: str, prefix: str, names: Iterable[str]) -> list[Record]:
    """Every record that the topics hold now, in the order of their partitions."""
    consumer = AIOKafkaConsumer(
        *(f"{prefix}{name}" for name in names),
        bootstrap_servers=bootstrap,
        group_id=None,
        auto_offset_reset="earliest",
        enable_auto_commit=False,
    )
    await consumer.start()
    try:
        partitions: list[TopicPartition] = list(consumer.assignment())
        await consumer.seek_to_beginning(*partitions)
        ends = await consumer.end_offsets(partitions)
        return await _read(consumer, prefix, ends)
    finally:
        await consumer.stop()


async def _read(consumer: AIOKafkaConsumer, prefix: str, ends: dict[TopicPartition, int]) -> list[Record]:
    records: list[Record] = []
    while True:
        behind = [partition for partition, end in ends.items() if await consumer.position(partition) < end]
        if not behind:
            return sorted(records, key=lambda record: (record.topic, record.partition, record.offset))
        for batch in (await consumer.getmany(*behind, timeout_ms=1000)).values():
            records += [_record(record, prefix) for record in batch]


def _record(record: Any, prefix: str) -> Record:
    return Record(
        record.topic.removeprefix(prefix),
        record.partition,
        record.offset,
        record.key,
        record.value,
        tuple(record.headers),
    )
