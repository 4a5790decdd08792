"""Variants of a name as people write it: each takes a name and a seeded random source, and may return None."""

from __future__ import annotations

import random
import re
import string
from collections.abc import Callable, Mapping

Way = Callable[[str, random.Random], str]

_LETTERS_MIN = 5
_CYRILLIC = {
    "shch": "щ", "zh": "ж", "kh": "х", "ts": "ц", "ch": "ч", "sh": "ш", "yu": "ю", "ya": "я", "ye": "е", "iy": "ий",
    "yy": "ый", "a": "а", "b": "б", "v": "в", "g": "г", "d": "д", "e": "е", "z": "з", "i": "и", "y": "ы", "k": "к",
    "l": "л", "m": "м", "n": "н", "o": "о", "p": "п", "r": "р", "s": "с", "t": "т", "u": "у", "f": "ф", "h": "х",
    "j": "й", "c": "к", "q": "к", "w": "в", "x": "кс", "'": "ь",
}  # fmt: skip
_RUSSIAN = re.compile(r"(?:ov|ev|ova|eva|in|ina|sky|skiy|skii|ich|vna|enko)\b", re.IGNORECASE)
_SPELT = (
    ("kh", "h"), ("ou", "u"), ("ei", "ey"), ("ey", "ei"), ("iy", "y"), ("aa", "a"), ("ee", "i"), ("oo", "u"),
    ("q", "k"), ("ss", "s"), ("sh", "ch"), ("w", "v"), ("ph", "f"), ("y", "i"), ("dj", "j"), ("gh", "g"),
    ("u", "ou"), ("i", "ee"), ("mohammad", "mohamed"), ("mohammed", "muhammad"), ("ahmad", "ahmed"),
    ("hussein", "husayn"), ("abdul", "abdel"), ("abdallah", "abdullah"), ("hassan", "hasan"), ("yousef", "yusuf"),
)  # fmt: skip
_TITLES = ("Mr. ", "Mrs. ", "Dr. ", "Prof. ", "Eng. ", "Mr ", "Sheikh ", "Hajji ")


def words_of(name: str) -> list[str]:
    """Return the words, given names first."""
    last, comma, first = name.partition(",")
    return f"{first} {last}".split() if comma else name.split()


def _one_word(name: str, draw: random.Random, change: Way) -> str:
    words = words_of(name)
    places = [place for place, word in enumerate(words) if word.isalpha() and len(word) >= _LETTERS_MIN]
    if not places:
        return ""
    place = draw.choice(places)
    words[place] = change(words[place], draw)
    return " ".join(words)


def _substituted(word: str, draw: random.Random) -> str:
    place = draw.randrange(1, len(word))
    other = draw.choice([each for each in string.ascii_lowercase if each != word[place].lower()])
    return word[:place] + other + word[place + 1 :]


def _dropped(word: str, draw: random.Random) -> str:
    place = draw.randrange(1, len(word))
    return word[:place] + word[place + 1 :]


def _added(word: str, draw: random.Random) -> str:
    place = draw.randrange(1, len(word) + 1)
    return word[:place] + draw.choice(string.ascii_lowercase) + word[place:]


def _swapped(word: str, draw: random.Random) -> str:
    places = [place for place in range(1, len(word) - 1) if word[place].lower() != word[place + 1].lower()]
    if not places:
        return _added(word, draw)
    place = draw.choice(places)
    return word[:place] + word[place + 1] + word[place] + word[place + 2 :]


def _two(name: str, draw: random.Random) -> str:
    words = words_of(name)
    places = [place for place, word in enumerate(words) if word.isalpha() and len(word) >= _LETTERS_MIN]
    if len(places) < len("ab"):
        return ""
    for place in draw.sample(places, 2):
        words[place] = draw.choice((_substituted, _dropped, _added, _swapped))(words[place], draw)
    return " ".join(words)


def _middle_missing(name: str, draw: random.Random) -> str:
    words = words_of(name)
    if len(words) < len("abc"):
        return ""
    del words[draw.randrange(1, len(words) - 1)]
    return " ".join(words)


def _middle_initial(name: str, draw: random.Random) -> str:
    words = words_of(name)
    if len(words) < len("abc"):
        return ""
    place = draw.randrange(1, len(words) - 1)
    words[place] = words[place][0] + "."
    return " ".join(words)


def _joined(name: str, draw: random.Random) -> str:
    words = words_of(name)
    if len(words) < len("ab"):
        return ""
    place = draw.randrange(len(words) - 1)
    words[place : place + 2] = [words[place] + words[place + 1].lower()]
    return " ".join(words)


def _spelt(name: str, draw: random.Random) -> str:
    text = " ".join(words_of(name)).lower()
    rules = [rule for rule in _SPELT if re.search(rf"\B{rule[0]}|\b{rule[0]}\B", text)]
    if not rules:
        return ""
    old, new = draw.choice(rules)
    return text.replace(old, new, 1).title()


def _cyrillic(name: str, _: random.Random) -> str:
    text = " ".join(words_of(name)).lower()
    if not _RUSSIAN.search(text):
        return ""
    pattern = re.compile("|".join(sorted(map(re.escape, _CYRILLIC), key=len, reverse=True)))
    return pattern.sub(lambda found: _CYRILLIC[found[0]], text).title()


def _full_width(name: str, _: random.Random) -> str:
    return "".join(chr(ord(each) + 0xFEE0) if "!" <= each <= "~" else each for each in " ".join(words_of(name)))


def _invisible(name: str, draw: random.Random) -> str:
    text = " ".join(words_of(name))
    place = draw.randrange(1, len(text))
    return "\u200f" + text[:place] + draw.choice("\u200b\u200d\u2060\u00ad") + text[place:]


CLEAN: Mapping[str, Way] = {
    "order": lambda name, _: " ".join(words_of(name)[::-1]),
    "given-first": lambda name, _: " ".join(words_of(name)).title(),
    "case": lambda name, _: name.swapcase(),
    "full-width": _full_width,
    "invisible": _invisible,
    "title": lambda name, draw: draw.choice(_TITLES) + " ".join(words_of(name)),
}
MISSPELT: Mapping[str, Way] = {
    "substituted": lambda name, draw: _one_word(name, draw, _substituted),
    "dropped": lambda name, draw: _one_word(name, draw, _dropped),
    "added": lambda name, draw: _one_word(name, draw, _added),
    "swapped": lambda name, draw: _one_word(name, draw, _swapped),
}
OTHERWISE: Mapping[str, Way] = {
    "two-typos": _two,
    "middle-missing": _middle_missing,
    "middle-initial": _middle_initial,
    "joined": _joined,
    "transliterated": _spelt,
    "cyrillic": _cyrillic,
}

_FORM = re.compile(r"[,\s]+(?:LTDA?|LIMITED|INC|CORP|CO|LLC|S\.?A\.?S?|GMBH|CORPORATION|COMPANY)\.?$", re.IGNORECASE)


def _form_missing(name: str, _: random.Random) -> str:
    rest = _FORM.sub("", name)
    return rest if len(rest.split()) > 1 else ""


def _form_other(name: str, draw: random.Random) -> str:
    return _FORM.sub("", name) + draw.choice((" Ltd", " Limited", " Co., Ltd.", " LLC", ", Inc."))


def for_companies() -> tuple[Mapping[str, Way], ...]:
    """Return the variants for firms: clean, misspelt, other."""
    clean = {how: CLEAN[how] for how in ("case", "full-width", "invisible")}
    return clean, MISSPELT, {"form-missing": _form_missing, "form-other": _form_other, "joined": _joined}
