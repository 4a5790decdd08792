"""Algorand addresses: base32 of a public key and four bytes of its SHA-512/256."""

from __future__ import annotations

from Crypto.Hash import SHA512

from travelrule.crypto.encodings import base32
from travelrule.screening.addresses.address_form import AddressForm

_LETTERS = 58
_CHECKSUM_BYTES = 4


def read(text: str) -> AddressForm | None:
    """Return the form of a text in any case; only upper case is correct."""
    if len(text) != _LETTERS:
        return None
    decoded = base32.decode(text.upper())
    if decoded is None:
        return None
    key, checksum = decoded.raw[:-_CHECKSUM_BYTES], decoded.raw[-_CHECKSUM_BYTES:]
    if SHA512.new(key, truncate="256").digest()[-_CHECKSUM_BYTES:] != checksum:
        return None
    flaws = () if text.isupper() else ("lower case",)
    return AddressForm(
        "Algorand", "algorand", (f"algorand:{key.hex()}",), flaws if decoded.exact else (*flaws, "wrong padding")
    )
