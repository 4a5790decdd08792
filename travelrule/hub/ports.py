"""Interfaces that the hub needs: its state, transports to members and callback URLs, and a journal of calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from schemas.operations import Operation
from travelrule.hub.members.member import Member
from travelrule.hub.operations import HubOperation
from travelrule.hub.records import CallRecord
from travelrule.hub.searches.records import HubSearch, SearchKey, SearchOutcome

Clock = Callable[[], datetime]
"""Returns the present time, aware, UTC."""


class HubState(Protocol):
    """The state of a hub: members, used nonces, searches."""

    async def member(self, entity_id: str) -> Member | None:
        """Return the member of that id, None if it is not registered."""

    async def members(self) -> Sequence[tuple[Member, bool]]:
        """Return all members in the order of their registration, each with whether it is up."""

    async def put_member(self, member: Member, *, up: bool) -> None:
        """Register a member, or replace its entry."""

    async def set_health(self, entity_id: str, *, up: bool) -> bool:
        """Set whether a member is up; return True if that is a change."""

    async def revision(self) -> int:
        """Return a number that changes with every change of a member or its health."""

    async def coin_networks(self) -> Mapping[str, Any]:
        """Return the answer of 4.A.3."""

    async def first_use(self, entity_id: str, nonce: int, signature: bytes, now: datetime) -> bool:
        """Store nonce and signature of a verified call; return False if one of them was used before.

        A nonce is stored per entity for 100 s, in strict mode a signature for twice the time tolerance (auth.md
        sections 4 and 5).
        """

    async def open_search(self, search: HubSearch, now: datetime) -> HubSearch | None:
        """Store a new search, or return the one that is stored under its key.

        A search is stored for 24 h after it began or ended (hub-api.md section 10).
        """

    async def end_search(self, key: SearchKey, outcome: SearchOutcome, now: datetime) -> None:
        """Store the outcome of a search."""

    async def search(self, key: SearchKey, now: datetime) -> HubSearch | None:
        """Return a stored search."""


@dataclass(frozen=True, slots=True)
class MemberCall:
    """A request to a member: the exact body bytes, and the headers that the member may see."""

    operation: HubOperation
    headers: Mapping[str, str]
    body: bytes
    record: CallRecord


@dataclass(frozen=True, slots=True)
class MemberAnswer:
    """A member's answer, not parsed."""

    status: int
    body: bytes


class NoMemberAnswer(Exception):  # noqa: N818 -- names the case
    """A member sent no answer. ``reached``: the request may have arrived."""

    def __init__(self, *, reached: bool) -> None:
        super().__init__("the member gave no answer")
        self.reached = reached


class MemberTransport(Protocol):
    """Sends calls to members' servers. The caller sets the time limit by cancelling."""

    async def forward(self, member: Member, call: MemberCall) -> MemberAnswer:
        """Deliver the call and return the answer. Raises ``NoMemberAnswer``."""


@dataclass(frozen=True, slots=True)
class CallbackCall:
    """The outcome of a search for ``receiver``, the member that started it.

    The URL is the receiver's secret. ``timeout_seconds`` is the limit for one POST.
    """

    search: Operation
    receiver: str
    url: str = field(repr=False)
    body: bytes = field(repr=False)
    timeout_seconds: float
    record: CallRecord


class CallbackTransport(Protocol):
    """Sends outcomes to callback URLs."""

    async def post_callback(self, call: CallbackCall) -> int:
        """Send one POST and return the status of its answer. Raises ``NoMemberAnswer``."""


class Journal(Protocol):
    """Stores the record of every call, answered or not."""

    def record(self, record: CallRecord) -> None:
        """Store the record of a call that ended."""
