"""EOS account names. They look like words, so a text is recognised as one only for this chain."""

from __future__ import annotations

import re

from travelrule.screening.addresses.address_form import AddressForm, exact

_NAME = re.compile(r"[a-z1-5.]{1,12}|[a-z1-5.]{12}[a-j1-5]")


def read(text: str) -> AddressForm | None:
    """Return the form of a name; the 13th letter has four bits only, and a dot at either end is refused."""
    if not _NAME.fullmatch(text) or text.startswith(".") or text.endswith("."):
        return None
    return AddressForm("EOS account", "eos", (exact(text),))
