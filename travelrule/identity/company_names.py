"""Company names: compared as registered, and once more without their legal form (ivms101.md section 5).

Digits are part of many company names ("Fund 1", "Fund 2"), but some systems drop them as they do for persons.
So the letters decide, and digits count where both sides have them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from travelrule.identity.normal_names import normalise
from travelrule.text.legal_forms import ATTACHED_FORMS, END_FORMS, LEADING_FORMS

_CJK_SHORT = re.compile(r"\((?:주|유|株|有|同)\)|[㈜㈱㈲]")
_JOINED_MAX = 3  # "Sp. z o.o.", "spol. s r.o.": one form in up to three words

Key = tuple[str, str]


def name_keys(names: Iterable[str]) -> frozenset[Key]:
    """Return (letters, digits) of each name as registered."""
    return frozenset(_key(name) for name in names)


@dataclass(frozen=True, slots=True)
class CompanyNames:
    """The names of one company, ready to be compared: as registered, and without the words for the legal form."""

    registered: frozenset[Key]
    bare: frozenset[Key]

    @classmethod
    def of(cls, names: Iterable[str]) -> CompanyNames:
        """Normalise the names once."""
        names = tuple(names)
        return cls(name_keys(names), name_keys(map(without_form, names)))

    def __len__(self) -> int:
        """Count the keys."""
        return len(self.registered) + len(self.bare)

    def is_same(self, other: CompanyNames) -> bool:
        """Whether any name is one of the other's, with or without the legal form."""
        return _any_same(self.registered, other.registered) or _any_same(self.bare, other.bare)

    def __repr__(self) -> str:
        return "<CompanyNames>"


def same_company(sent: Iterable[str], held: Iterable[str]) -> bool:
    """Whether any of the sent names is one of the held ones, with or without the legal form."""
    return CompanyNames.of(sent).is_same(CompanyNames.of(held))


def without_form(name: str) -> str:
    """Return the name without words for the legal form at its ends; the whole name if nothing else is left."""
    text = _CJK_SHORT.sub(" ", unicodedata.normalize("NFC", name))
    words = [word for word in re.split(r"[\s,]+", text) if normalise(word) or _digits(word)]
    while words and (count := _trailing(words)):
        del words[-count:]
    while words and normalise(words[0]) in LEADING_FORMS:
        del words[0]
    return _without_cjk("".join(words)) or name


def _trailing(words: list[str]) -> int:
    """Count the words at the end that are one legal form, 0 if none."""
    for count in range(min(_JOINED_MAX, len(words)), 0, -1):
        if not any(map(_digits, words[-count:])) and normalise("".join(words[-count:])) in END_FORMS:
            return count
    return 0


def _without_cjk(name: str) -> str:
    for form in ATTACHED_FORMS:
        for rest in (name.removeprefix(form), name.removesuffix(form)):
            if rest != name:
                return rest
    return name


def _key(name: str) -> Key:
    return normalise(name), _digits(name)


def _digits(text: str) -> str:
    if text.isascii():
        return "".join(letter for letter in text if letter.isdigit())
    return "".join(letter for letter in text if unicodedata.category(letter) == "Nd")


def _any_same(sent: frozenset[Key], held: frozenset[Key]) -> bool:
    return any(_same(one, other) for one in sent for other in held)


def _same(one: Key, other: Key) -> bool:
    if one[0] != other[0]:
        return False
    if not one[0]:  # a name of digits only
        return bool(one[1]) and one[1] == other[1]
    return not one[1] or not other[1] or one[1] == other[1]
