"""Monero addresses: base58 in blocks of eight bytes; the network comes first, four bytes of Keccak-256 last."""

from __future__ import annotations

from travelrule.crypto.encodings import base58
from travelrule.crypto.encodings.keccak import keccak256
from travelrule.screening.addresses.address_form import AddressForm, exact

_LENGTHS = {95: 69, 106: 77}
"""Letters and decoded bytes: of a plain address, and of an address with a payment id."""
_BLOCK_LETTERS, _BLOCK_BYTES = 11, 8
_LAST_BYTES = {7: 5}
_CHECKSUM_BYTES = 4


def read(text: str) -> AddressForm | None:
    """Return the form of a text."""
    if len(text) not in _LENGTHS or text[0] not in "123456789AB":
        return None
    raw = _decode(text)
    if raw is None or len(raw) != _LENGTHS[len(text)]:
        return None
    if keccak256(raw[:-_CHECKSUM_BYTES])[:_CHECKSUM_BYTES] != raw[-_CHECKSUM_BYTES:]:
        return None
    return AddressForm("Monero", f"monero/{raw[0]}", (exact(text),))


def _decode(text: str) -> bytes | None:
    """Decode block by block; return None if the number of a block is too large for its bytes."""
    blocks = []
    for start in range(0, len(text), _BLOCK_LETTERS):
        block = text[start : start + _BLOCK_LETTERS]
        size = _BLOCK_BYTES if len(block) == _BLOCK_LETTERS else _LAST_BYTES.get(len(block))
        raw = base58.decode(block)
        if raw is None or size is None:
            return None
        number = int.from_bytes(raw, "big")
        if number >> 8 * size:
            return None
        blocks.append(number.to_bytes(size, "big"))
    return b"".join(blocks)
