"""The form in which names of lists and of queries are compared."""

from __future__ import annotations

import re
from typing import NamedTuple

from travelrule.screening.names.listed_names import KINDS, NameKind
from travelrule.screening.names.name_words import PARTICLES, TITLES
from travelrule.text import latin_letters
from travelrule.text.hangul import korean_keys
from travelrule.text.legal_forms import (
    ATTACHED_SPELLINGS,
    FORM_KINDS,
    FORM_KINDS_OF_SEVERAL_WORDS,
    FORM_STARTS,
    FORM_WORDS_MAX,
)
from travelrule.text.visible_text import visible

WORDS_KEPT = 24
"""Words that are compared of one name; no name has more."""

WORD_LETTERS_KEPT = 40

_IN_WORD = re.compile("['’ʼʻʿʾ`´ʹ‘]")
_APART = re.compile(r"[^\w]+|_+")
_DOTTED = re.compile(r"\b(?:\w\.){2,}\w?\b|\b(?:\w\.){2,}")
_FLIPPED = re.compile(r"^([^,]+),([^,]+)$")
_MIN_LEFT = 2


class NormalName(NamedTuple):
    """A name in lower-case Latin letters and digits. Its ``repr`` contains nothing of it.

    ``words`` are without titles and legal forms. ``forms`` are the kinds of its legal forms, ``unvowelled`` the words
    from a script without vowels, ``exact`` the words from Chinese characters, which have no misspellings.
    ``keys`` are shared by other romanisations of the same name.
    """

    words: tuple[str, ...]
    every_word: tuple[str, ...]
    forms: tuple[str, ...] = ()
    unvowelled: frozenset[str] = frozenset()
    keys: tuple[str, ...] = ()
    exact: frozenset[str] = frozenset()

    def __repr__(self) -> str:
        return f"<NormalName of {len(self.words)} words>"

    @property
    def joined(self) -> str:
        """The words written as one."""
        return "".join(self.words)

    @property
    def sorted_words(self) -> str:
        """The words in alphabetical order."""
        return " ".join(sorted(self.words))


def normalise(text: str, kind: NameKind) -> NormalName:
    """Return the comparable form of a name; without words if the text has no letter or digit."""
    shown = visible(text).casefold()
    if kind == "person":
        if "," in shown:
            shown = _FLIPPED.sub(r"\2 \1", shown)
    else:
        shown = _organisation_text(shown)
    every, unvowelled, exact = _latin(_APART.split(_IN_WORD.sub("", shown)), kind)
    if kind == "person":
        words = _without_titles(every)
        return NormalName(words, every, (), unvowelled, korean_keys(every), exact)
    words, forms = _without_forms(every)
    return NormalName(words, every, forms, unvowelled)


def is_comparable(text: str, kind: NameKind | None) -> bool:
    """Whether a text has anything to search for; a text without it is not found, which does not mean clean."""
    return any(normalise(text, one).words for one in (KINDS if kind is None else (kind,)))


def _organisation_text(shown: str) -> str:
    """Return a name with abbreviations as words, "and" written out, and attached legal forms removed."""
    if "." in shown:
        shown = _DOTTED.sub(lambda found: found[0].replace(".", "") + " ", shown)
    if not shown.isascii():
        for form in ATTACHED_SPELLINGS:
            shown = shown.replace(form, " ")
    return shown.replace("&", " and ")


def _latin(written: list[str], kind: NameKind) -> tuple[tuple[str, ...], frozenset[str], frozenset[str]]:
    """Return the words in Latin letters, those without vowels, and those of exact sound."""
    words: list[str] = []
    unvowelled, exact = set(), set()
    for one in filter(None, written):
        if one.isascii() and not one.startswith("abd"):
            words.append(one[:WORD_LETTERS_KEPT])
            continue
        for part, bare in latin_letters.person_words(one) if kind == "person" else ((one, False),):
            if word := latin_letters.plain(part)[:WORD_LETTERS_KEPT]:
                words.append(word)
                if bare:
                    unvowelled.add(word)
                elif kind == "person" and latin_letters.is_han(part):
                    exact.add(word)
    return tuple(words[:WORDS_KEPT]), frozenset(unvowelled), frozenset(exact)


def _without_titles(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words without titles, as long as two other words remain."""
    left = list(words)
    for word in words:
        if word in TITLES and sum(each not in PARTICLES for each in left) > _MIN_LEFT:
            left.remove(word)
    return tuple(left)


def _without_forms(words: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the words without legal forms, and the kinds of these; a name of legal forms only is unchanged."""
    left: list[str] = []
    forms: list[str] = []
    place = 0
    while place < len(words):
        most = min(FORM_WORDS_MAX, len(words) - place) if words[place] in FORM_STARTS else 1
        for count in range(most, 0, -1):
            run = words[place : place + count]
            form = FORM_KINDS.get(run[0]) if count == 1 else FORM_KINDS_OF_SEVERAL_WORDS.get(run)
            if form:
                forms.append(form)
                place += count
                break
        else:
            left.append(words[place])
            place += 1
    if not any(word not in PARTICLES for word in left):
        return words, ()
    return tuple(left), tuple(forms)
