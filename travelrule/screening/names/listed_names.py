"""What is searched and what is found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

NameKind = Literal["person", "organisation"]
"""Persons are compared as persons are named; everything else (firms, groups, ships) as organisations are."""

NameQuality = Literal["strong", "weak"]
"""A weak alias (a nickname, "low quality" in the words of the lists) counts only when nearly the whole name agrees."""

KINDS: tuple[NameKind, ...] = ("person", "organisation")


@dataclass(frozen=True, slots=True)
class ListedName:
    """One name of one entry of a list: an entry with five aliases is six of these.

    ``birth_dates`` are ISO dates or their beginnings (``1971``, ``1971-05``), ``countries`` ISO 3166-1 alpha-2.
    """

    list_code: str
    entry_id: str
    kind: NameKind
    name: str
    quality: NameQuality = "strong"
    birth_dates: tuple[str, ...] = ()
    countries: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NameMatch:
    """An entry that a name may mean, by the best of its names.

    ``score`` (0 to 1) is about the name alone and is what the threshold is held against; ``rank`` orders the answers
    and is lower where a date of birth or a country speaks against the entry, which never removes one.
    ``reason`` is for a reader; it quotes words of the list only, never the text that was searched.
    """

    list_code: str
    entry_id: str
    kind: NameKind
    name: str
    score: float
    rank: float
    reason: str
