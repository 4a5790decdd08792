"""Cardano addresses of the Byron era: base58 over CBOR with a CRC32."""

from __future__ import annotations

import binascii

from travelrule.screening.addresses.address_form import AddressForm, exact

_START = b"\x82\xd8\x18"  # array of two, tag 24: bytes that hold CBOR
_ROOT = b"\x83\x58\x1c"  # array of three, the first 28 bytes long
_ROOT_BYTES = 28
_MAGIC = 2
"""The attribute of the network; only test networks have it."""


class _NotCborError(ValueError):
    """The bytes are not of the CBOR types of an address."""


def read(text: str, raw: bytes) -> AddressForm | None:
    """Return the form of decoded base58."""
    if not raw.startswith(_START):
        return None
    try:
        inner, rest = _bytes(raw[len(_START) :])
        checksum, rest = _number(rest, 0)
        if rest or checksum != binascii.crc32(inner):
            return None
        network = "test" if _MAGIC in _attributes(inner) else "main"
    except _NotCborError:
        return None
    return AddressForm("Cardano Byron", f"cardano/byron-{network}", (exact(text),))


def _attributes(inner: bytes) -> set[int]:
    """Return the numbers of the attributes of an address."""
    if not inner.startswith(_ROOT):
        raise _NotCborError
    count, rest = _number(inner[len(_ROOT) + _ROOT_BYTES :], 5)
    numbers = set()
    for _ in range(min(count, len(rest))):
        number, rest = _number(rest, 0)
        _, rest = _bytes(rest)
        numbers.add(number)
    _, rest = _number(rest, 0)  # what the address is for: spending, script, redeeming
    if rest:
        raise _NotCborError
    return numbers


def _bytes(raw: bytes) -> tuple[bytes, bytes]:
    """Return the byte string at the start, and the rest."""
    size, rest = _number(raw, 2)
    if size > len(rest):
        raise _NotCborError
    return rest[:size], rest[size:]


def _number(raw: bytes, major: int) -> tuple[int, bytes]:
    """Return the number of the first head, which must be of the major type, and the rest."""
    if not raw or raw[0] >> 5 != major:
        raise _NotCborError
    size = raw[0] & 31
    if size < 24:  # noqa: PLR2004 - CBOR writes small numbers into the head
        return size, raw[1:]
    width = {24: 1, 25: 2, 26: 4}.get(size)
    if width is None or len(raw) <= width:
        raise _NotCborError
    return int.from_bytes(raw[1 : 1 + width], "big"), raw[1 + width :]
