"""Screening for M1 and M2 on the lists of this process, within the second of the protocol.

Owners of wallets are screened when they are registered and when lists change (``engine.lists.owner_screening``); the
wallet's record holds the result. This module screens the addresses and the persons of a request.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from schemas.ivms101 import IvmsPerson
from travelrule import logs
from travelrule.engine.lists.active_lists import ActiveLists
from travelrule.identity.account_numbers import split_tag
from travelrule.messages.assessment import Party
from travelrule.messages.screened_parties import parties_of_ivms
from travelrule.policy.policy import Policy
from travelrule.store.search_rows import WalletRecord

SECONDS = 0.6
"""The time limit of one screening; the rest of the second is for the look-ups, the decision and the network."""

log = logs.get("gateway")


class ListScreen:
    """``gateway.ports.Screen`` over the active lists. A screening over the time limit has no result."""

    def __init__(self, lists: ActiveLists, policy: Callable[[], Policy], limit_s: float = SECONDS) -> None:
        self._lists = lists
        self._policy = policy
        self._limit_s = limit_s

    async def sanctioned(self, asked: Sequence[str], wallets: Sequence[WalletRecord]) -> bool | None:
        """Return whether one of the addresses (``address[:tag]``) or of the owners is on a list."""
        owners = {wallet.sanctioned for wallet in wallets}
        if True in owners:
            return True
        addresses = dict.fromkeys(text for number in asked for text in (number, split_tag(number)[0]))
        listed = await self._hit((), tuple(addresses))
        return None if not listed and None in owners else listed

    async def persons_sanctioned(self, persons: Sequence[IvmsPerson]) -> bool | None:
        """Return whether one of the persons is on a list."""
        return await self._hit(parties_of_ivms(persons), ())

    async def _hit(self, parties: Sequence[Party], addresses: Sequence[str]) -> bool | None:
        try:
            async with asyncio.timeout(self._limit_s):
                screened = await self._lists.screen(
                    parties, addresses, threshold=self._policy().screening.name_threshold
                )
        except TimeoutError:
            log.warning("screening-late", limit_seconds=self._limit_s)
            return None
        if screened.hits:
            return True
        return False if screened.checked else None
