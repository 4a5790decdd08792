"""Any text may be searched and listed: no crash, bounded time, steps that give way."""

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.benchmarks.generated_names import generated
from tests.benchmarks.name_labels import excerpt
from tests.support.effort import lines_of, lines_of_steps
from travelrule.screening.names import ListedName, NameIndex
from travelrule.screening.names.comparable_name import normalise
from travelrule.text.visible_text import CHARACTERS_KEPT, visible

SEARCH_LINES = 30_000
"""Lines of Python: a long name takes 6,000, the worst of these texts 11,000, an unbounded search far more."""

STEP_LINES = 60_000
"""The longest step of a build takes 28,000, an undivided build millions. The benchmarks measure milliseconds."""

LISTED = excerpt()
INDEX = NameIndex.build(LISTED)
INVISIBLE = "\u200b\u200c\u200d\u200e\u200f\u202a\u202e\u2060\u2066\u2069\ufeff\u00ad\u034f\u3164\ud800\x00\x1b"
LETTERS = st.characters() | st.sampled_from("aeiкт김정王ال é'.,&- ") | st.sampled_from(INVISIBLE)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " " * 10_000,
        "\u3000\u2003\u00a0\t\n" * 50,
        INVISIBLE * 600,
        "...,,,---'''" * 100,
        "😀🏴‍☠️" * 40,
        "\ud800\udfff" * 50,
    ],
)
def test_a_text_without_letters_matches_nothing(text: str) -> None:
    assert INDEX.search(text) == ()
    assert normalise(text, "person").words == ()


@pytest.mark.parametrize(
    "text",
    [
        "a" * 10_000,
        "MOHAMMED " * 1_200,
        "ali " * 2_500,
        "a b c d e f g h i j k l m n o p " * 320,
        "王" * 10_000,
        "김정은" * 3_400,
        "محمد" * 2_500,
        "ﷺ" * 10_000,
        "e" + "\u0301" * 9_999,
        "a." * 5_000,
        "s.a. de c.v. " * 800,
        "AL-" * 3_400,
        "abdul" * 2_000,
        "kim jong " * 1_100,
    ],
)
@pytest.mark.parametrize("kind", ["person", "organisation"])
def test_ten_thousand_characters_take_no_longer_than_a_long_name(text: str, kind: Any) -> None:
    assert lines_of(lambda: INDEX.search(text, kind)) < SEARCH_LINES
    assert sum(len(word) for word in normalise(text, kind).words) <= CHARACTERS_KEPT


@settings(max_examples=60, deadline=None)
@given(st.text(LETTERS, max_size=120))
def test_any_text_can_be_searched(text: str) -> None:
    found = []
    assert lines_of(lambda: found.extend(INDEX.search(text, threshold=0.6))) < SEARCH_LINES
    for match in found:
        assert 0.6 <= match.score <= 1
        assert match.reason


@settings(max_examples=40, deadline=None)
@given(st.lists(st.text(LETTERS, max_size=40), max_size=8))
def test_any_text_can_be_listed_and_is_found_by_itself(texts: list[str]) -> None:
    listed = [ListedName("OWN", str(number), "person", text) for number, text in enumerate(texts)]
    index = NameIndex.build(listed)
    assert len(index) == len(texts)
    for one in listed:
        if normalise(one.name, "person").words:
            matches = index.search(one.name, limit=100)
            assert max(match.score for match in matches) == 1
            assert one.entry_id in {match.entry_id for match in matches}


@settings(max_examples=40, deadline=None)
@given(st.sampled_from([name for name in LISTED if name.quality == "strong"]), st.randoms(use_true_random=False))
def test_invisible_characters_change_nothing(listed: ListedName, draw: random.Random) -> None:
    hidden = "".join(letter + draw.choice([*INVISIBLE, "", ""]) for letter in listed.name)
    assert normalise(hidden, listed.kind) == normalise(listed.name, listed.kind)
    assert INDEX.search(hidden, listed.kind) == INDEX.search(listed.name, listed.kind)


@given(st.text(LETTERS, max_size=2_000))
@settings(max_examples=40, deadline=None)
def test_what_is_visible_is_bounded_and_stays_so(text: str) -> None:
    shown = visible(text)
    assert len(shown) <= CHARACTERS_KEPT
    assert visible(shown) == shown


def test_a_snapshot_is_built_and_searched_in_short_steps() -> None:
    names = [*LISTED, *generated(LISTED, 7_000)]
    steps = lines_of_steps(NameIndex.build_in_steps(names))
    assert len(steps) > len(names) / 100
    assert max(steps) < STEP_LINES
    for text in ("MOHAMMED ALI HASSAN", "Jose Maria Garcia Lopez Hernandez", "al " * 3_000, "qwxz " * 2_000):
        assert max(lines_of_steps(INDEX.search_in_steps(text))) < STEP_LINES


def test_nothing_of_a_query_is_shown() -> None:
    assert "Wellington" not in repr(normalise("Barnaby Wellington", "person"))
