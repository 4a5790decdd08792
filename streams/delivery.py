"""From a Faust event to a ``Delivery`` of the engine, and the one place where agents hand it over."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from faust.types import EventT

from streams.progress import Progress
from streams.topics import Topics
from travelrule.engine.ports import Delivery


class KafkaDelivery:
    """One record that is not acknowledged yet. It keeps the event alive: Faust itself holds it only weakly."""

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

    def __init__(self, event: EventT[Any], topic: str, progress: Progress) -> None:
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
        """Where the record stands; never its content."""
        return f"KafkaDelivery({self.physical_topic}/{self.partition}/{self.offset})"


class Inlet:
    """Takes events from the agents and puts them into the engine's queue; waits while that is full.

    No exception leaves it. If ``put`` fails, ``failed`` is told (the process has to end: an event that was taken
    and never acknowledged comes back only after a restart) and the agent takes nothing more.
    """

    def __init__(
        self,
        topics: Topics,
        put: Callable[[Delivery], Awaitable[None]],
        progress: Progress,
        failed: Callable[[BaseException], None],
    ) -> None:
        self._topics = topics
        self._put = put
        self._progress = progress
        self._failed = failed

    async def take(self, event: EventT[Any]) -> None:
        """Hand one event over."""
        try:
            message = event.message
            delivery = KafkaDelivery(event, self._topics.logical(message.topic), self._progress)
            self._progress.taken(delivery.topic, message.partition, message.offset, message.timestamp)
            await self._put(delivery)
        except Exception as error:  # noqa: BLE001 -- the boundary to Faust, which would acknowledge and go on
            self._failed(error)
            await asyncio.Event().wait()  # until the agent is cancelled with its application
