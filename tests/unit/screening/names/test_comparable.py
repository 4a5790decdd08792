"""What is a name can be looked for in the lists: otherwise nothing found would mean nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.person_names import is_name
from travelrule.screening.names import KINDS, is_comparable


@pytest.mark.parametrize("text", ["\u202e", "\u200f", "\ufeff", "\u200b", "\u3164", "\u0301", "-", "", " "], ids=ascii)
def test_what_is_no_name_cannot_be_compared(text: str) -> None:
    assert not any(is_comparable(text, kind) for kind in (*KINDS, None))


RANGES = ("AZ", "az", "09", "\u00c0\u00d6", "\u00df\u00f6", "\u0391\u03a1", "\u0430\u0449", "\u0915\u0939")
RANGES += ("\u0628\u063a", "\u05d1\u05d8", "\u3042\u3093", "\u4e00\u9fa5", "\uac00\ud7a3", "\u0e01\u0e2e")
LETTERS = st.one_of([st.characters(min_codepoint=ord(one[0]), max_codepoint=ord(one[1])) for one in RANGES])


AIN = "\u0639"


@given(st.text(LETTERS.filter(is_name), min_size=1, max_size=20).filter(lambda text: set(text) != {AIN}))
def test_names_in_the_scripts_of_the_lists_can_be_compared(text: str) -> None:
    assert all(is_comparable(text, kind) for kind in KINDS)


def test_letters_whose_sound_is_not_known_are_a_name_that_nobody_looked_for() -> None:
    """A character that the transliteration does not know: such a name is held, not taken for clean."""
    assert is_name("\U0002bb82")
    assert is_name(AIN)
    assert not is_comparable(AIN, "person"), "alone it has no sound in Latin letters"
    assert not is_comparable("\U0002bb82", "person")
    assert is_comparable("Zhang \U0002bb82", "person")
