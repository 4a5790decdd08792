"""Screening by lists of our own, for a hub without a provider of risk data."""

from __future__ import annotations

from collections.abc import Callable

from travelrule.hub.risk.records import RatedTransaction, Rating

ListsHit = Callable[[str], bool]
"""Says whether an address stands on one of the lists. Raises whatever it likes if they are not loaded."""

_HIT = Rating("BLACK", ("Sanctioned",), "the address stands on a sanctions list")


class ListScreening:
    """``ScreeningProvider`` over lists: an address that stands on one is ``BLACK``, any other was checked: ``WHITE``.

    Lists know addresses and no transactions, so a transaction has no wallets here, which counts as unknown. A lookup
    that fails is a provider that fails, never a clean wallet.
    """

    def __init__(self, lists_hit: ListsHit) -> None:
        self._lists_hit = lists_hit

    async def wallet(self, _chain: str, address: str) -> Rating:
        """Rate a wallet."""
        return _HIT if self._lists_hit(address) else Rating("WHITE")

    async def transaction(self, _chain: str, _txid: str) -> RatedTransaction:
        """Rate nothing: whose wallets a transaction has cannot be told from lists."""
        return RatedTransaction()
