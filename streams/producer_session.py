"""One idempotent aiokafka producer, which can also be dropped without waiting for the broker."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

from aiokafka import AIOKafkaProducer
from aiokafka.errors import KafkaConnectionError, KafkaError, MessageSizeTooLargeError

from streams.connection import Connection

RECORD_BYTES_MAX = 4 * 1_048_576
"""A dead letter is larger than the record it holds; ``admin`` sets the limit of the topic."""


class OversizeError(Exception):
    """The record is larger than the client's limit; it was not sent."""


class ProducerSession:
    """A producer and its unacknowledged records.

    An idempotent producer retries indefinitely, even records that its caller has given up and will send through
    another producer; ``give_up`` ends these retries.
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
        """Connect. Raises KafkaError or OSError; the session is then unusable."""
        try:
            await self._producer.start()
        except BaseException:
            await self._producer.stop()
            raise

    async def send(self, topic: str, key: bytes | None, value: bytes | None, headers: list[tuple[str, bytes]]) -> None:
        """Send one record to ``topic`` (name with prefix) and return when it is acknowledged. Raises KafkaError, and
        OversizeError for a record that was not sent.
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
        """Wait for pending records, then disconnect."""
        await self._producer.stop()

    async def give_up(self) -> None:
        """Stop immediately: nothing more is sent, and pending records fail as a lost connection."""
        for acknowledged in self._pending:
            if not acknowledged.done():
                acknowledged.set_exception(KafkaConnectionError("the producer was given up"))
        # ``stop`` alone would wait until the broker has acknowledged every record; no public method avoids that.
        accumulator = self._producer._message_accumulator  # noqa: SLF001
        with contextlib.suppress(KafkaError, OSError):
            await self._producer._sender.close()  # noqa: SLF001
            accumulator._batches.clear()  # noqa: SLF001
            accumulator._pending_batches.clear()  # noqa: SLF001
            await self._producer.stop()
