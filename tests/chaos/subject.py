"""The script of one subject in a fault run: its events, and the verdict with which it must end.

A script knows only its platform's view: it sends events and reads verdicts. Its expected end holds whatever breaks
meanwhile, because every fault of a run passes.
"""

from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, ClassVar, Protocol
from uuid import UUID

import orjson

from schemas.events.cloudevents import write_event

Verdict = tuple[str, str]


class Sends(Protocol):
    """What a script needs of its platform: a record that is sent until the broker has it; return its partition."""

    async def deliver(self, topic: str, key: str, value: bytes) -> int: ...


@dataclass(kw_only=True)
class SubjectScript:
    """One subject, ``key``, of the VASP whose platform waits for the verdict.

    Times are seconds of the loop's clock; ``sent`` holds (topic, event id) of what was delivered. ``served_at`` is when
    the first verdict came that the script waits for; ``dead`` the codes of the dead letters that it must lead to.
    """

    KEY_FIELD: ClassVar[str]
    """The field of an event's data that names the subject."""

    kind: str
    vasp: str
    key: str
    expected: Verdict
    rng: random.Random = field(repr=False)
    traceparent: str = ""
    txid: str = ""
    requested_at: float | None = None
    served_at: float | None = None
    told: bool = False
    sent: list[tuple[str, str]] = field(default_factory=list)
    dead: list[str] = field(default_factory=list)
    verdicts: list[dict[str, Any]] = field(default_factory=list)
    _news: asyncio.Event = field(default_factory=asyncio.Event, repr=False)

    def see(self, verdict: dict[str, Any]) -> None:
        """A verdict came (perhaps once more)."""
        self.verdicts.append(verdict)
        self._news.set()

    async def until(self, wanted: Verdict) -> None:
        """Wait for this verdict."""
        while not any((said["verdict"], said["reasons"][0]) == wanted for said in self.verdicts):
            self._news.clear()
            await self._news.wait()
        if self.served_at is None:
            self.served_at = asyncio.get_running_loop().time()

    def uuid(self) -> str:
        """A fresh id from the script's own randomness."""
        return str(UUID(int=self.rng.getrandbits(128), version=4))

    def event(self, kind: str, data: dict[str, Any], event_id: str = "") -> bytes:
        """The bytes of an event about the subject."""
        return write_event(
            type=kind,
            source="/platform",
            id=event_id or self.uuid(),
            subject=self.key,
            time=datetime.now(UTC),
            data={self.KEY_FIELD: self.key, **data},
            traceparent=self.traceparent,
        )

    async def deliver(self, platform: Sends, topic: str, value: bytes, copies: int = 1) -> int:
        """Send an event through the platform; it counts as sent when the broker has every copy. Gives its partition."""
        partition = -1
        for _ in range(copies):
            partition = await platform.deliver(topic, self.key, value)
        self.sent.append((topic, orjson.loads(value)["id"]))
        return partition

    def begin(self) -> None:
        """The platform waits from now on."""
        self.requested_at = asyncio.get_running_loop().time()


def new_txid(rng: random.Random) -> str:
    """A transaction id as the node prints it."""
    return rng.randbytes(32).hex().upper()


def new_amount(rng: random.Random) -> str:
    """An amount that hardly anybody else has."""
    return f"{rng.randrange(1, 10**9) / 10**6:f}"
