"""NEAR account names; implicit accounts are hexadecimal."""

from __future__ import annotations

import re

from travelrule.screening.addresses.address_form import AddressForm

_ACCOUNT = re.compile(r"(?:[a-z0-9]+[-_])*[a-z0-9]+(?:\.(?:[a-z0-9]+[-_])*[a-z0-9]+)*")
_SHORTEST, _LONGEST = 2, 64
_TOP_LEVEL = (".near", ".tg")


def read(text: str) -> AddressForm | None:
    """Return the form of a name under a well-known top-level account; others look like words (``read_any``)."""
    return read_any(text) if text.lower().endswith(_TOP_LEVEL) else None


def read_any(text: str) -> AddressForm | None:
    """Return the form of any account name, in any case; only lower case is correct."""
    if not _SHORTEST <= len(text) <= _LONGEST:
        return None
    folded = text.lower()
    if not _ACCOUNT.fullmatch(folded):
        return None
    return AddressForm("NEAR", "near", (f"near:{folded}",), () if folded == text else ("upper case",))
