"""What the engine needs from the outside, as protocols; bootstrap gives the concrete things."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from travelrule.store.call_rows import CallItem
from travelrule.store.outbox_rows import OutboxItem


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
        """``topic`` is the name without prefix. Raises if the record was not acknowledged in time; an exception whose
        attribute ``again`` is False says that the broker will never take it.
        """


@dataclass(frozen=True, slots=True)
class CallContent:
    """The body of a call before sealing: clear fields, and the inner ``ivms101`` object if the operation has one."""

    clear: dict[str, Any] = field(repr=False)
    payload: dict[str, Any] | None = field(repr=False)


class EventPreclaimer(Protocol):
    """Publishes events of this process's own batches without a look into the store (``engine.outbox.relay.Relay``).

    The row of such an event is written with a lease, as if it had been claimed, unless an earlier event of its key is
    still unsent; if this process dies, another one finds it when the lease has run out.
    """

    def lease(self, count: int, now: datetime) -> tuple[str, datetime] | None:
        """Owner and end of the lease for ``count`` events; None: no room now."""

    def publish_soon(self, items: Sequence[OutboxItem], until: datetime) -> None:
        """Publish committed events on which this process has the lease ``until`` then, in this order for each key."""


class CallPreclaimer(Protocol):
    """Makes calls of this process's own batches without a look into the store (``engine.calls.call_dispatcher``).

    The row of a taken call is written with a lease, as if it had been claimed: if this process dies, another one
    finds it when the lease has run out.
    """

    def take(self, row: dict[str, Any], now: datetime) -> CallItem | None:
        """Take the call of a row that is about to be written, and put the lease into the row; None: no room now."""

    def start(self, call: CallItem, content: CallContent) -> None:
        """Make a taken call; its row is committed."""

    def give_back(self, call: CallItem) -> None:
        """Forget a taken call; its row was not committed."""

    def drop(self, subject: str, operations: tuple[str, ...]) -> None:
        """Forget the calls of a subject (of these operations; empty: all) that are not begun: they were taken back."""
