import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from travelrule.identity.normal_names import letters_only, normalise


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("O'Brien-Lee", "obrienlee"),
        ("Ann Marie", "annmarie"),
        ("로버트 반스", "로버트반스"),
        (unicodedata.normalize("NFD", "홍길동"), "홍길동"),
        ("García", "garcía"),
        ("Garci\u0301a", "garcía"),
        ("STRASSE", "strasse"),
        ("Straße", "strasse"),
        ("Σίσυφος", "σίσυφοσ"),
        ("ΑΘΗΝΑΣ", "αθηνασ"),
        ("Иванов-Петров", "ивановпетров"),
        ("राम", "राम"),  # vowel signs are marks: category M
        ("محمد", "محمد"),
        ("山田 太郎", "山田太郎"),
        ("3rd Lee Jr. 2", "rdleejr"),
        ("\u200bKim\u00a0", "kim"),
        ("12 34-!", ""),
        ("", ""),
    ],
)
def test_published_and_script_cases(text: str, expected: str) -> None:
    assert normalise(text) == expected


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=20))
def test_one_form_for_every_way_to_write_it(text: str) -> None:
    normal = normalise(text)
    assert normalise(normal) == normal
    assert normalise(unicodedata.normalize("NFD", text)) == normal
    assert normalise(unicodedata.normalize("NFC", text)) == normal
    assert all(unicodedata.category(letter)[0] in "LM" for letter in normal)


@settings(max_examples=50, deadline=None)
@given(st.text(st.characters(categories=["L"]), max_size=10))
def test_case_does_not_matter_and_no_letter_is_lost(text: str) -> None:
    assert normalise(text) == normalise(unicodedata.normalize("NFD", text).casefold())
    assert bool(normalise(text)) is bool(text)


def test_plain_letters_keep_their_case() -> None:
    assert letters_only("O'Brien-Lee 2") == "OBrienLee"
    assert letters_only("로버트 반스") == "로버트반스"
