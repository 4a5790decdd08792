"""Limits of a list import: a file from outside must not exhaust the machine."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ListLimits:
    """Limits of an import; the defaults allow several times the largest published lists."""

    file_bytes: int = 4 * 1024**3
    line_bytes: int = 8 * 1024**2
    row_bytes: int = 16 * 1024**2
    """A row of CSV, over all the lines that its quoted cells span."""
    token_bytes: int = 1024**2
    """One tag, comment or instruction of an XML file: the parser reads an open one from its start with every block."""
    entries: int = 2_000_000
    """Entries, and rows that are held until their entry is read."""
    name_characters: int = 1_000
    names_per_entry: int = 5_000
    addresses_per_entry: int = 20_000
    element_bytes: int = 8 * 1024**2
    """Text, tags and attributes of one entry of an XML file together."""
    element_depth: int = 32
    unread_share: int = 10
    """Percentage of unread rows above which the file has another format."""
    unread_free: int = 50
    """Number of unread rows up to which a small list is accepted."""


LIMITS = ListLimits()
