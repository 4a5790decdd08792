"""Bitcoin Cash addresses in CashAddr, with and without ``bitcoincash:``; the legacy form is that of Bitcoin."""

from __future__ import annotations

from travelrule.crypto.encodings import cashaddr
from travelrule.screening.addresses.address_form import MIXED_CASE, AddressForm, is_mixed
from travelrule.screening.addresses.base58_addresses import PAY_TO_KEY, PAY_TO_SCRIPT, hash_key

PREFIX = "bitcoincash"

_SHORTEST, _LONGEST = 42, 112
_TYPES = {0: PAY_TO_KEY, 1: PAY_TO_SCRIPT, 2: PAY_TO_KEY, 3: PAY_TO_SCRIPT}
"""2 and 3 mean that the wallet supports tokens; the scripts are the same."""
_HASH_BYTES = (20, 24, 28, 32, 40, 48, 56, 64)


def read(text: str) -> AddressForm | None:
    """Return the form of a text in any case; mixed case is a flaw."""
    prefix, colon, data = text.lower().rpartition(":")
    if not _SHORTEST <= len(data) <= _LONGEST or (colon and prefix != PREFIX):
        return None
    raw = cashaddr.decode(PREFIX, data)
    if not raw or raw[0] >> 7:
        return None
    kind, size, hashed = raw[0] >> 3 & 15, _HASH_BYTES[raw[0] & 7], raw[1:]
    if len(hashed) != size or kind not in _TYPES:
        return None
    flaws = (MIXED_CASE,) if is_mixed(text) else ()
    return AddressForm("CashAddr", f"cashaddr/{PREFIX}", (hash_key(_TYPES[kind], hashed),), flaws)
