"""``HubState`` in the memory of one process."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from travelrule.hub.expiring_map import ExpiringMap, ExpiringSet
from travelrule.hub.members.member import Member
from travelrule.hub.searches.records import SEARCH_SECONDS, HubSearch, SearchKey, SearchOutcome

NONCE_SECONDS = 100
"""How long an entity may not use a nonce again (auth.md section 4)."""


class MemoryHubState:
    """``HubState`` in memory.

    ``down`` names members that are down at first. ``tolerance_seconds`` None is the lenient mode: signatures are not
    stored.
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
        self._searches: ExpiringMap[SearchKey, HubSearch] = ExpiringMap(SEARCH_SECONDS)
        self._signatures = ExpiringSet(2 * tolerance_seconds) if tolerance_seconds is not None else None

    async def member(self, entity_id: str) -> Member | None:
        """Return the member of that id, None if it is not registered."""
        return self._members.get(entity_id)

    async def members(self) -> Sequence[tuple[Member, bool]]:
        """Return all members in the order of their registration, each with whether it is up."""
        return [(member, self._up[entity_id]) for entity_id, member in self._members.items()]

    async def put_member(self, member: Member, *, up: bool) -> None:
        """Register a member, or replace its entry."""
        self._members[member.entity_id] = member
        self._up[member.entity_id] = up
        self._revision += 1

    async def set_health(self, entity_id: str, *, up: bool) -> bool:
        """Set whether a member is up; return True if that is a change."""
        if self._up.get(entity_id) in (None, up):
            return False
        self._up[entity_id] = up
        self._revision += 1
        return True

    async def revision(self) -> int:
        """Return a number that changes with every change of a member or its health."""
        return self._revision

    async def coin_networks(self) -> Mapping[str, Any]:
        """Return the answer of 4.A.3."""
        return self._coin_networks

    async def first_use(self, entity_id: str, nonce: int, signature: bytes, now: datetime) -> bool:
        """Store nonce and signature of a verified call; return False if one of them was used before."""
        # The signature comes first: a replay must not use up a nonce that its owner may use again by now.
        if self._signatures is not None and not self._signatures.add(signature, now):
            return False
        return self._nonces.add((entity_id, nonce), now)

    async def open_search(self, search: HubSearch, now: datetime) -> HubSearch | None:
        """Store a new search, or return the one that is stored under its key."""
        known = self._searches.find(search.key, now)
        if known is None:
            self._searches.put(search.key, search, now)
        return known

    async def end_search(self, key: SearchKey, outcome: SearchOutcome, now: datetime) -> None:
        """Store the outcome of a search."""
        known = self._searches.find(key, now)
        if known is not None:
            self._searches.put(key, replace(known, outcome=outcome), now)

    async def search(self, key: SearchKey, now: datetime) -> HubSearch | None:
        """Return a stored search."""
        return self._searches.find(key, now)
