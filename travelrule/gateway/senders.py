"""The check of a sender's key against the directory entry of its entity (member-api.md 1).

On a mismatch the current keys are fetched from the hub (4.A.2), because the stored list may be old. Unknown senders
must not cause many requests to the hub: one per entity and ``REFRESH_PAUSE_S``, one at a time per entity, and a budget
for all entities. A result is valid for ``TRUST_S``, so most requests need no look-up in the store.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from cachetools import TTLCache

from schemas.hub.bodies import PublicKey, VaspEntry
from travelrule.client.directory import same_alliance
from travelrule.client.errors import HubError, HubRefused
from travelrule.engine.directory.key_throttle import KeyThrottle
from travelrule.gateway.member_alerts import MemberAlerts
from travelrule.gateway.ports import Clock, Directory, RaiseAlert, RefreshKeys, no_alert
from travelrule.gateway.refusals import Refused, internal
from travelrule.gateway.request_origin import RequestOrigin
from travelrule.machine.alert_codes import AlertCode
from travelrule.messages.inbound_request import SenderFacts
from travelrule.policy.policy import HUB_ENTITY, Policy

TRUST_S = 10
REFRESH_PAUSE_S = 30
REFRESHES_PER_MINUTE = 30
KEPT_MAX = 4096
NO_SUCH_VASP = "INVALID_TARGET_VASP_ID"


@dataclass(frozen=True, slots=True)
class Sender:
    """The checked sender of a request.

    ``entry`` None: the stored list lacks it although the hub has its keys, or it is the hub itself.

    ``listed`` False: neither list nor hub has it, so it is an outsider. ``vouched``: its key is one of its entity's
    keys. The hub's entity counts as listed without a key, because it must never be refused; but personal data are
    released only to a vouched sender.
    """

    caller: RequestOrigin
    entry: VaspEntry | None
    listed: bool
    vouched: bool = False

    @property
    def origins(self) -> tuple[str, ...]:
        """Its origin by the request and by the directory: the policy may list either."""
        facts = self.facts()
        return (self.caller.origin,) if facts is None else (self.caller.origin, facts.origin)

    @property
    def misnamed(self) -> bool:
        """Whether the request names another alliance than the directory, with a key of the entity."""
        listed = self.entry.alliance_name if self.entry is not None else None
        return self.vouched and bool(listed) and not same_alliance(listed, self.caller.alliance)

    def facts(self) -> SenderFacts | None:
        """Return the directory's facts for a decision; None for an outsider, which the machine refuses."""
        if not self.listed:
            return None
        if self.entry is None:
            return SenderFacts(entity_id=self.caller.entity_id, alliance=self.caller.alliance)
        return SenderFacts(
            entity_id=self.entry.vasp_entity_id,
            alliance=(self.entry.alliance_name or "").lower(),
            country=self.entry.country_of_registration,
            legal_name=self.entry.vasp_legal_name,
            health=self.entry.health,
        )


class Senders:
    """Checks the senders of one gateway process."""

    def __init__(
        self, directory: Directory, refresh_keys: RefreshKeys, clock: Clock, alert: RaiseAlert = no_alert
    ) -> None:
        self._directory = directory
        self._misnamed = MemberAlerts(alert, AlertCode.ORIGIN_ALLIANCE_MISMATCH, clock)
        self._refresh_keys = refresh_keys
        self._clock = clock
        self._trusted: TTLCache[tuple[str, str], Sender] = TTLCache(KEPT_MAX, TRUST_S, lambda: clock().timestamp())
        self._throttle = KeyThrottle(clock, REFRESH_PAUSE_S, REFRESHES_PER_MINUTE)
        self._asking: dict[str, asyncio.Task[tuple[PublicKey, ...]]] = {}

    async def check(self, caller: RequestOrigin) -> Sender:
        """Return the sender; raise ``Refused`` if its key is not one of its entity's current keys.

        A request without a key header (endpoints without payload) is accepted as forwarded by the hub.
        """
        now = self._clock()
        key = (caller.origin, caller.public_key or "")
        trusted = self._trusted.get(key)
        if trusted is not None:
            return replace(trusted, caller=caller)
        sender = await self._look(caller, now)
        if sender.misnamed:
            self._misnamed.raise_once(caller.entity_id)
        if sender.listed:
            self._trusted[key] = sender
        return sender

    async def check_accepted(self, caller: RequestOrigin, policy: Policy) -> Sender:
        """Return a sender that the policy accepts; raise ``Refused`` ``UNACCEPTABLE_REQUEST`` for others."""
        sender = await self.check(caller)
        if not sender.listed or not policy.accepts(caller.entity_id, *sender.origins):
            raise Refused("UNACCEPTABLE_REQUEST", "X-Request-Origin", "requests of this VASP are not accepted")
        return sender

    async def _look(self, caller: RequestOrigin, now: datetime) -> Sender:
        stored = await self._directory.get(caller.entity_id)
        entry = stored.entry if stored is not None and stored.listed else None
        if caller.public_key is None:
            return Sender(caller, entry, listed=entry is not None or caller.entity_id == HUB_ENTITY)
        if entry is not None and _holds(entry.pubkeys, caller.public_key, now):
            return Sender(caller, entry, listed=True, vouched=True)
        try:
            keys = await self._current_keys(caller.entity_id)
        except Refused:
            # The hub's entity must never be refused (member-api.md 1), even if its keys cannot be fetched.
            if caller.entity_id != HUB_ENTITY or entry is not None:
                raise
            keys = ()
        if _holds(keys, caller.public_key, now):
            return Sender(caller, entry, listed=True, vouched=True)
        if keys or entry is not None:
            raise Refused("INVALID_HEADER_SIGNATURE", "X-Code-Req-PubKey", "must be a current key of the origin's VASP")
        # The hub's entity need not be listed and must not be refused (auth.md 7); other unknown ones are outsiders.
        return Sender(caller, None, listed=caller.entity_id == HUB_ENTITY)

    async def _current_keys(self, entity_id: str) -> tuple[PublicKey, ...]:
        known = self._throttle.recent(entity_id)
        if known is not None:
            return known
        task = self._asking.get(entity_id)
        if task is None:
            if not self._throttle.spend():
                raise internal()
            task = asyncio.create_task(self._ask(entity_id))
            self._asking[entity_id] = task
            task.add_done_callback(lambda done: self._asked_for(entity_id, done))
        try:
            # Shielded: the deadline of one request must not end the fetch that others wait for.
            return await asyncio.shield(task)
        except (HubError, OSError, TimeoutError):
            raise internal() from None

    def _asked_for(self, entity_id: str, done: asyncio.Task[tuple[PublicKey, ...]]) -> None:
        del self._asking[entity_id]
        if not done.cancelled():
            # Retrieved here too, because every waiting request may have ended before the answer.
            done.exception()

    async def _ask(self, entity_id: str) -> tuple[PublicKey, ...]:
        try:
            keys = tuple(await self._refresh_keys(entity_id))
        except HubRefused as refusal:
            if refusal.error_code != NO_SUCH_VASP:
                raise
            keys = ()
        self._throttle.note(entity_id, keys)
        return keys


def _holds(keys: Iterable[PublicKey], public_key: str, now: datetime) -> bool:
    """Return whether a key is among the keys and not expired; an unreadable expiry does not count (D35)."""
    return any(key.pubkey == public_key and (key.expires_at is None or key.expires_at > now) for key in keys)
