"""Asking the hub for a VASP's current keys (4.A.2), with "no such VASP" as an answer and not as an error."""

from __future__ import annotations

from typing import Protocol

from schemas.hub import PublicKey, PublicKeys
from travelrule.client.errors import HubRefused

NO_SUCH_VASP = "INVALID_TARGET_VASP_ID"


class KeySource(Protocol):
    """What this needs of ``HubClient``."""

    async def public_keys(self, entity_id: str, *, traceparent: str | None = None) -> PublicKeys:
        """4.A.2."""


async def current_keys(hub: KeySource, entity_id: str) -> tuple[PublicKey, ...]:
    """The keys that the hub names now; empty if it does not know the VASP.

    Raises ``HubError`` if it cannot be asked.
    """
    try:
        return (await hub.public_keys(entity_id)).pubkeys
    except HubRefused as refusal:
        if refusal.error_code == NO_SUCH_VASP:
            return ()
        raise
