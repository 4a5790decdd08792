"""The backlog of the consumer group as the broker reports it: the second half of liveness.

Consumers are known to stop silently after broker restarts: nothing is taken, so nothing is pending, and the process
looks idle. Only a request to the broker, over a separate connection, shows waiting records.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.errors import GroupLoadInProgressError, KafkaError

from streams.connection import Connection
from streams.group_members import assigned_partitions, unserved
from travelrule import logs

LOOK_SECONDS = 5.0
ANSWER_SECONDS = 10.0
REQUEST_SECONDS = 3.0
"""Short enough to try another broker after one that accepts connections and does not answer."""

log = logs.get("backlog")


@dataclass(frozen=True, slots=True)
class Waiting:
    """A partition with records that the group has not committed."""

    committed: int
    since: float
    """Steady time of the first look at which records were behind this committed offset."""
    records: int
    """Their number, taken by a worker or not."""


def waiting_of(
    partitions: Sequence[TopicPartition],
    committed: Mapping[TopicPartition, int],
    begins: Mapping[TopicPartition, int],
    ends: Mapping[TopicPartition, int],
    before: Mapping[TopicPartition, Waiting],
    now: float,
) -> dict[TopicPartition, Waiting]:
    """Return the partitions with records behind the committed offset; -1 is a partition without one.

    Raises ``GroupLoadInProgressError`` if the answer lacks a partition: a coordinator that still loads the group
    answers with an error for the whole group, which the client library drops.
    """
    waiting: dict[TopicPartition, Waiting] = {}
    for partition in partitions:
        if partition not in committed:
            raise GroupLoadInProgressError
        position = max(committed[partition], begins[partition])
        if ends[partition] > position:
            known = before.get(partition)
            since = known.since if known and known.committed == position else now
            waiting[partition] = Waiting(position, since, ends[partition] - position)
    return waiting


class Backlog:
    """Watches the committed offsets of the whole group, so that a worker without partitions notices a stalled one too.

    ``owned`` returns the partitions of this process; only those count for its probes (all, while it has none). The lag
    counts all partitions: the other workers must show one that reads nothing.
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
        self.unserved: dict[str, int] = {}
        """Partitions of each topic (name with prefix) that no member of the group has; empty if that is unknown."""
        self._one_at_a_time = asyncio.Lock()
        self._looked_at: float | None = None
        self._owned_since: dict[TopicPartition, float] = {}

    async def run(self) -> None:
        """Look at intervals until ``end``. A broker that does not answer proves nothing about this process."""
        while not self._ending.is_set():
            try:
                async with asyncio.timeout(ANSWER_SECONDS):
                    await self.look()
            except (KafkaError, OSError, TimeoutError) as error:
                log.warning("backlog-unknown", error=error)
                self.waiting, self.unserved = {}, {}
                await self.close()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(LOOK_SECONDS):
                    await self._ending.wait()
        await self.close()

    def end(self) -> None:
        """Make ``run`` finish its look and return: a client that is cancelled while it connects leaks sockets."""
        self._ending.set()

    async def look(self) -> None:
        """Query the broker once. Raises KafkaError, OSError."""
        async with self._one_at_a_time:
            await self._look(*await self._connected())

    async def _look(self, admin: AIOKafkaAdminClient, consumer: AIOKafkaConsumer) -> None:
        partitions = [
            TopicPartition(topic["topic"], partition["partition"])
            for topic in await admin.describe_topics(list(self._topics))
            for partition in topic["partitions"]
        ]
        self.waiting = await self._waiting(admin, consumer, partitions) if partitions else {}
        # The embedded broker has no request for the members of a group.
        if not self._connection.embedded:
            self.unserved = unserved(partitions, await assigned_partitions(admin, self._group))
        self._looked_at = now = self._steady()
        self._owned_since = {partition: self._owned_since.get(partition, now) for partition in self._owned()}

    async def _waiting(
        self, admin: AIOKafkaAdminClient, consumer: AIOKafkaConsumer, partitions: list[TopicPartition]
    ) -> dict[TopicPartition, Waiting]:
        committed = await admin.list_consumer_group_offsets(self._group, partitions=partitions)
        begins = await consumer.beginning_offsets(partitions)
        ends = await consumer.end_offsets(partitions)
        offsets = {partition: one.offset for partition, one in committed.items()}
        return waiting_of(partitions, offsets, begins, ends, self.waiting, self._steady())

    async def close(self) -> None:
        """Disconnect."""
        async with self._one_at_a_time:
            clients, self._clients = self._clients, None
            if clients is not None:
                await clients[0].close()
                await clients[1].stop()

    def age_seconds(self) -> float | None:
        """Return the time since the last answer of the broker; None without any."""
        return None if self._looked_at is None else self._steady() - self._looked_at

    def stalled_seconds(self) -> float:
        """For how long the longest waiting of our partitions has had records and no commit; 0 if none waits."""
        return max(self._stalls().values(), default=0.0)

    def stalled_topics(self) -> dict[str, float]:
        """Return the longest wait of each topic (name with prefix), in all processes."""
        now = self._steady()
        longest: dict[str, float] = {}
        for partition, waiting in self.waiting.items():
            longest[partition.topic] = max(longest.get(partition.topic, 0.0), now - waiting.since)
        return longest

    def lag_records(self) -> dict[str, int]:
        """Return the records behind the committed offsets of each topic (name with prefix), in all processes."""
        lag: Counter[str] = Counter()
        for partition, waiting in self.waiting.items():
            lag[partition.topic] += waiting.records
        return dict(lag)

    def _stalls(self) -> dict[TopicPartition, float]:
        """Return how long each partition has waited for this process, without the time at its previous owner."""
        now, owned = self._steady(), self._owned()
        if not owned:
            return {partition: now - waiting.since for partition, waiting in self.waiting.items()}
        return {
            partition: now - max(waiting.since, self._owned_since.get(partition, now))
            for partition, waiting in self.waiting.items()
            if partition in owned
        }

    async def _connected(self) -> tuple[AIOKafkaAdminClient, AIOKafkaConsumer]:
        """Return two clients: neither alone can query both ends of a partition and the offsets of the group."""
        if self._clients is None:
            options = {**self._connection.client_options(), "request_timeout_ms": int(REQUEST_SECONDS * 1000)}
            admin = AIOKafkaAdminClient(**options, client_id="travelrule-backlog")
            consumer = AIOKafkaConsumer(**options, client_id="travelrule-backlog")
            self._clients = admin, consumer
            await admin.start()
            await consumer.start()
        return self._clients
