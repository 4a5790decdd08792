"""What the hub needs from outside: a place for its state, a way to its members, a witness of its calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from schemas.operations import Operation
from travelrule.hub.members.member import Member
from travelrule.hub.operations import HubOperation
from travelrule.hub.records import CallRecord
from travelrule.hub.searches.records import SearchKey, SearchOutcome, SearchRecord

Clock = Callable[[], datetime]
"""Gives the present time, aware, UTC."""


class HubState(Protocol):
    """What the hub remembers. Several hub processes may share one state."""

    async def member(self, entity_id: str) -> Member | None:
        """Return the member of that id; nothing if it is not registered."""

    async def members(self) -> Sequence[tuple[Member, bool]]:
        """All members in the order of their registration, each with whether it is up."""

    async def put_member(self, member: Member, *, up: bool) -> None:
        """Register a member, or replace what is known of it."""

    async def set_health(self, entity_id: str, *, up: bool) -> bool:
        """Note that a member is up or down; true if that changed anything."""

    async def revision(self) -> int:
        """Return a number that changes whenever a member or its health does."""

    async def coin_networks(self) -> Mapping[str, Any]:
        """Return the answer of 4.A.3."""

    async def first_use(self, entity_id: str, nonce: int, signature: bytes, now: datetime) -> bool:
        """Remember a verified call; false, if its nonce or (in strict mode) its signature was seen before.

        A nonce is kept per entity for 100 s, a signature for twice the time tolerance (auth.md sections 4 and
        5).
        """

    async def open_search(self, search: SearchRecord, now: datetime) -> SearchRecord | None:
        """Remember a search that begins; the one known under its key instead, if there is one.

        A search is kept for 24 h after it began or ended (hub-api.md section 10).
        """

    async def end_search(self, key: SearchKey, outcome: SearchOutcome, now: datetime) -> None:
        """Remember how a search ended."""

    async def search(self, key: SearchKey, now: datetime) -> SearchRecord | None:
        """Return a search that is kept."""


@dataclass(frozen=True, slots=True)
class MemberCall:
    """A request to a member: exact body bytes, and the headers it may see."""

    operation: HubOperation
    headers: Mapping[str, str]
    body: bytes
    record: CallRecord


@dataclass(frozen=True, slots=True)
class MemberAnswer:
    """What a member answered, unread."""

    status: int
    body: bytes


class NoMemberAnswer(Exception):  # noqa: N818 -- says what is the case
    """A member gave no answer. ``reached`` tells whether the request may have arrived there."""

    def __init__(self, *, reached: bool) -> None:
        super().__init__("the member gave no answer")
        self.reached = reached


class MemberTransport(Protocol):
    """The way to a member's server. The caller sets the time limit by cancelling."""

    async def forward(self, member: Member, call: MemberCall) -> MemberAnswer:
        """Deliver the call and return what came back. Raises ``NoMemberAnswer``."""


@dataclass(frozen=True, slots=True)
class CallbackCall:
    """The end of a search on its way to ``receiver``, which started it.

    The URL is a secret of the receiver's. ``timeout_seconds`` is the limit for one POST.
    """

    search: Operation
    receiver: str
    url: str = field(repr=False)
    body: bytes = field(repr=False)
    timeout_seconds: float
    record: CallRecord


class CallbackTransport(Protocol):
    """The way to callback URLs."""

    async def post_callback(self, call: CallbackCall) -> int:
        """Send one POST and return the status that came back. Raises ``NoMemberAnswer``."""


class Journal(Protocol):
    """The witness of every call, answered or not."""

    def record(self, record: CallRecord) -> None:
        """Keep the record of a call that ended."""
