"""Which texts are names: those with a visible character that lists can be searched for.

A name contains at least one visible letter, of any script, or one digit: Unicode categories L (letter) or Nd (decimal
digit). Marks alone, control and formatting characters (zero-width, bidirectional, U+FEFF), blanks, punctuation, symbols
and emoji are no name, nor are the six characters that Unicode classes as letters and that have no glyph. All of these
are allowed beside letters.

``streams.codec`` refuses incoming events by this rule. The models do not, so that stored events stay readable.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from typing import Final

from schemas.events.persons import LegalPerson, NaturalPerson
from schemas.wire_model import Wire

BLANK_LETTERS = frozenset("\u115f\u1160\u3164\uffa0\U00013441\U00013442")
"""Hangul fillers and Egyptian blanks: letters by category, without a glyph."""

NAME_FIX: Final = "a name has at least one letter or digit that can be seen"

_NAME_FIELDS: dict[type[Wire], tuple[tuple[str, str], ...]] = {
    NaturalPerson: (
        ("last_name", "lastName"),
        ("first_name", "firstName"),
        ("local_last_name", "localLastName"),
        ("local_first_name", "localFirstName"),
    ),
    LegalPerson: (("name", "name"), ("local_name", "localName")),
}


def is_name(text: str) -> bool:
    """Whether a text can be the name of a person or a company."""
    if text.isascii():
        return any(map(str.isalnum, text))
    return any(map(_tells, text))


def _tells(letter: str) -> bool:
    category = unicodedata.category(letter)
    return (category[0] == "L" and letter not in BLANK_LETTERS) or category == "Nd"


def nameless_fields(data: Wire, path: str = "") -> Iterator[str]:
    """Yield the fields of an event, at any depth, that are filled but contain no name."""
    for attribute, name in _NAME_FIELDS.get(type(data), ()):
        text = getattr(data, attribute)
        if text is not None and not is_name(text):
            yield f"{path}{name}"
    for attribute, field in type(data).model_fields.items():
        name, value = field.alias or attribute, getattr(data, attribute)
        if isinstance(value, Wire):
            yield from nameless_fields(value, f"{path}{name}.")
        elif isinstance(value, tuple):
            for place, item in enumerate(value):
                if isinstance(item, Wire):
                    yield from nameless_fields(item, f"{path}{name}[{place}].")
