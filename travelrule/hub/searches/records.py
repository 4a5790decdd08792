"""Searches as the hub keeps them (states.md section 7): whose they are, what was asked, how they ended."""

from __future__ import annotations

from dataclasses import dataclass, field

SEARCH_SECONDS = 86_400
"""How long a search is kept after it began or ended."""


@dataclass(frozen=True, slots=True)
class SearchKey:
    """What names a search.

    The caller is part of it, so that a result is found by nobody else, and two VASPs may choose the same
    ``requestId``. ``operation`` is the one that starts such searches.
    """

    operation: str
    caller: str
    request_id: str


@dataclass(frozen=True, slots=True)
class SearchOutcome:
    """How a search ended: the object that result and callback carry, and its two words for the journal."""

    result: str
    reason_type: str
    body: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class SearchRecord:
    """One search. ``fingerprint`` is equal for equal questions only; without ``outcome`` it still runs."""

    key: SearchKey
    fingerprint: str = field(repr=False)
    outcome: SearchOutcome | None = None
