"""The match of account numbers and assets with our deposit addresses that the store found.

Algorithm A of ivms101.md section 6.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from travelrule.identity.account_numbers import tag_fits, whole_first
from travelrule.store.search_rows import WalletRecord


def wallets_of_account(account_number: str, found: Iterable[WalletRecord]) -> list[WalletRecord]:
    """Return the wallets that an account number means: the whole text first, then the part left of the colon."""
    fitting = (one for one in found if one.asked == account_number and tag_fits(one.found_tag, one.tag))
    return whole_first(fitting, lambda wallet: (wallet.asked, wallet.found_tag))


def accepts_asset(wallet: WalletRecord, currency: str, network: str | None) -> bool:
    """Return whether a wallet accepts a currency, on that network if one is given. Case does not count."""
    if currency.upper() not in _upper(wallet.currencies):
        return False
    return not network or not wallet.networks or network.upper() in _upper(wallet.networks)


def _upper(texts: Sequence[str]) -> list[str]:
    return [text.upper() for text in texts]
