"""Stored searches (states.md section 7): the caller, the request, the outcome."""

from __future__ import annotations

from dataclasses import dataclass, field

SEARCH_SECONDS = 86_400
"""How long a search is stored after it began or ended."""


@dataclass(frozen=True, slots=True)
class SearchKey:
    """Key of a search.

    The caller is part of it: no other VASP can read the result, and two VASPs may choose the same ``requestId``.
    ``operation`` is the one that starts such searches.
    """

    operation: str
    caller: str
    request_id: str


@dataclass(frozen=True, slots=True)
class SearchOutcome:
    """How a search ended: the object that result and callback carry, and two of its fields for the journal."""

    result: str
    reason_type: str
    body: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class HubSearch:
    """One search. ``fingerprint`` is equal for equal requests only; without ``outcome`` the search still runs."""

    key: SearchKey
    fingerprint: str = field(repr=False)
    outcome: SearchOutcome | None = None
