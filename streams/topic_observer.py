"""What is written to the output topics, and whether the workers have taken what was sent: a platform's view.

No group is joined: every observer reads all partitions, from the moment it starts.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass

from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.errors import GroupAuthorizationFailedError, KafkaError, TopicAuthorizationFailedError

from streams.connection import Connection
from streams.diagnosis import require_broker
from streams.topics import Topics
from travelrule.errors import ConfigurationError, ServiceUnavailable

OUTPUTS = ("verdicts", "callbacks", "exchanges", "alerts", "deadletters")
Offsets = dict[TopicPartition, int]


@dataclass(frozen=True, slots=True)
class ObservedRecord:
    """One record of an output topic (name without prefix)."""

    topic: str
    key: bytes | None
    value: bytes | None
    headers: Mapping[str, bytes]


class TopicObserver:
    """Reads the output topics, and compares the group's offsets with the ends of ``inputs`` (names without prefix).

    ``unseen`` are the output topics that our login may not see, or that do not exist.
    """

    def __init__(self, connection: Connection, topics: Topics, group: str, inputs: Collection[str]) -> None:
        self._connection = connection
        self._topics = topics
        self._group = group
        self._admin = AIOKafkaAdminClient(**connection.client_options(), client_id="travelrule-observer")
        self._consumer = AIOKafkaConsumer(**connection.client_options(), client_id="travelrule-observer")
        # A connection of its own: a broker answers one after the other, and a fetch waits for records.
        self._offsets = AIOKafkaConsumer(**connection.client_options(), client_id="travelrule-observer-offsets")
        self._names = inputs
        self._inputs: list[TopicPartition] = []
        self.unseen: tuple[str, ...] = ()
        self._before: Offsets = {}
        self._sent: Offsets = {}

    async def start(self) -> None:
        """Connect, and note the present ends. Raise ``ConfigurationError`` if an input topic or all output topics are
        missing, ``ServiceUnavailable`` if no broker answers or we may not read.
        """
        await require_broker(self._connection)
        async with self._explained():
            await self._admin.start()
            await self._consumer.start()
            await self._offsets.start()
            self._inputs, missing = await self._partitions(self._names)
            outputs, self.unseen = await self._partitions(OUTPUTS)
            if missing or not outputs:
                names = ", ".join(self._topics.physical(name) for name in missing or OUTPUTS)
                fix = f"no topic {names} that we may see: run `travelrule topics apply`, check the ACLs"
                raise ConfigurationError("TRAVELRULE_TOPIC_PREFIX", fix)
            self._consumer.assign(outputs)
            for partition, end in (await self._offsets.end_offsets(outputs)).items():
                self._consumer.seek(partition, end)
            self._before = await self._offsets.end_offsets(self._inputs)

    async def stop(self) -> None:
        """Disconnect."""
        await self._consumer.stop()
        await self._offsets.stop()
        await self._admin.close()

    async def note_sent(self) -> None:
        """Note that everything was sent: the records between ``start`` and now are those that must be taken."""
        async with self._explained():
            after = await self._offsets.end_offsets(self._inputs)
        self._sent = {partition: end for partition, end in after.items() if end > self._before[partition]}

    async def is_taken(self) -> bool | None:
        """Whether the workers have taken what was sent; None if we may not read the offsets of their group."""
        try:
            async with self._explained():
                committed = await self._admin.list_consumer_group_offsets(self._group, partitions=list(self._sent))
        except GroupAuthorizationFailedError:
            return None
        offsets = {partition: one.offset for partition, one in committed.items()}
        return all(offsets.get(partition, -1) >= end for partition, end in self._sent.items())

    def is_sent_here(self, topic: str, partition: int, offset: int) -> bool:
        """Whether a place (topic with prefix) is between the ends before and after the sending."""
        place = TopicPartition(topic, partition)
        return place in self._sent and self._before[place] <= offset < self._sent[place]

    async def records(self, seconds: float) -> list[ObservedRecord]:
        """Return the next records by their time; empty if none arrives within ``seconds``."""
        async with self._explained():
            batches = await self._consumer.getmany(timeout_ms=int(seconds * 1000))
        read = sorted(
            (record.timestamp, record.topic, record.partition, record.offset, record)
            for records in batches.values()
            for record in records
        )
        return [
            ObservedRecord(self._topics.logical(record.topic), record.key, record.value, dict(record.headers))
            for *_, record in read
        ]

    async def _partitions(self, names: Collection[str]) -> tuple[list[TopicPartition], tuple[str, ...]]:
        """Return the partitions of topics, and the names of those that have none for us."""
        described = await self._admin.describe_topics([self._topics.physical(name) for name in names])
        missing = [self._topics.logical(topic["topic"]) for topic in described if not topic["partitions"]]
        found = [
            TopicPartition(topic["topic"], partition["partition"])
            for topic in described
            for partition in topic["partitions"]
        ]
        return found, tuple(missing)

    @asynccontextmanager
    async def _explained(self) -> AsyncIterator[None]:
        try:
            yield
        except GroupAuthorizationFailedError:
            raise
        except TopicAuthorizationFailedError as error:
            fix = "the login of TRAVELRULE_BROKER_SASL_* may not read the output topics: check the ACLs"
            raise ServiceUnavailable("broker", fix, "refuses the request") from error
        except (KafkaError, OSError, TimeoutError) as error:
            raise ServiceUnavailable("broker", "check TRAVELRULE_BROKER_URL and the login") from error
