"""The bodies that an application holds: how many bytes in all, from one source and of one member, and which gives way.

A body is held from its first byte until its request is answered. One that is complete never gives way: its request ends
by its deadline. When there is no room for more, one of the oldest incomplete ones gives way, because honest ones are
complete within moments; of these it is one of the source that has most, so that a flood displaces its own. Nothing here
depends on what a request claims, until its sender is known (``HeldBody.belongs_to``).

Memory belongs to a process, so these are no counters that processes would share.
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
"""How many of the oldest incomplete bodies are looked at when a limit in all is reached."""

Headers = Iterable[tuple[bytes, bytes]]
"""As ASGI has them."""


class NoRoom(Exception):  # noqa: N818 -- says what happened
    """The body has no place, or had to give it up. The request may be repeated."""


class TooLarge(Exception):  # noqa: N818 -- says what happened
    """The body is larger than any of the protocol."""


class Disconnected(Exception):  # noqa: N818 -- says what happened
    """The peer went away before its request was complete."""


@dataclass(frozen=True, slots=True)
class BodyLimits:
    """Bytes of all bodies, of those from one source, and of those of one known member; ``incomplete`` counts bodies.

    ``total`` is below the listener's ``body_memory``, so that room is made here before that refuses.
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
        """Read the whole body, none of it if ``headers`` announce more than ``limit``.

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
        """Count the body to a member that is proven to have sent it. Raises ``NoRoom`` if it has too many."""
        self._room.assign(self, member)

    def give_way(self) -> None:
        """End the reading, wherever it stands."""
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
        """Count the bodies that are being read."""
        return len(self._incomplete)

    @contextmanager
    def place(self, source: str) -> Iterator[HeldBody]:
        """Hold the body of one request until it is answered; ``source`` is the address of its peer."""
        held = HeldBody(self, source_of(source))
        try:
            yield held
        finally:
            self._forget(held)

    def begin(self, held: HeldBody) -> None:
        """Note that a body does not come in one piece."""
        if len(self._incomplete) >= self.limits.incomplete:
            self._displace_for(held, self._incomplete_by_source)
        self._incomplete[held] = None
        self._incomplete_by_source[held.source] += 1

    def complete(self, held: HeldBody) -> None:
        """Note that the reading is over; a body that is whole gives way to none."""
        if held in self._incomplete:
            del self._incomplete[held]
            _less(self._incomplete_by_source, held.source, 1)

    def add(self, held: HeldBody, size: int) -> None:
        """Take room for one more piece. Raises ``NoRoom`` if only bodies that are whole could give way."""
        while self._by_source[held.source] + size > self.limits.per_source:
            self._displace_of_source(held)
        while self.held_bytes + size > self.limits.total:
            self._displace_for(held, self._by_source)
        held.size += size
        self.held_bytes += size
        self._by_source[held.source] += size

    def assign(self, held: HeldBody, member: str) -> None:
        """Count a body to its member."""
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
    """Return the ``Content-Length`` of a request, 0 without: the listener has checked its form."""
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
