"""How large a list may be: a file from outside must not take the machine down."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ListLimits:
    """Ceilings of an import; the defaults leave several times the room that the largest published lists need."""

    file_bytes: int = 4 * 1024**3
    line_bytes: int = 8 * 1024**2
    row_bytes: int = 16 * 1024**2
    """A row of CSV, over all the lines that its quoted cells span."""
    token_bytes: int = 1024**2
    """One tag, comment or instruction of an XML file: the parser reads an open one from its start with every block."""
    entries: int = 2_000_000
    """Also of rows that are held until their entry is read."""
    name_characters: int = 1_000
    names_per_entry: int = 5_000
    addresses_per_entry: int = 20_000
    element_bytes: int = 8 * 1024**2
    """Text, tags and attributes of one entry of an XML file together."""
    element_depth: int = 32
    unread_share: int = 10
    """In percent of all rows: more than that is not a list with odd rows, but another format."""
    unread_free: int = 50
    """That many unread rows are no reason to refuse a small list."""


LIMITS = ListLimits()
