"""The customers of the simulated VASPs and their deposit addresses. Every name occurs nowhere else by chance."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

from schemas.events.wallets import WalletRegistered

LETTERS = "bcdfghklmnprstvz"
VOWELS = "aeiou"
BORN = "1990-02-03"
"""Of everybody: an individual originator is not sent without."""
NETWORKS = {"XRP": "XRP", "ETH": "ETH", "BTC": "BTC"}


@dataclass(frozen=True, slots=True)
class CustomerWallet:
    """Where a customer receives one currency."""

    vasp: str
    wallet_id: str
    currency: str
    address: str = field(repr=False)
    tag: str | None = field(repr=False)


@dataclass(slots=True)
class Customer:
    """A person at a VASP."""

    vasp: str
    customer_id: str
    last: str = field(repr=False)
    first: str = field(repr=False)
    kyc: bool
    wallets: dict[str, CustomerWallet]

    def person(self) -> dict[str, Any]:
        return {"natural": {"lastName": self.last, "firstName": self.first, "dateOfBirth": BORN}}

    def registered(self, wallet: CustomerWallet) -> WalletRegistered:
        return WalletRegistered.model_validate(
            {
                "walletId": wallet.wallet_id,
                "address": wallet.address,
                "tag": wallet.tag,
                "currencies": [wallet.currency],
                "networks": [NETWORKS[wallet.currency]],
                "customerId": self.customer_id,
                "kyc": self.kyc,
                "owner": self.person(),
            }
        )


def name(dice: random.Random) -> str:
    """A name that nobody else has."""
    return "Zq" + "".join(dice.choice(LETTERS) + dice.choice(VOWELS) for _ in range(6))


def customers(vasp: str, count: int, dice: random.Random) -> list[Customer]:
    """People with a wallet of each currency; all XRP wallets of a VASP share an address and have a tag."""
    shared = "r" + "".join(dice.choice("PEFGHJKLMNabcdefgh23456789") for _ in range(32))
    people = []
    for number in range(count):
        places = {
            "XRP": (shared, str(10_000 + number)),
            "ETH": (f"0x{dice.getrandbits(160):040x}", None),
            "BTC": ("1" + "".join(dice.choice("ABCDEFGHJKabcdefgh23456789") for _ in range(33)), None),
        }
        wallets = {
            currency: CustomerWallet(vasp, f"{vasp}-{number}-{currency}", currency, address, tag)
            for currency, (address, tag) in places.items()
        }
        people.append(Customer(vasp, f"c-{vasp}-{number}", name(dice), name(dice), dice.random() > 0.04, wallets))
    return people
