"""Ratings by our sanctions lists, for a hub without a provider of risk data."""

from __future__ import annotations

from collections.abc import Callable

from travelrule.hub.risk.records import RatedTransaction, Rating

ListsHit = Callable[[str], bool]
"""Whether an address is on one of the lists. Raises any exception if the lists are not loaded."""

_HIT = Rating("BLACK", ("Sanctioned",), "the address stands on a sanctions list")


class ListRatingProvider:
    """``ScreeningProvider`` over lists: a listed address is ``BLACK``, any other is checked and ``WHITE``.

    Lists hold addresses and no transactions, so a transaction has no wallets, which counts as unknown. A lookup that
    fails is a failure of the provider, never a clean wallet.
    """

    def __init__(self, lists_hit: ListsHit) -> None:
        self._lists_hit = lists_hit

    async def wallet(self, _chain: str, address: str) -> Rating:
        """Rate a wallet."""
        return _HIT if self._lists_hit(address) else Rating("WHITE")

    async def transaction(self, _chain: str, _txid: str) -> RatedTransaction:
        """Return no wallets: lists hold no transactions."""
        return RatedTransaction()
