"""State of one hub process, kept in memory: ``HubState`` for a laptop, a test or a single-process network."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Hashable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from travelrule.hub.members.member import Member
from travelrule.hub.searches.memory_searches import MemorySearches
from travelrule.hub.searches.records import SearchKey, SearchOutcome, SearchRecord

NONCE_SECONDS = 100
"""How long a nonce may not be used again by the same entity (auth.md section 4)."""


class ExpiringSet:
    """A set whose entries are forgotten after a time: adding tells whether the entry was new."""

    def __init__(self, seconds: float) -> None:
        self._keep = timedelta(seconds=seconds)
        self._until: OrderedDict[Hashable, datetime] = OrderedDict()

    def __len__(self) -> int:
        return len(self._until)

    def add(self, entry: Hashable, now: datetime) -> bool:
        """Remember ``entry`` from now on; false if it is remembered already."""
        self._forget(now)
        until = self._until.get(entry)
        if until is not None and until > now:
            return False
        self._until[entry] = now + self._keep
        self._until.move_to_end(entry)
        return True

    def _forget(self, now: datetime) -> None:
        while self._until:
            oldest = next(iter(self._until))
            if self._until[oldest] > now:
                return
            del self._until[oldest]


class MemoryHubState:
    """``HubState`` in memory.

    ``down`` names members that are not up at first; ``tolerance_seconds`` nothing means lenient: signatures
    are not remembered.
    """

    def __init__(
        self,
        members: Sequence[Member] = (),
        *,
        down: Collection[str] = (),
        coin_networks: Mapping[str, Any] | None = None,
        tolerance_seconds: float | None = 300,
    ) -> None:
        self._members: dict[str, Member] = {member.entity_id: member for member in members}
        self._up: dict[str, bool] = {member.entity_id: member.entity_id not in down for member in members}
        self._revision = 0
        self._coin_networks = coin_networks or {"updatedDateTime": "", "coinNetworks": []}
        self._nonces = ExpiringSet(NONCE_SECONDS)
        self._searches = MemorySearches()
        self._signatures = ExpiringSet(2 * tolerance_seconds) if tolerance_seconds is not None else None

    async def member(self, entity_id: str) -> Member | None:
        """Return the member of that id; nothing if it is not registered."""
        return self._members.get(entity_id)

    async def members(self) -> Sequence[tuple[Member, bool]]:
        """All members in the order of their registration, each with whether it is up."""
        return [(member, self._up[entity_id]) for entity_id, member in self._members.items()]

    async def put_member(self, member: Member, *, up: bool) -> None:
        """Register a member, or replace what is known of it."""
        self._members[member.entity_id] = member
        self._up[member.entity_id] = up
        self._revision += 1

    async def set_health(self, entity_id: str, *, up: bool) -> bool:
        """Note that a member is up or down; true if that changed anything."""
        if self._up.get(entity_id) in (None, up):
            return False
        self._up[entity_id] = up
        self._revision += 1
        return True

    async def revision(self) -> int:
        """Return a number that changes whenever a member or its health does."""
        return self._revision

    async def coin_networks(self) -> Mapping[str, Any]:
        """Return the answer of 4.A.3."""
        return self._coin_networks

    async def first_use(self, entity_id: str, nonce: int, signature: bytes, now: datetime) -> bool:
        """Remember a verified call; false, if its nonce or its signature was seen before."""
        # The signature is asked first: a replay must not occupy a nonce that its owner may use again by now.
        if self._signatures is not None and not self._signatures.add(signature, now):
            return False
        return self._nonces.add((entity_id, nonce), now)

    async def open_search(self, search: SearchRecord, now: datetime) -> SearchRecord | None:
        """Remember a search that begins; the one known under its key instead, if there is one."""
        return self._searches.open(search, now)

    async def end_search(self, key: SearchKey, outcome: SearchOutcome, now: datetime) -> None:
        """Remember how a search ended."""
        self._searches.end(key, outcome, now)

    async def search(self, key: SearchKey, now: datetime) -> SearchRecord | None:
        """Return a search that is kept."""
        return self._searches.find(key, now)
