"""Interfaces that the engine requires of the outside; ``bootstrap`` supplies the implementations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from travelrule.store.call_rows import CallItem
from travelrule.store.outbox_rows import OutboxItem


class Delivery(Protocol):
    """A Kafka record that was delivered and is not yet acknowledged. ``topic`` is the name without prefix."""

    topic: str
    partition: int
    offset: int
    key: bytes | None
    value: bytes | None
    headers: tuple[tuple[str, bytes], ...]

    def ack(self) -> None:
        """Release the offset. Called only after the commit, in offset order."""


class Publisher(Protocol):
    """Publishes one record and returns after the broker has acknowledged it."""

    async def publish(self, topic: str, key: bytes, value: bytes, headers: list[tuple[str, bytes]]) -> None:
        """Publish to ``topic``, a name without prefix. Raise if the record is not acknowledged in time; an exception
        whose attribute ``again`` is False means that the broker will never accept the record.
        """


@dataclass(frozen=True, slots=True)
class CallContent:
    """The body of a call before sealing: clear fields, and the inner ``ivms101`` object if the operation has one."""

    clear: dict[str, Any] = field(repr=False)
    payload: dict[str, Any] | None = field(repr=False)


class EventPreclaimer(Protocol):
    """Publishes events of this process's batches without a claim (``engine.outbox.relay.Relay``).

    The row of such an event is written with a lease, as if it had been claimed, unless an earlier event of its key is
    unsent. If this process dies, another one claims the row when the lease has expired.
    """

    def lease(self, count: int, now: datetime) -> tuple[str, datetime] | None:
        """Return owner and end of a lease for ``count`` events; None: there is no room."""

    def publish_soon(self, items: Sequence[OutboxItem], until: datetime) -> None:
        """Publish committed events whose lease ends ``until``, in this order for each key."""


class CallPreclaimer(Protocol):
    """Makes calls of this process's batches without a claim (``engine.calls.call_dispatcher.CallDispatcher``).

    The row of such a call is written with a lease, as if it had been claimed. If this process dies, another one claims
    the row when the lease has expired.
    """

    def preclaim(self, row: dict[str, Any], now: datetime) -> CallItem | None:
        """Take a place for the call of ``row``, which is about to be written, and put the lease into ``row``. None:
        there is no room.
        """

    def start(self, call: CallItem, content: CallContent) -> None:
        """Make a preclaimed call. Its row is committed."""

    def release(self, call: CallItem) -> None:
        """Release the place of a preclaimed call. Its row was not committed."""

    def drop(self, subject: str, operations: tuple[str, ...]) -> None:
        """Drop the revoked calls of a subject that are not started: those of ``operations``, or all if it is empty."""
