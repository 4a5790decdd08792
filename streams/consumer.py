"""Faust's consumer with a position of its own for every partition that it is given.

Faust fetches while a rebalance is under way, drops what it fetched, and afterwards seeks back to the committed offset.
aiokafka leaves out partitions without a committed offset, and those where it is 0: there the dropped records were
passed over, and the next acknowledgement committed past them. And where nothing is committed, aiokafka asks the leader
that it remembers where the partition begins, at each rebalance; if that one refuses, it looks for no other until its
metadata expires. So every partition gets a committed offset before its first record is read: where
``auto_offset_reset=earliest`` would begin. Nothing is skipped, and what is committed stays (ADR 0014).
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.errors import KafkaError
from faust.transport.drivers import aiokafka as driver
from faust.types import TP

from travelrule import logs

BEGINNING_SECONDS = 2.0
"""Partitions that have a leader do not wait longer for one that has none; it is tried again at the next rebalance."""

log = logs.get("consumer")


class KafkaConsumer(driver.Consumer):
    """Seeks every assigned partition to its committed offset, after committing one where there is none."""

    async def seek_to_committed(self) -> Mapping[TP, int]:
        """Seek; the offsets by partition. Faust calls it after each rebalance, before the first record."""
        consumer = self._thread._ensure_consumer()  # noqa: SLF001 -- aiokafka's, which lives in the loop of that thread
        offsets: Mapping[TP, int] = await self._thread.call_thread(seek_to_committed, consumer)
        return offsets


class KafkaTransport(driver.Transport):
    """Faust's transport for aiokafka with this consumer."""

    Consumer = KafkaConsumer


async def seek_to_committed(consumer: AIOKafkaConsumer) -> dict[TopicPartition, int]:
    """Give each assigned partition its position. Those whose beginning is unknown yet are reset, and not returned."""
    assigned = sorted(consumer.assignment())
    found = await asyncio.gather(*(consumer.committed(partition) for partition in assigned))
    committed = {partition: offset for partition, offset in zip(assigned, found, strict=True) if offset is not None}
    missing = [partition for partition in assigned if partition not in committed]
    begins = await _beginnings(consumer, missing)
    still = consumer.assignment()  # another rebalance may have come meanwhile
    begins = {partition: offset for partition, offset in begins.items() if partition in still}
    offsets = {partition: offset for partition, offset in committed.items() if partition in still} | begins
    for partition, offset in offsets.items():
        consumer.seek(partition, offset)
    await _reset(consumer, sorted(still - offsets.keys()))
    await _commit(consumer, begins)
    return offsets


async def _beginnings(consumer: AIOKafkaConsumer, partitions: list[TopicPartition]) -> dict[TopicPartition, int]:
    """Where partitions begin, as far as their leaders answer in time."""
    if not partitions:
        return {}
    asked = [asyncio.create_task(consumer.beginning_offsets([partition])) for partition in partitions]
    try:
        answered, _ = await asyncio.wait(asked, timeout=BEGINNING_SECONDS)
        answers = [task.result() for task in answered if task.exception() is None]
    finally:
        for task in asked:
            task.cancel()
        await asyncio.gather(*asked, return_exceptions=True)
    return {partition: offset for answer in answers for partition, offset in answer.items()}


async def _reset(consumer: AIOKafkaConsumer, partitions: list[TopicPartition]) -> None:
    """Begin to find the position of partitions without a leader; they are read as soon as it is known."""
    if partitions:
        log.warning("beginning-unknown", partitions=len(partitions))
        resetting = asyncio.create_task(consumer.seek_to_beginning(*partitions))
        await asyncio.wait({resetting}, timeout=0)
        resetting.cancel()  # ends only its waiting for the answer


async def _commit(consumer: AIOKafkaConsumer, begins: dict[TopicPartition, int]) -> None:
    """Commit initial offsets. What the broker refuses is left: the partition is read from there all the same."""
    if not begins:
        return
    try:
        async with asyncio.timeout(BEGINNING_SECONDS):
            await consumer.commit(begins)
    except (KafkaError, OSError, TimeoutError) as error:
        log.warning("initial-offsets-refused", error=error)
    else:
        log.info("initial-offsets-committed", partitions=len(begins))
