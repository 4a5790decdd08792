"""Names in Arabic letters, which write few vowels: split into words as in Latin spellings, frequent words spelt out."""

from __future__ import annotations

import re

from anyascii import anyascii

_SCRIPT = re.compile("[\u0590-\u05ff\u0600-\u06ff\u0750-\u077f\u08a0-\u08ff]")
_LETTERS = str.maketrans(
    {
        **dict.fromkeys("أإآٱ", "ا"),
        **dict.fromkeys("ىیېئ", "ي"),
        **dict.fromkeys("ةۃھہ", "ه"),
        "ؤ": "و",
        "ک": "ك",
    }
)
_MARKS = re.compile("[\u064b-\u065f\u0670\u0640]")
_CUT = re.compile("(عبد(?=.{3}))?(ال(?=.{3}))?(.+)")
_CUT_MIN = 4
_ALLAH = "الله"
_SPELT_OUT = {
    "عبد": "abdul", "ال": "al", "بن": "bin", "ابن": "ibn", "بنت": "bint", "ابو": "abu", "ام": "umm", "ولد": "ould",
    "علي": "ali", "عمر": "omar", "عمرو": "amr", "محمد": "muhammad", "احمد": "ahmad", "محمود": "mahmud", "حامد": "hamid",
    "عثمان": "uthman", "يحيي": "yahya", "طه": "taha", "حسن": "hasan", "حسين": "husayn", "يوسف": "yusuf", "اغا": "agha",
    "عيسي": "isa", "موسي": "musa", "مصطفي": "mustafa", "ابراهيم": "ibrahim", "اسماعيل": "ismail", "خالد": "khalid",
    "سعيد": "said", "رضا": "reza", "مهدي": "mahdi", "عباس": "abbas", "هادي": "hadi", "ايمن": "ayman", "امين": "amin",
    "انور": "anwar", "اسامه": "usama", "عادل": "adil", "عمار": "ammar", "عصام": "isam", "عماد": "imad", "علاء": "ala",
    "اياد": "iyad", "وليد": "walid", "ياسر": "yasir", "ياسين": "yasin", "دين": "din", "نور": "nur", "مولوي": "mawlawi",
    "ملا": "mullah", "حاجي": "haji", "شيخ": "sheikh", "سيد": "sayyid", "خان": "khan", "اخوند": "akhund", "جان": "jan",
}  # fmt: skip


def is_unvowelled(word: str) -> bool:
    """Whether a word is in a script that writes few vowels (Arabic, Hebrew)."""
    return _SCRIPT.search(word) is not None


def person_words(word: str) -> tuple[tuple[str, bool], ...]:
    """Return the Latin words of one written word, each with whether its vowels are missing.

    "Abd" and the article are words of their own, except before God's name: "Abdullah" is one word.
    """
    word = _MARKS.sub("", word.translate(_LETTERS))
    if word == "عبد" + _ALLAH:
        return (("abdullah", False),)
    found = _CUT.match(word) if len(word) > _CUT_MIN else None
    parts = [part for part in found.groups() if part] if found else [word]
    return tuple((_SPELT_OUT[part], False) if part in _SPELT_OUT else (anyascii(part), True) for part in parts)
