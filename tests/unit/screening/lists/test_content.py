"""The kept form: it comes back as it was, or not at all. Dates and countries as lists write them."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from travelrule.screening.lists.birth_dates import birth_date
from travelrule.screening.lists.countries import codes, country_code
from travelrule.screening.lists.list_content import ContentError, pack, unpack
from travelrule.screening.lists.list_entries import KINDS, QUALITIES, BirthDate, ListAddress, ListEntry, ListName
from travelrule.screening.lists.quoted_addresses import addresses_in

TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=20)
YEARS = st.integers(1000, 9999).map(str)
ENTRIES = st.builds(
    ListEntry,
    st.just("own"),
    TEXT,
    st.sampled_from(KINDS),
    st.lists(st.builds(ListName, TEXT, st.sampled_from(QUALITIES)), max_size=3).map(tuple),
    st.lists(st.builds(BirthDate, YEARS, YEARS, st.booleans()), max_size=2).map(tuple),
    st.lists(TEXT, max_size=2).map(tuple),
    st.lists(TEXT, max_size=2).map(tuple),
    st.lists(st.builds(ListAddress, TEXT, TEXT), max_size=2).map(tuple),
)


@settings(max_examples=60)
@given(st.lists(ENTRIES, max_size=5))
def test_entries_come_back_as_they_were(entries: list[ListEntry]) -> None:
    version, content = pack(entries)
    assert list(unpack("own", version, content)) == entries


def test_a_list_larger_than_a_block_comes_back() -> None:
    entries = [
        ListEntry("un", str(number), "person", (ListName(f"Jo {number} Doe", "primary"),)) for number in range(60_000)
    ]
    version, content = pack(entries)
    assert list(unpack("un", version, content)) == entries


ONE = pack([ListEntry("own", "1", "person", (ListName("Jo Doe", "primary"),))])


@pytest.mark.parametrize(
    "broken",
    [
        b"",
        b"not compressed",
        ONE[1][:-6],
        pack([])[1],
        pack([ListEntry("own", "2", "person", ())])[1],
    ],
    ids=["nothing", "other bytes", "cut", "no entries", "another version"],
)
def test_broken_content_is_not_taken_for_a_list(broken: bytes) -> None:
    with pytest.raises(ContentError):
        list(unpack("own", ONE[0], broken))


@pytest.mark.parametrize(
    ("text", "first", "last", "circa"),
    [
        ("21 Sep 1979", "1979-09-21", "1979-09-21", False),
        ("Sep 1979", "1979-09", "1979-09", False),
        ("1979", "1979", "1979", False),
        ("circa 1979", "1979", "1979", True),
        ("circa 1979-1982", "1979", "1982", True),
        ("1955 to 1957", "1955", "1957", False),
        ("01 Jan 1955 to 31 Dec 1957", "1955-01-01", "1957-12-31", False),
        ("Between 1958 and 1963", "1958", "1963", False),
        ("12 Apr. 1948", "1948-04-12", "1948-04-12", False),
        ("00/00/1965", "1965", "1965", False),
        ("dd/05/1965", "1965-05", "1965-05", False),
        ("1971-05-03T00:00:00Z", "1971-05-03", "1971-05-03", False),
    ],
)
def test_dates_as_lists_print_them(text: str, first: str, last: str, circa: bool) -> None:
    assert birth_date(text) == BirthDate(first, last, circa)


@pytest.mark.parametrize("text", ["", "31 Feb 1990", "1957 to 1955", "13/13/1970", "unknown", "0999", "9" * 5_000, "-"])
def test_what_is_no_date_is_none(text: str) -> None:
    assert birth_date(text) is None


def test_a_partial_date_spans_all_its_days() -> None:
    assert BirthDate("1979", "1979").earliest == date(1979, 1, 1)
    assert BirthDate("1979", "1979").latest == date(1979, 12, 31)
    assert BirthDate("1980-02", "1980-02").latest == date(1980, 2, 29)
    assert BirthDate("1979-12", "1979-12").latest == date(1979, 12, 31)
    assert BirthDate("1979-09-21", "1981").latest == date(1981, 12, 31)


def test_countries_by_name_and_code_and_what_is_unknown_as_it_is() -> None:
    assert [country_code(text) for text in ("Korea, North", "DRC", "ru", "The Gambia", "Türkiye")] == [
        "KP",
        "CD",
        "RU",
        "GM",
        "TR",
    ]
    assert country_code("Region: Crimea") == "Region: Crimea"
    assert all(len(code) == 2 and code.isupper() for code in codes().values())


def test_addresses_in_running_text_and_nothing_else() -> None:
    text = (
        "Wallets 12jVCWW1ZhTLA5yVnroEJswqKwsfiZKsax, TJRabPrwbZy45sbavfcjinPJC18kjpRTv8; "
        "bc1qsmv6lkrw65l30yazdqpdjjtwzpvk9f8gfh0cy7 (0x8589427373D6D84E98730D7795D8f6f8731FDA16). "
        "IBAN GB29NWBK60161331926819, account 40817810099910004312, 12jVCWW1ZhTLA5yVnroEJswqKwsfiZKsay, "
        "hash 0x" + "ab" * 32
    )
    assert list(addresses_in(text)) == [
        "12jVCWW1ZhTLA5yVnroEJswqKwsfiZKsax",
        "TJRabPrwbZy45sbavfcjinPJC18kjpRTv8",
        "bc1qsmv6lkrw65l30yazdqpdjjtwzpvk9f8gfh0cy7",
        "0x8589427373D6D84E98730D7795D8f6f8731FDA16",
    ]
