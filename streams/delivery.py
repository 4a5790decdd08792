"""A Faust event as a ``Delivery`` of the engine, and the inlet through which all agents pass it on."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from faust.types import EventT

from streams.progress import CommitProgress
from streams.topics import Topics
from travelrule.engine.ports import Delivery


class KafkaDelivery:
    """One record that is not acknowledged yet. It references the event, because Faust holds only a weak reference."""

    __slots__ = (
        "_event",
        "_progress",
        "headers",
        "key",
        "offset",
        "partition",
        "physical_topic",
        "topic",
        "value",
    )

    def __init__(self, event: EventT[Any], topic: str, progress: CommitProgress) -> None:
        message = event.message
        headers: Any = message.headers or ()
        self._event = event
        self._progress = progress
        self.topic = topic
        self.physical_topic: str = message.topic
        self.partition: int = message.partition
        self.offset: int = message.offset
        self.key: bytes | None = message.key
        self.value: bytes | None = message.value
        self.headers: tuple[tuple[str, bytes], ...] = tuple(headers)

    def ack(self) -> None:
        """Release the offset; Faust commits it with its next interval."""
        self._event.ack()
        self._progress.acknowledged(self.topic, self.partition, self.offset)

    def __repr__(self) -> str:
        """Return the position of the record, never its content."""
        return f"KafkaDelivery({self.physical_topic}/{self.partition}/{self.offset})"


class Inlet:
    """Puts the events of all agents into the engine's queue; waits while that is full.

    It raises nothing. If ``put`` fails, ``failed`` is called and the agent takes no further event: the process has to
    end, because an event that was taken and not acknowledged is delivered again only after a restart.
    """

    def __init__(
        self,
        topics: Topics,
        put: Callable[[Delivery], Awaitable[None]],
        progress: CommitProgress,
        failed: Callable[[BaseException], None],
    ) -> None:
        self._topics = topics
        self._put = put
        self._progress = progress
        self._failed = failed

    async def take(self, event: EventT[Any]) -> None:
        """Put one event into the queue."""
        try:
            message = event.message
            delivery = KafkaDelivery(event, self._topics.logical(message.topic), self._progress)
            self._progress.taken(delivery.topic, message.partition, message.offset, message.timestamp)
            await self._put(delivery)
        except Exception as error:  # noqa: BLE001 -- the boundary to Faust, which would acknowledge and go on
            self._failed(error)
            await asyncio.Event().wait()  # until the agent is cancelled with its application
