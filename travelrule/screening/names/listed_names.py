"""Listed names, and the matches of a search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

NameKind = Literal["person", "organisation"]
"""Persons are compared by the rules for persons, everything else (firms, groups, ships) by those for organisations."""

NameQuality = Literal["strong", "weak"]
"""A weak alias (a nickname, "low quality" in the lists) counts only if nearly the whole name agrees."""

KINDS: tuple[NameKind, ...] = ("person", "organisation")


@dataclass(frozen=True, slots=True)
class ListedName:
    """One name of one entry of a list: an entry with five aliases has six of them.

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

    ``score`` (0 to 1) depends on the name alone and is compared with the threshold. ``rank`` orders the matches; a
    different date of birth or country lowers it and never removes a match. ``reason`` is for a reader and quotes words
    of the list only, never the text of the search.
    """

    list_code: str
    entry_id: str
    kind: NameKind
    name: str
    score: float
    rank: float
    reason: str
