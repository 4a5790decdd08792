"""A text read as an address of one family."""

from __future__ import annotations

from typing import NamedTuple


class AddressForm(NamedTuple):
    """A text read as an address of one family.

    ``name`` is the usual name of the family. ``kind`` identifies the family with the version, prefix or network that
    the text contains; a chain lists its kinds. ``keys`` are compared between addresses: two texts with a common key
    are the same address. ``flaws`` make the spelling wrong although the address is clear; ``warnings`` do not. ``tag``
    is part of the text (X-address, muxed account).
    """

    name: str
    kind: str
    keys: tuple[str, ...]
    flaws: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    tag: str | None = None


MIXED_CASE = "mixed case"


def is_mixed(text: str) -> bool:
    """Whether a text has letters of both cases."""
    return text != text.lower() and text != text.upper()


def exact(text: str) -> str:
    """Return the key of a text that is compared exactly."""
    return f"exact:{text}"
