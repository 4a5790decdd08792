"""More list names, for a list of realistic size: new combinations of real words, and invented words."""

from __future__ import annotations

import random
from collections.abc import Sequence

from travelrule.screening.names import ListedName

SEED = 60_000
_ONSET_TEXT = "b ch d dr f g gh h j k kh kr l m n p q r s sh st t ts v w y z zh"
_ONSETS = _ONSET_TEXT.split()
_VOWELS = ("a", "a", "a", "e", "e", "i", "i", "o", "u", "aa", "ei", "ou")
_CODAS = ["", "", "", "", "n", "r", "l", "m", "s", "d", "b", "v"]
_NEW_WORD_SHARE = 0.22


def generated(names: Sequence[ListedName], count: int, seed: int = SEED) -> list[ListedName]:
    """Return so many names of entries that do not exist, in the proportion and length of the given ones."""
    draw = random.Random(seed)
    words = {kind: [word for name in names if name.kind == kind for word in _words(name)] for kind in _kinds(names)}
    made = []
    for number in range(count):
        model = draw.choice(names)
        size = max(1, len(_words(model)))
        parts = [_new(draw) if draw.random() < _NEW_WORD_SHARE else draw.choice(words[model.kind]) for _ in range(size)]
        made.append(ListedName("GENERATED", str(number), model.kind, " ".join(parts)))
    return made


def _kinds(names: Sequence[ListedName]) -> list[str]:
    return sorted({name.kind for name in names})


def _words(name: ListedName) -> list[str]:
    return name.name.replace(",", " ").split()


def _new(draw: random.Random) -> str:
    syllables = draw.randint(2, 4)
    return "".join(draw.choice(_ONSETS) + draw.choice(_VOWELS) + draw.choice(_CODAS) for _ in range(syllables)).title()
