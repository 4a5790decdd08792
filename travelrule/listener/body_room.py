"""Request bodies in the memory of one process: limits in total, per source and per member, and displacement.

A body is in memory from its first byte until its request is answered. A complete body is never displaced: its request
ends by its deadline. When there is no room, one of the oldest incomplete bodies is displaced, because a body that is
sent normally is complete within moments. Of the oldest, it is one of the source with most bytes, so that a flood
displaces its own bodies. No limit depends on the content of a request until its sender is known
(``HeldBody.belongs_to``).
"""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice

from starlette.types import Receive

from travelrule.listener.refused_peers import source_of

MIB = 1_048_576
COMPARED = 32
"""How many of the oldest incomplete bodies are compared when the total limit is reached."""

Headers = Iterable[tuple[bytes, bytes]]
"""Headers in the form of ASGI."""


class NoRoom(Exception):  # noqa: N818 -- names the case
    """There is no room for the body, or it was displaced. The request may be repeated."""


class TooLarge(Exception):  # noqa: N818 -- names the case
    """The body is larger than any of the protocol."""


class Disconnected(Exception):  # noqa: N818 -- names the case
    """The peer disconnected before its request was complete."""


@dataclass(frozen=True, slots=True)
class BodyLimits:
    """Bytes of all bodies, of those from one source, and of those of one known member; ``incomplete`` counts bodies.

    ``total`` is below the listener's ``body_memory``, so that a body is displaced here before the listener refuses one.
    """

    total: int = 48 * MIB
    per_source: int = 32 * MIB
    per_member: int = 16 * MIB
    incomplete: int = 512


class HeldBody:
    """The body of one request."""

    __slots__ = ("_deadline", "_room", "displaced", "member", "size", "source")

    def __init__(self, room: BodyRoom, source: str) -> None:
        self._room = room
        self._deadline: asyncio.Timeout | None = None
        self.source = source
        self.member = ""
        self.size = 0
        self.displaced = False

    async def read(self, headers: Headers, receive: Receive, limit: int) -> bytes:
        """Read the whole body; read nothing if ``headers`` announce more than ``limit``.

        Raises ``TooLarge``, ``NoRoom`` or ``Disconnected``.
        """
        if _announced(headers) > limit:
            raise TooLarge
        part, more = await _part(receive)
        if not more:
            self._add(part, limit)
            return part
        self._room.begin(self)
        parts: list[bytes] = []
        try:
            async with asyncio.timeout(None) as self._deadline:
                while True:
                    self._add(part, limit)
                    parts.append(part)
                    if not more:
                        return b"".join(parts)
                    part, more = await _part(receive)
        except TimeoutError:
            raise NoRoom from None
        finally:
            self._deadline = None
            self._room.complete(self)

    def belongs_to(self, member: str) -> None:
        """Count the body towards the member that is proven to have sent it. Raises ``NoRoom`` beyond its limit."""
        self._room.assign(self, member)

    def give_way(self) -> None:
        """Stop reading the body."""
        self.displaced = True
        if self._deadline is not None:
            self._deadline.reschedule(asyncio.get_running_loop().time())

    def _add(self, part: bytes, limit: int) -> None:
        if self.displaced:
            raise NoRoom
        if self.size + len(part) > limit:
            raise TooLarge
        self._room.add(self, len(part))


class BodyRoom:
    """All bodies of one application."""

    def __init__(self, limits: BodyLimits | None = None) -> None:
        self.limits = limits or BodyLimits()
        self.held_bytes = 0
        self._by_source: Counter[str] = Counter()
        self._by_member: Counter[str] = Counter()
        self._incomplete_by_source: Counter[str] = Counter()
        self._incomplete: OrderedDict[HeldBody, None] = OrderedDict()

    @property
    def incomplete(self) -> int:
        """The number of bodies that are being read."""
        return len(self._incomplete)

    @contextmanager
    def place(self, source: str) -> Iterator[HeldBody]:
        """Account for the body of one request until it is answered; ``source`` is the address of its peer."""
        held = HeldBody(self, source_of(source))
        try:
            yield held
        finally:
            self._forget(held)

    def begin(self, held: HeldBody) -> None:
        """Register a body that arrives in several pieces."""
        if len(self._incomplete) >= self.limits.incomplete:
            self._displace_for(held, self._incomplete_by_source)
        self._incomplete[held] = None
        self._incomplete_by_source[held.source] += 1

    def complete(self, held: HeldBody) -> None:
        """Mark a body as complete: it is no longer displaced."""
        if held in self._incomplete:
            del self._incomplete[held]
            _less(self._incomplete_by_source, held.source, 1)

    def add(self, held: HeldBody, size: int) -> None:
        """Reserve room for one more piece. Raises ``NoRoom`` if only complete bodies could be displaced."""
        while self._by_source[held.source] + size > self.limits.per_source:
            self._displace_of_source(held)
        while self.held_bytes + size > self.limits.total:
            self._displace_for(held, self._by_source)
        held.size += size
        self.held_bytes += size
        self._by_source[held.source] += size

    def assign(self, held: HeldBody, member: str) -> None:
        """Count a body towards its member. Raises ``NoRoom`` beyond the member's limit."""
        if self._by_member[member] + held.size > self.limits.per_member:
            raise NoRoom
        held.member = member
        self._by_member[member] += held.size

    def _displace_of_source(self, held: HeldBody) -> None:
        others = (one for one in self._incomplete if one is not held and one.source == held.source)
        self._displace(next(others, None))

    def _displace_for(self, held: HeldBody, most: Counter[str]) -> None:
        oldest = islice((one for one in self._incomplete if one is not held), COMPARED)
        self._displace(max(oldest, key=lambda one: most[one.source], default=None))

    def _displace(self, held: HeldBody | None) -> None:
        if held is None:
            raise NoRoom
        self._forget(held)
        held.give_way()

    def _forget(self, held: HeldBody) -> None:
        self.complete(held)
        self.held_bytes -= held.size
        _less(self._by_source, held.source, held.size)
        if held.member:
            _less(self._by_member, held.member, held.size)
        held.size = 0


def _announced(headers: Headers) -> int:
    """Return the ``Content-Length`` of a request, 0 without one; the listener has checked its form."""
    for name, value in headers:
        if name == b"content-length" and value.isdigit():
            return int(value)
    return 0


async def _part(receive: Receive) -> tuple[bytes, bool]:
    message = await receive()
    if message["type"] == "http.disconnect":
        raise Disconnected
    return message.get("body", b""), message.get("more_body", False)


def _less(counter: Counter[str], name: str, size: int) -> None:
    counter[name] -= size
    if counter[name] <= 0:
        del counter[name]
