"""Which own deposit address does an account number mean? Algorithm A of ivms101.md section 6.

On what the store found.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from travelrule.store.reads import WalletRecord


def meant(account_number: str, found: Iterable[WalletRecord]) -> list[WalletRecord]:
    """Give the wallets that an account number means.

    The whole text first, then the part left of the colon.

    Where the customer has a tag the address is shared, so the right part must be that tag; where there is
    none, an appended one is ignored (published test data expects it).
    """
    fitting = [
        wallet
        for wallet in found
        if wallet.asked == account_number and (not wallet.tag or wallet.tag == wallet.found_tag)
    ]
    whole = [wallet for wallet in fitting if wallet.found_tag is None]
    return whole or fitting


def takes(wallet: WalletRecord, currency: str, network: str | None) -> bool:
    """Say whether a currency may be deposited there, on that network if one is given. Case does not count."""
    if currency.upper() not in _upper(wallet.currencies):
        return False
    return not network or not wallet.networks or network.upper() in _upper(wallet.networks)


def _upper(texts: Sequence[str]) -> list[str]:
    return [text.upper() for text in texts]
