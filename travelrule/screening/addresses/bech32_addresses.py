"""Addresses in bech32 and bech32m: segwit, Cardano, Cosmos chains, Avalanche X and P, Zcash."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from travelrule.crypto.encodings import bech32
from travelrule.crypto.encodings.bech32 import Bech32
from travelrule.screening.addresses import cardano
from travelrule.screening.addresses.address_form import MIXED_CASE, AddressForm, is_mixed
from travelrule.screening.addresses.base58_addresses import base58check_key
from travelrule.screening.addresses.segwit import SEGWIT_PREFIXES, segwit_flaws

_SHORTEST, _LONGEST = 14, 1_000
_TEXT = re.compile(r"([xpc]-)?([a-z][a-z0-9_]{0,30}1[02-9ac-hj-np-z]{6,})")
_M_PREFIXES = frozenset({"u", "tex"})
"""Zcash, unified and transparent-source addresses."""
_SIZES: Mapping[str, tuple[int, ...] | None] = MappingProxyType(
    {"zs": (43,), "tex": (20,), "ltcmweb": (66,), "u": None}
)
"""Lengths in bytes of addresses that are no account of 20 or 32 bytes; None: the length varies."""
_ACCOUNT_SIZES = (20, 32)
_CONFIDENTIAL = "ltcmweb"
"""Litecoin's prefix for a version letter and two public keys."""


def read(text: str) -> AddressForm | None:
    """Return the form of a text in any case; mixed case is a flaw (BIP-173)."""
    if not _SHORTEST <= len(text) <= _LONGEST:
        return None
    found = _TEXT.fullmatch(text.lower())
    if found is None:
        return None
    chain, folded = found.groups()
    decoded = bech32.decode(folded)
    if decoded is None:
        return None
    flaws = (MIXED_CASE,) if is_mixed(text[len(chain or "") :]) else ()
    if chain and text[0].islower():
        flaws = (*flaws, "chain letter in lower case")
    return _form(decoded, folded, chain, flaws)


def _form(decoded: Bech32, folded: str, chain: str | None, flaws: tuple[str, ...]) -> AddressForm | None:
    prefix = decoded.prefix
    key = f"bech32:{folded}"
    if chain:  # Avalanche: one account on its X, P and C chain
        return (
            AddressForm("Avalanche", f"avalanche/{chain[0]}", (key,), flaws + _wrong(decoded))
            if prefix == "avax"
            else None
        )
    if prefix in SEGWIT_PREFIXES:
        return AddressForm("segwit", f"segwit/{prefix}", (key,), flaws + segwit_flaws(decoded))
    if prefix in cardano.PREFIXES:
        return cardano.read(decoded, key, flaws)
    keys = (key, *_transparent(decoded)) if prefix == "tex" else (key,)
    return AddressForm(decoded.variant, f"bech32/{prefix}", keys, flaws + _wrong(decoded))


def _transparent(decoded: Bech32) -> tuple[str, ...]:
    """Return the key of the ``t1`` address that a ``tex1`` address spells (ZIP-320)."""
    payload = decoded.payload()
    return () if payload is None else (base58check_key(b"\x1c\xb8" + payload),)


def _wrong(decoded: Bech32) -> tuple[str, ...]:
    """Return the flaws of checksum and length that the prefix determines."""
    wanted = "bech32m" if decoded.prefix in _M_PREFIXES else "bech32"
    flaws = () if decoded.variant == wanted else (f"needs {wanted}",)
    confidential = decoded.prefix == _CONFIDENTIAL
    payload = decoded.payload(1 if confidential else 0)
    if payload is None:
        return (*flaws, "wrong padding")
    sizes = _SIZES.get(decoded.prefix, _ACCOUNT_SIZES)
    return flaws if sizes is None or len(payload) in sizes else (*flaws, "wrong length")
