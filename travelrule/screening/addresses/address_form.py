"""What reading one text as one address family gives."""

from __future__ import annotations

from typing import NamedTuple


class AddressForm(NamedTuple):
    """A text read as an address of one family.

    ``name`` is the family as people call it, ``kind`` says exactly which addresses these are (family, and the
    version, prefix or network that the text itself carries), so that a chain can list the kinds it has. ``keys``
    are compared between addresses: two texts with one key in common are the same address. ``flaws`` make the text
    no right spelling although the address is plain; ``warnings`` do not. ``tag`` is one that stands in the text
    itself (X-address, muxed account).
    """

    name: str
    kind: str
    keys: tuple[str, ...]
    flaws: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    tag: str | None = None


MIXED_CASE = "mixed case"


def is_mixed(text: str) -> bool:
    """Say whether a text has letters of both cases."""
    return text != text.lower() and text != text.upper()


def exact(text: str) -> str:
    """Return the key of a text that is compared letter by letter."""
    return f"exact:{text}"
