"""SS58, the address format of Polkadot and its relatives: one public key, a prefix per chain."""

from __future__ import annotations

from hashlib import blake2b

from travelrule.screening.addresses.address_form import AddressForm

_KEY_BYTES = 32
_CHECKSUM_BYTES = 2
_ONE_BYTE_MAX = 63
_TWO_BYTES_MAX = 127


def read(raw: bytes) -> AddressForm | None:
    """Return the form of decoded base58; account indices (shorter) are no addresses."""
    prefix_bytes = len(raw) - _KEY_BYTES - _CHECKSUM_BYTES
    if prefix_bytes not in (1, 2):
        return None
    prefix = _prefix(raw, prefix_bytes)
    if prefix is None:
        return None
    body, checksum = raw[:-_CHECKSUM_BYTES], raw[-_CHECKSUM_BYTES:]
    if blake2b(b"SS58PRE" + body).digest()[:_CHECKSUM_BYTES] != checksum:
        return None
    return AddressForm("SS58", f"ss58/{prefix}", (f"ss58:{body[prefix_bytes:].hex()}",))


def _prefix(raw: bytes, size: int) -> int | None:
    """Return the number of the network: one byte up to 63, else 14 bits across two bytes."""
    first = raw[0]
    if size == 1:
        return first if first <= _ONE_BYTE_MAX else None
    if not _ONE_BYTE_MAX < first <= _TWO_BYTES_MAX:
        return None
    second = raw[1]
    return (first & 0x3F) << 2 | second >> 6 | (second & 0x3F) << 8
