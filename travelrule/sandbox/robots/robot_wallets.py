"""The customers of a robot: their addresses and their names (ivms101.md sections 5 and 6)."""

from __future__ import annotations

from collections.abc import Iterable

from travelrule.identity.account_numbers import candidates, canonical, tag_fits
from travelrule.sandbox.robots.robot_spec import WalletSpec


class RobotWallets:
    """Deposit addresses of a robot. Without any, the robot owns every address (``open``)."""

    def __init__(self, wallets: Iterable[WalletSpec]) -> None:
        self._by_address: dict[str, list[WalletSpec]] = {}
        self._currencies: set[str] = set()
        for wallet in wallets:
            self._by_address.setdefault(canonical(wallet.address), []).append(wallet)
            self._currencies.add(wallet.currency.upper())

    @property
    def open(self) -> bool:
        """Whether every address and every name is accepted."""
        return not self._by_address

    def serves(self, currency: str) -> bool:
        """Whether any customer can receive that currency."""
        return self.open or currency.upper() in self._currencies

    def find(self, account_number: str, currency: str) -> WalletSpec | None:
        """Return the wallet that ``address[:tag]`` names for that currency."""
        for address, tag in candidates(account_number):
            for wallet in self._by_address.get(canonical(address), ()):
                if tag_fits(tag, wallet.tag) and wallet.currency.upper() == currency.upper():
                    return wallet
        return None
