"""Recognition of an address by its form alone, never by a coin's symbol."""

from __future__ import annotations

from collections.abc import Callable

from travelrule.screening.addresses import (
    algorand,
    base58_addresses,
    bech32_addresses,
    bitcoin_cash,
    hedera,
    hexadecimal,
    monero,
    near,
    ripple,
    stellar,
    ton,
)
from travelrule.screening.addresses.address_form import AddressForm, exact

_LONGEST = 1_000
_READERS: tuple[Callable[[str], AddressForm | None], ...] = (
    hexadecimal.read,
    bech32_addresses.read,
    bitcoin_cash.read,
    ripple.read,
    stellar.read,
    ton.read,
    algorand.read,
    monero.read,
    near.read,
    hedera.read,
)


def recognise(address: str) -> tuple[AddressForm, ...]:
    """Return the forms of a text, none if it is unknown.

    More than one is possible: base58 of 32 bytes (Solana) has no checksum, and that of TON has 16 bits.
    """
    if len(address) > _LONGEST or not address.isascii():
        return ()
    found = [form for read in _READERS if (form := read(address)) is not None]
    return (*found, *base58_addresses.read(address))


def address_keys(address: str) -> tuple[str, ...]:
    """Return the keys of an address for comparison, at least one (reference: canonical key per address family).

    Two spellings of one address have a common key. Different addresses have none, with one exception: Cardano
    addresses with the same stake credential share the key that begins with ``cardano-stake:``. The chain does not
    matter: an EVM address is the same on all EVM chains and on TRON, an address of Bitcoin the same on Bitcoin Cash. A
    text of no known form is compared exactly, without surrounding blanks. The caller removes a tag or memo behind a
    colon first; tags inside X-addresses and muxed Stellar accounts do not count.

    Never raises. Keys are opaque: store and compare them, and show the address.
    """
    text = address.strip()
    forms = recognise(text)
    if not forms:
        return (exact(text),)
    if len(forms) == 1:
        return forms[0].keys
    return tuple(dict.fromkeys(key for form in forms for key in form.keys))
