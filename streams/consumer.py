"""Faust's consumer with a committed offset for every assigned partition.

During a rebalance Faust fetches records, drops them, and then seeks back to the committed offset. aiokafka does not
seek partitions without a committed offset, nor those where it is 0: their dropped records were skipped, and the next
acknowledgement committed past them. Where nothing is committed, aiokafka requests the beginning of the partition from
the leader in its cache at each rebalance; if that one refuses, it looks for no other until its metadata expires.
Therefore every partition gets a committed offset before its first record is read: the one where
``auto_offset_reset=earliest`` would start. Nothing is skipped, and committed offsets stay (ADR 0014).
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
"""Partitions with a leader wait at most this long for one without; that one is retried at the next rebalance."""

log = logs.get("consumer")


class KafkaConsumer(driver.Consumer):
    """Seeks every assigned partition to its committed offset, after committing one where there is none."""

    async def seek_to_committed(self) -> Mapping[TP, int]:
        """Seek, and return the offsets by partition. Faust calls this after each rebalance, before the first record."""
        consumer = self._thread._ensure_consumer()  # noqa: SLF001 -- aiokafka's, in the loop of that thread
        offsets: Mapping[TP, int] = await self._thread.call_thread(seek_to_committed, consumer)
        return offsets


class KafkaTransport(driver.Transport):
    """Faust's transport for aiokafka with this consumer."""

    Consumer = KafkaConsumer


async def seek_to_committed(consumer: AIOKafkaConsumer) -> dict[TopicPartition, int]:
    """Seek each assigned partition. Those whose beginning is still unknown are reset and not returned."""
    assigned = sorted(consumer.assignment())
    found = await asyncio.gather(*(consumer.committed(partition) for partition in assigned))
    committed = {partition: offset for partition, offset in zip(assigned, found, strict=True) if offset is not None}
    missing = [partition for partition in assigned if partition not in committed]
    begins = await _beginnings(consumer, missing)
    still = consumer.assignment()  # another rebalance may have happened since
    begins = {partition: offset for partition, offset in begins.items() if partition in still}
    offsets = {partition: offset for partition, offset in committed.items() if partition in still} | begins
    for partition, offset in offsets.items():
        consumer.seek(partition, offset)
    await _reset(consumer, sorted(still - offsets.keys()))
    await _commit(consumer, begins)
    return offsets


async def _beginnings(consumer: AIOKafkaConsumer, partitions: list[TopicPartition]) -> dict[TopicPartition, int]:
    """Return the first offsets of partitions, as far as their leaders answer in time."""
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
    """Start the search for the position of partitions without a leader; they are read as soon as it is found."""
    if partitions:
        log.warning("beginning-unknown", partitions=len(partitions))
        resetting = asyncio.create_task(consumer.seek_to_beginning(*partitions))
        await asyncio.wait({resetting}, timeout=0)
        resetting.cancel()  # ends only the wait for the answer


async def _commit(consumer: AIOKafkaConsumer, begins: dict[TopicPartition, int]) -> None:
    """Commit initial offsets. If the broker refuses, the partition is still read from there."""
    if not begins:
        return
    try:
        async with asyncio.timeout(BEGINNING_SECONDS):
            await consumer.commit(begins)
    except (KafkaError, OSError, TimeoutError) as error:
        log.warning("initial-offsets-refused", error=error)
    else:
        log.info("initial-offsets-committed", partitions=len(begins))
