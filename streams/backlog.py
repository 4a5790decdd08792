"""What the broker itself says about the consumer group: the other half of the sign of life.

Consumers are known to stop silently after broker restarts: nothing is taken, so nothing is pending, and the
process looks idle. Only asking the broker, over a connection of its own, shows that records wait.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.errors import KafkaError

from streams.connection import Connection
from travelrule import logs

LOOK_SECONDS = 10.0
ANSWER_SECONDS = 10.0

log = logs.get("backlog")


@dataclass(frozen=True, slots=True)
class Waiting:
    """A partition with records that the group has not committed."""

    committed: int
    since: float
    """Steady time at which this committed offset was first seen with records behind it."""


class Backlog:
    """Watches the committed offsets of the whole group, so also a worker without partitions knows a stalled one.

    ``owned`` says which partitions this process has; only those count for it (all, while it has none).
    """

    def __init__(
        self,
        connection: Connection,
        group: str,
        topics: Sequence[str],
        owned: Callable[[], set[TopicPartition]],
        steady: Callable[[], float] = time.monotonic,
    ) -> None:
        self._connection = connection
        self._group = group
        self._topics = tuple(topics)
        self._owned = owned
        self._steady = steady
        self._ending = asyncio.Event()
        self._clients: tuple[AIOKafkaAdminClient, AIOKafkaConsumer] | None = None
        self.waiting: dict[TopicPartition, Waiting] = {}

    async def run(self) -> None:
        """Look again and again until ``end``. A broker that does not answer proves nothing about this process."""
        while not self._ending.is_set():
            try:
                async with asyncio.timeout(ANSWER_SECONDS):
                    await self.look()
            except (KafkaError, OSError, TimeoutError) as error:
                log.warning("backlog-unknown", error=error)
                self.waiting = {}
                await self.close()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(LOOK_SECONDS):
                    await self._ending.wait()
        await self.close()

    def end(self) -> None:
        """Let ``run`` finish its look and return: a client that is cancelled while it connects leaks sockets."""
        self._ending.set()

    async def look(self) -> None:
        """Ask the broker once. Raises KafkaError, OSError."""
        admin, consumer = await self._connected()
        partitions = [
            TopicPartition(topic["topic"], partition["partition"])
            for topic in await admin.describe_topics(list(self._topics))
            for partition in topic["partitions"]
        ]
        if not partitions:
            self.waiting = {}
            return
        committed = await admin.list_consumer_group_offsets(self._group, partitions=partitions)
        begins = await consumer.beginning_offsets(partitions)
        ends = await consumer.end_offsets(partitions)
        waiting: dict[TopicPartition, Waiting] = {}
        for partition in partitions:
            position = max(committed[partition].offset, begins[partition])  # -1: nothing committed yet
            if ends[partition] > position:
                before = self.waiting.get(partition)
                same = before is not None and before.committed == position
                waiting[partition] = before if before and same else Waiting(position, self._steady())
        self.waiting = waiting

    async def close(self) -> None:
        """Disconnect."""
        clients, self._clients = self._clients, None
        if clients is not None:
            await clients[0].close()
            await clients[1].stop()

    def stalled_seconds(self) -> float:
        """For how long the longest waiting of our partitions has had records and no commit; 0 if none waits."""
        return max(self._stalls().values(), default=0.0)

    def stalled_topics(self) -> dict[str, float]:
        """The same by topic, named with prefix."""
        longest: dict[str, float] = {}
        for partition, seconds in self._stalls().items():
            longest[partition.topic] = max(longest.get(partition.topic, 0.0), seconds)
        return longest

    def _stalls(self) -> dict[TopicPartition, float]:
        now, owned = self._steady(), self._owned()
        return {
            partition: now - waiting.since
            for partition, waiting in self.waiting.items()
            if partition in owned or not owned
        }

    async def _connected(self) -> tuple[AIOKafkaAdminClient, AIOKafkaConsumer]:
        """Two clients, because neither alone can ask for both ends of a partition and the group's offsets."""
        if self._clients is None:
            options = self._connection.client_options()
            admin = AIOKafkaAdminClient(**options, client_id="travelrule-backlog")
            consumer = AIOKafkaConsumer(**options, client_id="travelrule-backlog")
            self._clients = admin, consumer
            await admin.start()
            await consumer.start()
        return self._clients
