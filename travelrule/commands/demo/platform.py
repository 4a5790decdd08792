"""The trading platform of a VASP in the demo: it uses Kafka topics only."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import orjson
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer

from schemas.events.cloudevents import write_event
from schemas.registry import TOPICS

WAIT_SECONDS = 60.0
Headers = Sequence[tuple[str, bytes]]
OUT = tuple(name for name, spec in TOPICS.items() if spec.direction == "out")


class ScenarioFailedError(Exception):
    """An expected event did not happen in time."""


@dataclass(frozen=True, slots=True)
class SeenEvent:
    """One record of a downstream topic. ``data`` is empty for records that are not events (dead letters)."""

    topic: str
    key: str
    type: str
    data: dict[str, Any]
    headers: dict[str, bytes]


class DemoPlatform:
    """Sends input events and collects all records of the downstream topics. ``options`` are those of its clients."""

    def __init__(self, bootstrap: str, prefix: str, *, out: Sequence[str] = OUT, **options: Any) -> None:
        options = {"bootstrap_servers": bootstrap, **options}
        self._prefix = prefix
        self._producer = AIOKafkaProducer(**options, acks="all")
        self._consumer = AIOKafkaConsumer(
            *(f"{prefix}{name}" for name in out),
            **options,
            auto_offset_reset="earliest",
            group_id=None,
            metadata_max_age_ms=2000,
        )
        self._reading: asyncio.Task[None] | None = None
        self._news = asyncio.Condition()
        self.seen: list[SeenEvent] = []
        self.on_seen: Callable[[SeenEvent], None] = lambda _: None

    async def start(self) -> None:
        """Connect and start reading."""
        await self._producer.start()
        await self._consumer.start()
        self._reading = asyncio.create_task(self._read())

    async def stop(self) -> None:
        """Disconnect."""
        if self._reading is not None:
            self._reading.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._reading
        await self._consumer.stop()
        await self._producer.stop()

    async def send(
        self, topic: str, kind: str, key: str, data: dict[str, Any], *, event_id: str | None = None
    ) -> bytes:
        """Send one event. Return its bytes, so that they can be sent again."""
        value = write_event(
            type=kind,
            source="/platform",
            id=event_id or str(uuid4()),
            subject=key,
            time=datetime.now(UTC),
            data=data,
        )
        await self.send_bytes(topic, key, value)
        return value

    async def send_bytes(self, topic: str, key: str, value: bytes, headers: Headers = ()) -> None:
        """Send raw bytes."""
        await self._producer.send_and_wait(f"{self._prefix}{topic}", value, key.encode(), headers=list(headers))

    async def expect(self, what: str, wanted: Callable[[SeenEvent], bool], seconds: float = WAIT_SECONDS) -> SeenEvent:
        """Wait for a matching record; earlier ones count too. Raise ``ScenarioFailedError``."""
        try:
            async with asyncio.timeout(seconds), self._news:
                while True:
                    for record in self.seen:
                        if wanted(record):
                            return record
                    await self._news.wait()
        except TimeoutError:
            raise ScenarioFailedError(f"no {what} within {seconds:.0f} s") from None

    async def verdict(self, withdrawal_id: str, verdict: str, reason: str, *, after: int = 0) -> SeenEvent:
        """Wait for a verdict with this reason and a sequence above ``after``."""
        return await self.expect(
            f"verdict {verdict} {reason}",
            lambda seen: (
                seen.topic == "verdicts"
                and seen.key == withdrawal_id
                and seen.data["verdict"] == verdict
                and reason in seen.data["reasons"]
                and seen.data["sequence"] > after
            ),
        )

    async def exchange(self, transfer_id: str, status: str, **facts: str) -> SeenEvent:
        """Wait for a state of an exchange, by its wire id."""
        return await self.expect(
            f"exchange {status}",
            lambda seen: (
                seen.topic == "exchanges"
                and seen.data["transferId"] == transfer_id
                and seen.data["status"] == status
                and all(seen.data.get(name) == value for name, value in facts.items())
            ),
        )

    def count(self, topic: str, key: str) -> int:
        """The number of records of this key on a topic."""
        return sum(1 for record in self.seen if record.topic == topic and record.key == key)

    async def _read(self) -> None:
        async for record in self._consumer:
            seen = _seen(record, self._prefix)
            self.on_seen(seen)
            async with self._news:
                self.seen.append(seen)
                self._news.notify_all()


def _seen(record: Any, prefix: str) -> SeenEvent:
    topic = record.topic.removeprefix(prefix)
    key = (record.key or b"").decode("utf-8", "replace")
    event: dict[str, Any] = {} if topic == "deadletters" else orjson.loads(record.value)
    return SeenEvent(topic, key, event.get("type", topic), event.get("data", {}), dict(record.headers))
