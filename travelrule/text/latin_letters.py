"""Transliteration of every script to Latin letters, and letters that look like others."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from anyascii import anyascii

from travelrule.text import arabic, hangul

_LOOKS = dict(
    zip(
        "абвгеёзікмнорстухчьѕјіһԁԛԝαβγεζηικμνορτυχωσδ",
        "abbreë3ikmhopctyxчbsjihdqwabyeznikmvoptuxwσd",
        strict=True,
    )
)
"""Cyrillic and Greek letters by the letter they look like; used only in a word that also has Latin letters."""

_HAN = re.compile("[\u2e80-\u2fdf\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+")
_OTHER_LETTERS = re.compile("[\u0370-\u052f]")
_LATIN_LETTERS = re.compile("[a-z]")
_NAME_MIN, _NAME_MAX = 2, 4
"""Characters of a whole name."""
_DOUBLE_SURNAMES = (
    "欧阳",
    "歐陽",
    "司马",
    "司馬",
    "上官",
    "诸葛",
    "諸葛",
    "司徒",
    "夏侯",
    "皇甫",
    "慕容",
    "尉迟",
    "公孙",
)
_ABD = re.compile("abd(?:[aeou]l(?!lah|lay|ah$)|[aeiou]([rsntdz])(?=\\1)|[aeiou](?=[rs]))(?=[a-z]{4})")
"""The first half of a name such as Abdulrahman or Abderrahmane, which is also written as a word of its own."""
_BLOCKS = (*range(0xD8), *range(0xE0, 0x120), *range(0x1D4, 0x1D8), *range(0x200, 0x2A7))
"""Blocks of 256 characters that contain letters; surrogates are between the first two ranges."""
_NOT_NAMES = re.compile(r"[^a-z0-9]+")


def is_han(word: str) -> bool:
    """Whether a word has Chinese characters only."""
    return _HAN.fullmatch(word) is not None


def plain(word: str) -> str:
    """Return a folded word in the letters a to z and digits; empty if none of its characters has a sound."""
    if word.isascii():
        return _NOT_NAMES.sub("", word)
    if _OTHER_LETTERS.search(word) and _LATIN_LETTERS.search(unicodedata.normalize("NFD", word)):
        word = "".join(_LOOKS.get(letter, letter) for letter in word)
    return _NOT_NAMES.sub("", anyascii(hangul.romanised(word)).lower())


def person_words(word: str) -> tuple[tuple[str, bool], ...]:
    """Return the words of one written word of a person's name, each with whether its vowels are missing.

    Hangul and Chinese write surname and given name as one word, Arabic the article and its noun.
    """
    if word.isascii():
        found = _ABD.match(word)
        return ((word[: found.end()], False), (word[found.end() :], False)) if found else ((word, False),)
    if arabic.is_unvowelled(word):
        return arabic.person_words(word)
    if all(map(hangul.is_hangul, word)):
        return tuple((part, False) for part in hangul.person_words(word))
    if is_han(word) and _NAME_MIN <= len(word) <= _NAME_MAX:
        size = _NAME_MIN if word.startswith(_DOUBLE_SURNAMES) and len(word) > _NAME_MIN else 1
        return (word[:size], False), (word[size:], False)
    return ((word, False),)


def load_tables_in_steps() -> Iterator[None]:
    """Load the tables of transliteration, a few per step, so that no search loads them."""
    for block in _BLOCKS:
        anyascii(chr(block << 8 | 0x80))
        if not block % 4:
            yield
