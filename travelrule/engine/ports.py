"""What the engine needs from the outside, as protocols; bootstrap gives the concrete things."""

from __future__ import annotations

from typing import Protocol


class Delivery(Protocol):
    """One Kafka record that was delivered and not yet acknowledged. ``topic`` is the name without prefix."""

    topic: str
    partition: int
    offset: int
    key: bytes | None
    value: bytes | None
    headers: tuple[tuple[str, bytes], ...]

    def ack(self) -> None:
        """Release the offset; called only after the commit, in offset order."""


class Publisher(Protocol):
    """Publishes one record and returns after the broker has acknowledged it."""

    async def publish(self, topic: str, key: bytes, value: bytes, headers: list[tuple[str, bytes]]) -> None:
        """``topic`` is the name without prefix. Raises if the record was not acknowledged in time."""
