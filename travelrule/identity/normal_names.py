"""The normal form of names for comparison (ivms101.md section 5, "Receiver: normalisation")."""

from __future__ import annotations

import unicodedata

_KEPT = frozenset("LM")


def normalise(text: str) -> str:
    """Return the normal form: folded case, letters and their marks of every script, nothing else.

    Equal under Unicode normalisation: Hangul in syllables or single letters, accents composed or not. Blanks, digits
    and special characters are removed.
    """
    if text.isascii():
        return "".join(filter(str.isalpha, text.lower()))
    # Folding is defined on decomposed text; composing at the end makes the result one form again.
    folded = unicodedata.normalize("NFD", unicodedata.normalize("NFD", text).casefold())
    kept = "".join(letter for letter in folded if unicodedata.category(letter)[0] in _KEPT)
    return unicodedata.normalize("NFC", kept)


def letters_only(text: str) -> str:
    """Return a name without blanks, digits and special characters, on which some receivers fail; case stays."""
    composed = unicodedata.normalize("NFC", text)
    return "".join(letter for letter in composed if unicodedata.category(letter)[0] in _KEPT)
