"""TON addresses: the raw form ``0:hex``, and 48 letters of base64 or base64url, bounceable or not."""

from __future__ import annotations

import binascii
import re

from travelrule.screening.addresses.address_form import AddressForm

_RAW = re.compile(r"(-1|0):([0-9a-fA-F]{64})")
_RAW_LENGTHS = (66, 67)
_FRIENDLY = re.compile(r"[A-Za-z0-9+/]{48}")
_FRIENDLY_LENGTH = 48
_URL = str.maketrans("-_", "+/")
_TEST = 0x80
_BOUNCEABLE, _NOT_BOUNCEABLE = 0x11, 0x51
_CHECKSUM_BYTES = 2


def read(text: str) -> AddressForm | None:
    """Return the form of a text."""
    if len(text) in _RAW_LENGTHS:
        found = _RAW.fullmatch(text)
        return AddressForm("TON raw", "ton/raw", (_key(found[1], found[2].lower()),)) if found else None
    if len(text) != _FRIENDLY_LENGTH:
        return None
    letters = text.translate(_URL)
    if not _FRIENDLY.fullmatch(letters):
        return None
    raw = binascii.a2b_base64(letters)
    flags, workchain, body = raw[0], raw[1], raw[:-_CHECKSUM_BYTES]
    if flags & ~_TEST not in (_BOUNCEABLE, _NOT_BOUNCEABLE) or workchain not in (0, 0xFF):
        return None
    if binascii.crc_hqx(body, 0) != int.from_bytes(raw[-_CHECKSUM_BYTES:], "big"):
        return None
    network = "test" if flags & _TEST else "main"
    return AddressForm("TON", f"ton/{network}", (_key("-1" if workchain else "0", body[2:].hex()),))


def _key(workchain: str, account: str) -> str:
    return f"ton:{workchain}:{account}"
