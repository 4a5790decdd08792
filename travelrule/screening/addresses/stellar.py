"""Stellar addresses (SEP-23): accounts ``G``, muxed accounts ``M`` with an id, contracts ``C``."""

from __future__ import annotations

from binascii import crc_hqx

from travelrule.crypto.encodings import base32
from travelrule.screening.addresses.address_form import AddressForm

_LENGTHS = {56: b"\x30\x10", 69: b"\x60"}
"""Length of a text to the version bytes of that length."""
_NAMES = {0x30: "account", 0x10: "contract", 0x60: "muxed"}
_KEY_BYTES = 32
_CHECKSUM_BYTES = 2


def read(text: str) -> AddressForm | None:
    """Return the form of a text in any case; muxed accounts that differ in the id only are the same account."""
    versions = _LENGTHS.get(len(text))
    if versions is None or text[0] not in "GMCgmc":
        return None
    decoded = base32.decode(text.upper())
    if decoded is None or decoded.raw[0] not in versions or not decoded.exact:
        return None
    body, checksum = decoded.raw[:-_CHECKSUM_BYTES], decoded.raw[-_CHECKSUM_BYTES:]
    if crc_hqx(body, 0) != int.from_bytes(checksum, "little"):
        return None
    name = _NAMES[body[0]]
    family = "stellar-contract" if name == "contract" else "stellar"
    tag = str(int.from_bytes(body[1 + _KEY_BYTES :], "big")) if name == "muxed" else None
    flaws = () if text.isupper() else ("lower case",)
    return AddressForm("Stellar", f"stellar/{name}", (f"{family}:{body[1 : 1 + _KEY_BYTES].hex()}",), flaws, tag=tag)
