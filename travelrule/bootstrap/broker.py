"""The broker as the settings name it: publisher and topics."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from streams.connection import connect
from streams.publisher import KafkaPublisher
from streams.topics import Topics
from travelrule.settings import Settings


@asynccontextmanager
async def open_publisher(settings: Settings) -> AsyncIterator[KafkaPublisher]:
    """A connected publisher, stopped afterwards. Raises ``ServiceUnavailable`` if no broker answers."""
    publisher = KafkaPublisher(connect(settings), Topics(settings.topic_prefix))
    await publisher.start()
    try:
        yield publisher
    finally:
        await publisher.stop()
