"""The Kafka publisher, which awaits acknowledgement (``travelrule.engine.ports.Publisher``).

::

    PublishError                 the record was not acknowledged; ``again``: sending it again can help
    ├── UnreachableError         no broker, no leader, or no answer in time: again
    ├── TopicMissingError        the topic does not exist: again, after `travelrule topics apply`
    ├── NotAllowedError          login or access rights: again, after the operator corrected them
    └── RecordRefusedError       too large or malformed for the broker: never
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import ClassVar

from aiokafka.errors import (
    AuthenticationFailedError,
    ClusterAuthorizationFailedError,
    InvalidTopicError,
    KafkaError,
    MessageSizeTooLargeError,
    RecordListTooLargeError,
    TopicAuthorizationFailedError,
    UnknownTopicOrPartitionError,
)

from streams.connection import Connection
from streams.diagnosis import require_broker
from streams.producer_session import OversizeError, ProducerSession
from streams.rights import denied
from streams.topics import Topics
from travelrule import logs
from travelrule.errors import ServiceUnavailable, TravelRuleError

ACKNOWLEDGE_SECONDS = 8.0
"""Shorter than the relay's limit: the client has stopped sending when the relay gives a record up."""
REQUEST_SHARE = 0.7
"""The client's share of it: its own error names the reason (a missing topic), which our timeout cannot."""
log = logs.get("publisher")


class PublishError(TravelRuleError):
    """A record that the broker did not acknowledge. It may have been written nevertheless.

    ``topic`` is its topic, without prefix, where the refusal is about the topic.
    """

    code = "PUBLISH_FAILED"
    again: ClassVar[bool] = True

    def __init__(self, text: str, topic: str = "") -> None:
        self.topic = topic
        super().__init__(text)


class UnreachableError(PublishError):
    """No broker, no leader or no answer in time."""

    code = "BROKER_UNREACHABLE"


class TopicMissingError(PublishError):
    """The topic does not exist: ``travelrule topics apply`` creates it."""

    code = "TOPIC_MISSING"


class NotAllowedError(PublishError):
    """The broker refuses our login, or writing to this topic."""

    code = "NOT_ALLOWED"


class RecordRefusedError(PublishError):
    """The broker will never take this record."""

    code = "RECORD_REFUSED"
    again = False


_CLASS_OF: tuple[tuple[tuple[type[Exception], ...], type[PublishError]], ...] = (
    ((UnknownTopicOrPartitionError, InvalidTopicError), TopicMissingError),
    (
        (AuthenticationFailedError, ClusterAuthorizationFailedError, TopicAuthorizationFailedError),
        NotAllowedError,
    ),
    ((MessageSizeTooLargeError, RecordListTooLargeError), RecordRefusedError),
)


class KafkaPublisher:
    """One idempotent producer per process: acks from all in-sync replicas, records of one key in order."""

    def __init__(self, connection: Connection, topics: Topics, *, acknowledge_s: float = ACKNOWLEDGE_SECONDS) -> None:
        self._connection = connection
        self._topics = topics
        self._acknowledge_s = acknowledge_s
        self._session: ProducerSession | None = None
        self._retiring: set[asyncio.Task[None]] = set()
        self._starting = asyncio.Lock()
        self._last: dict[tuple[str, bytes], asyncio.Future[None]] = {}

    async def start(self) -> None:
        """Connect; ServiceUnavailable if no broker answers, or if the login may write to no topic."""
        try:
            await self._ready()
        except PublishError as error:
            await require_broker(self._connection)
            if isinstance(error.__cause__, ClusterAuthorizationFailedError):
                raise denied(self._connection, "Write on the topics that it sends to") from error
            raise ServiceUnavailable("broker", "check TRAVELRULE_BROKER_URL and the login") from error

    async def stop(self) -> None:
        """Send pending records and disconnect."""
        if self._session is not None:
            self._retire(self._session, self._session.stop)
        await asyncio.gather(*self._retiring)

    async def publish(self, topic: str, key: bytes, value: bytes | None, headers: list[tuple[str, bytes]]) -> None:
        """Publish one record to ``topic`` (name without prefix) and return after its acknowledgement.

        Calls may run concurrently. A record waits for the previous one with the same topic and key, and is not sent if
        that one was not acknowledged: a later event must not overtake an earlier one. Raises PublishError.
        """
        if not key:
            await self._send(topic, None, value, headers)
            return
        before = self._last.get((topic, key))
        mine: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._last[topic, key] = mine
        try:
            if before is not None:
                await asyncio.wait({before})
                if before.cancelled():
                    raise PublishError("the record before it with the same key was not acknowledged")
            await self._send(topic, key, value, headers)
            mine.set_result(None)
        finally:
            mine.cancel()  # no effect if it has its result
            if self._last.get((topic, key)) is mine:
                del self._last[topic, key]

    async def _send(self, topic: str, key: bytes | None, value: bytes | None, headers: list[tuple[str, bytes]]) -> None:
        session = await self._ready()
        try:
            async with asyncio.timeout(self._acknowledge_s):
                await session.send(self._topics.physical(topic), key, value, headers)
        except OversizeError as error:
            raise RecordRefusedError(f"record for {topic} is larger than any topic takes") from error
        except (TimeoutError, KafkaError) as error:
            ours = self._wrapped(error, session, topic)
            if ours.again:
                raise ours from error
            await self._send_alone(topic, key, value, headers)

    async def _send_alone(
        self, topic: str, key: bytes | None, value: bytes | None, headers: list[tuple[str, bytes]]
    ) -> None:
        """Send a record of a refused batch alone, to find out whether the refusal is about this record."""
        session = ProducerSession(self._connection, self._acknowledge_s * REQUEST_SHARE)
        try:
            async with asyncio.timeout(self._acknowledge_s):
                await session.start()
                await session.send(self._topics.physical(topic), key, value, headers)
        except (TimeoutError, KafkaError, OSError) as error:
            raise self._wrapped(error, session, topic) from error
        finally:
            await self._end(session, session.stop)

    def _wrapped(self, error: Exception, session: ProducerSession, topic: str) -> PublishError:
        """Return our error for the client's, and replace the producer, unless the topic is missing.

        After a failure an idempotent producer has a gap in its sequence, and the broker would refuse what follows.
        """
        for classes, ours in _CLASS_OF:
            if isinstance(error, classes):
                if ours is not TopicMissingError:
                    self._retire(session, session.stop)
                return ours(f"record for {topic} was refused: {type(error).__name__}", topic)
        self._retire(session, session.give_up)
        log.warning("producer-replaced", error=error, topic=topic)
        return UnreachableError(f"record for {topic} was not acknowledged: {type(error).__name__}")

    def _retire(self, session: ProducerSession, end: Callable[[], Awaitable[None]]) -> None:
        """End a session in the background: ``stop`` sends its pending records first, ``give_up`` does not."""
        if self._session is session:
            self._session = None
            task = asyncio.create_task(self._end(session, end))
            self._retiring.add(task)
            task.add_done_callback(self._retiring.discard)

    async def _end(self, session: ProducerSession, end: Callable[[], Awaitable[None]]) -> None:
        try:
            async with asyncio.timeout(self._acknowledge_s):
                await end()
        except TimeoutError:
            await session.give_up()  # its records are still in the outbox

    async def _ready(self) -> ProducerSession:
        async with self._starting:
            if self._session is None:
                session = ProducerSession(self._connection, self._acknowledge_s * REQUEST_SHARE)
                try:
                    async with asyncio.timeout(self._acknowledge_s):
                        await session.start()
                except (KafkaError, OSError, TimeoutError) as error:
                    raise UnreachableError(f"no broker answered: {type(error).__name__}") from error
                self._session = session
            return self._session
