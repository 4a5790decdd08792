"""The reasons of matches as text. They quote the list and never the query."""

from __future__ import annotations

from collections.abc import Sequence

from rapidfuzz.distance import OSA

from travelrule.screening.names.comparable_name import NormalName
from travelrule.screening.names.name_scorer import Alignment, QueryWord
from travelrule.screening.names.name_words import PARTICLES
from travelrule.screening.names.spellings import fold, skeleton

SAME_NAME = "same name"
SAME_BUT_FORM = "same name, another or no legal form or title"
OTHER_ORDER = "same name in another order"
WRITTEN_TOGETHER = "same letters, words written together or apart"
OTHER_ROMANISATION = "same Korean name, romanised another way"
NEARLY_SAME_LETTERS = "nearly the same letters as a whole"
_QUOTED_MAX = 3


def of_alignment(query: Sequence[QueryWord], name: Sequence[str], found: Alignment, normal: NormalName) -> str:
    """Return what agrees, what differs and what is missing. ``name`` are the words of the listed name."""
    parts = [_difference(query[one].text, name[other], likeness, normal) for one, other, likeness in found.pairs]
    said = list(dict.fromkeys(filter(None, parts)))
    if missing := _quoted([name[place] for place in found.left_of_name if name[place] not in PARTICLES]):
        said.append(f"without {missing}")
    extra = sum(query[place].text not in PARTICLES for place in found.left_of_query)
    if extra:
        said.append("one word more than the listed name" if extra == 1 else f"{extra} words more than the listed name")
    places = [other for _, other, _ in sorted(found.pairs)]
    if places != sorted(places):
        said.append("in another order")
    return "; ".join(said) or SAME_NAME


def _difference(given: str, listed: str, likeness: float, normal: NormalName) -> str:
    if given == listed:
        return ""
    if len(given) == 1:
        return f"initial for '{listed}'"
    if len(listed) == 1:
        return "initial in the list"
    if given in normal.unvowelled:
        return f"same consonants as '{listed}'"
    if fold(given) == fold(listed):
        return f"another spelling of '{listed}'"
    edits = OSA.distance(given, listed)
    if edits > 1 and skeleton(given) and skeleton(given) == skeleton(listed):
        return f"same consonants as '{listed}'"
    if edits == 1:
        return f"one letter differs in '{listed}'"
    return f"{edits} letters differ in '{listed}'" if likeness else ""


def _quoted(words: Sequence[str]) -> str:
    shown = " ".join(words[:_QUOTED_MAX]) + (" ..." if len(words) > _QUOTED_MAX else "")
    return f"'{shown}'" if words else ""
