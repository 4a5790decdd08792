"""One life of an idempotent aiokafka producer, which can also be given up without waiting for the broker."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

from aiokafka import AIOKafkaProducer
from aiokafka.errors import KafkaConnectionError, KafkaError, MessageSizeTooLargeError

from streams.connection import Connection

RECORD_BYTES_MAX = 4 * 1_048_576
"""A dead letter is larger than the record it holds; the topic's own limit stands in ``admin``."""


class OversizeError(Exception):
    """The record is larger than this client sends; it never left the process."""


class ProducerSession:
    """A producer and the records that it has no acknowledgement for.

    An idempotent producer tries for ever, also what its caller has given up and will send again by another way;
    ``give_up`` is how a caller's limit becomes the producer's.
    """

    def __init__(self, connection: Connection, request_s: float) -> None:
        self._producer = AIOKafkaProducer(
            **connection.client_options(),
            client_id="travelrule-relay",
            acks="all",
            enable_idempotence=True,
            request_timeout_ms=int(request_s * 1000),
            max_request_size=RECORD_BYTES_MAX,
        )
        self._pending: set[asyncio.Future[Any]] = set()

    async def start(self) -> None:
        """Connect. Raises KafkaError or OSError; the session is then of no use."""
        try:
            await self._producer.start()
        except BaseException:
            await self._producer.stop()
            raise

    async def send(self, topic: str, key: bytes | None, value: bytes | None, headers: list[tuple[str, bytes]]) -> None:
        """Send one record to ``topic`` (name with prefix), return when acknowledged. Raises KafkaError, and
        OversizeError for a record that was not even sent.
        """
        try:
            acknowledged = await self._producer.send(topic, value=value, key=key, headers=headers)
        except MessageSizeTooLargeError as error:
            raise OversizeError from error
        self._pending.add(acknowledged)
        try:
            await acknowledged
        finally:
            self._pending.discard(acknowledged)

    async def stop(self) -> None:
        """Wait for what is pending, then disconnect."""
        await self._producer.stop()

    async def give_up(self) -> None:
        """Stop at once: nothing more is sent, everything pending fails as a lost connection."""
        for acknowledged in self._pending:
            if not acknowledged.done():
                acknowledged.set_exception(KafkaConnectionError("the producer was given up"))
        # ``stop`` alone would wait until the broker has taken every record; there is no public way around that.
        accumulator = self._producer._message_accumulator  # noqa: SLF001
        with contextlib.suppress(KafkaError, OSError):
            await self._producer._sender.close()  # noqa: SLF001
            accumulator._batches.clear()  # noqa: SLF001
            accumulator._pending_batches.clear()  # noqa: SLF001
            await self._producer.stop()
