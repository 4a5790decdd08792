"""EOS account names. They look like words, so that only the chain tells that a text is one."""

from __future__ import annotations

import re

from travelrule.screening.addresses.address_form import AddressForm, exact

_NAME = re.compile(r"[a-z1-5.]{1,12}|[a-z1-5.]{12}[a-j1-5]")


def read(text: str) -> AddressForm | None:
    """Read a name; the 13th letter has four bits only, and a dot at the end counts for nothing."""
    if not _NAME.fullmatch(text) or text.startswith(".") or text.endswith("."):
        return None
    return AddressForm("EOS account", "eos", (exact(text),))
