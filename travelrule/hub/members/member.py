"""Members of the network and their keys (hub-api.md 4.A.1, auth.md section 2)."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

HUB_ENTITY = "codevasp"
"""The hub's own entity id (auth.md section 7)."""

HUB_ALLIANCE = "code"


@dataclass(frozen=True, slots=True)
class MemberKey:
    """A registered public key. ``expires_at`` is the registered text, ``expires`` its moment, None if unreadable."""

    pubkey: str
    expires_at: str
    expires: datetime | None

    def current(self, now: datetime) -> bool:
        """Whether the key may be used; a key with an unreadable expiry may (D35)."""
        return self.expires is None or self.expires > now


@dataclass(frozen=True, slots=True)
class Member:
    """A VASP in the directory. ``base_url`` is empty if it has no HTTP server."""

    entity_id: str
    legal_name: str
    country: str
    alliance: str
    pubkeys: tuple[MemberKey, ...]
    base_url: str = ""
    _by_text: dict[str, MemberKey] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Index the keys by their text, as headers name them."""
        self._by_text.update({key.pubkey: key for key in self.pubkeys})

    def holds(self, pubkey: str, now: datetime) -> bool:
        """Whether ``pubkey`` is registered for this member and unexpired."""
        key = self._by_text.get(pubkey)
        return key is not None and key.current(now)

    @property
    def affiliated(self) -> bool:
        """Whether this VASP belongs to another network that the hub reaches (D43)."""
        return self.alliance.lower() != HUB_ALLIANCE

    def public_keys(self) -> list[dict[str, str]]:
        """Return the keys in the form of 4.A.1 and 4.A.2."""
        return [{"pubkey": key.pubkey, "expiresAt": key.expires_at} for key in self.pubkeys]

    def listed(self, *, up: bool) -> dict[str, Any]:
        """Return the member's entry in the VASP list."""
        return {
            "health": "up" if up else "down",
            "vaspEntityId": self.entity_id,
            "vaspName": self.entity_id,
            "vaspLegalName": self.legal_name,
            "countryOfRegistration": self.country,
            "allianceName": self.alliance,
            "pubkeys": self.public_keys(),
        }
