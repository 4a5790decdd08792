"""ivms101.md section 5, the receiver's side, rule by rule."""

import itertools
import unicodedata
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.events.persons import Person
from tests.unit.identity.people import company, firm, natural, owner, sent
from travelrule.identity.name_comparison import (
    NameResult,
    RepresentativeRule,
    birth_date_differs,
    compare_beneficiary,
    compare_with_stored,
    is_first_party,
    named_party,
    party_kind,
)

LEE = owner("Lee", "Eugene", localLastName="이", localFirstName="유진")


@pytest.mark.parametrize(
    ("person", "result"),
    [
        (natural(("Lee", "Eugene")), "match"),  # step 1
        (natural(("Eugene", "Lee")), "match"),  # step 2
        (natural(("LeeEugene", "")), "match"),  # full name in primary
        (natural(("EUGENE  LEE", "")), "match"),
        (natural(("", ""), local=(("이", "유진"),)), "match"),  # step 3
        (natural(("", ""), local=(("유진", "이"),)), "match"),  # step 4
        (natural(("이유진", "")), "match"),  # Korean swap: local name in nameIdentifier
        (natural(("Wrong", "Name"), local=(("이 유진", ""),)), "match"),
        (natural(("Wrong", "Name"), ("Lee", "Eugene")), "match"),  # any entry may hit
        (natural(("Wrong", "Name"), local=(("Wrong", ""), ("이", "유진"))), "match"),
        (natural((unicodedata.normalize("NFD", "이유진"), "")), "match"),
        (natural(("Lee", "Eugen")), "different"),
        (natural(("Lee", "")), "different"),
        (natural(("Lee", "유진")), "different"),  # halves of two names are no name
        (natural(("EugeneLeeLee", "")), "different"),
        (natural(("", "")), "missing"),
        (natural(("", "Eugene Lee")), "missing"),  # secondary counts only beside a primary
        (natural((" ", "Eugene Lee")), "missing"),
        (natural(("...", "")), "missing"),
        (natural(), "missing"),
        ({"naturalPerson": {}}, "missing"),
        ({"naturalPerson": {"name": None}}, "missing"),
        ({"naturalPerson": {"name": {"nameIdentifier": {"primaryIdentifier": "Lee Eugene"}}}}, "match"),
        ({}, "missing"),
        (company("Lee Eugene"), "different"),  # a company is not this person, whatever its name
    ],
)
def test_natural_owner(person: dict[str, Any], result: NameResult) -> None:
    assert compare_beneficiary(sent(person), LEE) == result


def test_nobody_named_is_missing_and_everybody_named_must_be_known() -> None:
    assert compare_beneficiary([], LEE) == "missing"
    assert compare_beneficiary(sent(natural(("Lee", "Eugene")), natural(("", ""))), LEE) == "match"
    assert compare_beneficiary(sent(natural(("Lee", "Eugene")), natural(("Kim", "Code"))), LEE) == "different"
    assert compare_beneficiary(sent(natural(("Lee", "Eugene")), natural(("이유진", ""))), LEE) == "match"


def test_an_owner_stored_unseparated_cannot_be_turned_round() -> None:
    # The published reason why names must be stored separated.
    assert compare_beneficiary(sent(natural(("LeeEugene", ""))), owner("EugeneLee")) == "different"
    assert compare_beneficiary(sent(natural(("Eugene", "Lee"))), owner("EugeneLee")) == "match"


def test_an_owner_whose_name_is_nothing_never_matches() -> None:
    assert compare_beneficiary(sent(natural(("Lee", "Eugene"))), owner("--")) == "different"
    assert compare_beneficiary(sent(natural(("--", ""))), owner("--")) == "missing"


@settings(max_examples=60, deadline=None)
@given(
    last=st.text(st.characters(categories=["L"]), min_size=1, max_size=8),
    first=st.text(st.characters(categories=["L"]), max_size=8),
    noise=st.text(" .-'0123456789", max_size=4),
)
def test_order_noise_and_case_never_matter(last: str, first: str, noise: str) -> None:
    known = owner(last, first or None)
    for primary, secondary in ((last, first), (last + noise + first, ""), (noise + last.casefold(), first)):
        assert compare_beneficiary(sent(natural((primary, secondary))), known) == "match"
    if first:
        assert compare_beneficiary(sent(natural((first, last))), known) == "match"


BIRCH = ("Moreau", "Claire"), ("Weiss", "Tom")


@pytest.mark.parametrize(
    ("persons", "known", "rule", "result"),
    [
        ([company("Birch Ltd."), natural(*BIRCH[:1])], firm("Birch Ltd.", BIRCH[0]), "all", "match"),
        ([company("BIRCH LTD"), natural(("Claire", "Moreau"))], firm("Birch Ltd.", BIRCH[0]), "all", "match"),
        ([company("Birch"), natural(BIRCH[0])], firm("Birch Ltd.", BIRCH[0]), "all", "match"),
        ([company("Birch Inc."), natural(BIRCH[0])], firm("Birch", BIRCH[0]), "all", "match"),
        ([company("Oak Ltd."), natural(BIRCH[0])], firm("Birch Ltd.", BIRCH[0]), "all", "different"),
        ([company("Birch Ltd."), natural(("Kim", "Code"))], firm("Birch Ltd.", BIRCH[0]), "all", "different"),
        # n of n with the same count, in any order
        ([company("Birch"), natural(BIRCH[1]), natural(BIRCH[0])], firm("Birch", *BIRCH), "all", "match"),
        ([company("Birch"), natural(BIRCH[0])], firm("Birch", *BIRCH), "all", "different"),
        ([company("Birch"), natural(BIRCH[0]), natural(BIRCH[0])], firm("Birch", *BIRCH), "all", "different"),
        ([company("Birch"), *map(natural, BIRCH)], firm("Birch", BIRCH[0]), "all", "different"),
        # at least one
        ([company("Birch"), natural(BIRCH[1])], firm("Birch", *BIRCH), "any", "match"),
        ([company("Birch"), natural(("Kim", "Code")), natural(BIRCH[1])], firm("Birch", *BIRCH), "any", "match"),
        ([company("Birch"), natural(("Kim", "Code"))], firm("Birch", *BIRCH), "any", "different"),
        ([company("Birch"), natural(BIRCH[1])], firm("Birch"), "any", "different"),
        # missing
        ([company("Birch")], firm("Birch", *BIRCH), "all", "missing"),
        ([company("Birch")], firm("Birch", *BIRCH), "any", "missing"),
        ([company("Birch")], firm("Birch"), "all", "missing"),  # nobody to compare is not "all of them"
        ([company("Oak")], firm("Birch", *BIRCH), "all", "different"),
        ([company(""), natural(BIRCH[0])], firm("Birch", BIRCH[0]), "all", "missing"),
        ([company(""), natural(("Kim", "Code"))], firm("Birch", BIRCH[0]), "all", "different"),
        ([company("")], firm("Birch", BIRCH[0]), "all", "missing"),
        ([natural(BIRCH[0])], firm("Birch", BIRCH[0]), "any", "different"),  # a person is not the company
        (
            [company("Wrong", local=("버치",)), natural(BIRCH[0])],
            firm("Birch", BIRCH[0], localName="버치"),
            "all",
            "match",
        ),
        ([company("주식회사 버치"), natural(BIRCH[0])], firm("Birch", BIRCH[0], localName="버치"), "all", "match"),
    ],
)
def test_legal_owner(
    persons: Sequence[dict[str, Any]], known: Person, rule: RepresentativeRule, result: NameResult
) -> None:
    assert compare_beneficiary(sent(*persons), known, rule) == result


def test_nobody_counts_for_two_representatives() -> None:
    # "Kim" fits both registered people, "Kim Bora" only one of them: greedy matching would fail in one order.
    known = firm("Birch", ("Kim", "Bora"), ("Kim", "Aram"))
    both = natural(("Kim Bora", ""), ("Kim Aram", ""))
    for order in itertools.permutations((both, natural(("Kim", "Bora")))):
        assert compare_beneficiary(sent(company("Birch"), *order), known) == "match"


def test_a_company_anywhere_makes_it_corporate() -> None:
    assert party_kind(sent(natural(("Lee", "")), company("Birch"))) == "legal"
    assert party_kind(sent(natural(("Lee", "")))) == "natural"
    assert party_kind([]) is None
    assert party_kind(sent({})) is None


@pytest.mark.parametrize(
    ("persons", "stored", "result"),
    [
        ([natural(("Lee", "Eugene"))], [natural(("Eugene", "Lee"))], "match"),
        ([natural(("Lee", "Eugene"))], [natural(("Lee", "Eugenia"))], "different"),
        ([natural(("Lee", "Eugene"))], [natural(("", ""), local=(("Lee", "Eugene"),))], "match"),
        ([natural(("Lee", "Eugene"))], [], "missing"),
        ([natural(("Lee", "Eugene"))], [natural(("", ""))], "missing"),
        ([], [natural(("Lee", "Eugene"))], "missing"),
        ([company("Birch Ltd"), natural(BIRCH[0])], [company("Birch"), natural(BIRCH[0])], "match"),
        ([natural(BIRCH[0])], [company("Birch"), natural(BIRCH[0])], "different"),
    ],
)
def test_name_on_a_stored_authorization(
    persons: Sequence[dict[str, Any]], stored: Sequence[dict[str, Any]], result: NameResult
) -> None:
    assert compare_with_stored(named_party(sent(*persons)), sent(*stored)) == result


def test_first_party_needs_all_three_names_equal() -> None:
    me, other = sent(natural(("Lee", "Eugene"))), sent(natural(("Kim", "Code")))
    assert is_first_party(me, sent(natural(("이유진", ""))), LEE)
    assert not is_first_party(other, me, LEE)
    assert not is_first_party(me, other, LEE)
    assert not is_first_party(other, other, LEE)
    assert not is_first_party(me, [], LEE)


@pytest.mark.parametrize(
    ("born", "differs"),
    [
        ("1990-02-03", False),
        ("1990-02-03T00:00:00Z", False),
        (None, False),
        ("1990-03-02", True),
        ("3 February 1990", True),
    ],
)
def test_birth_dates(born: str | None, differs: bool) -> None:
    known = owner("Lee", "Eugene", dateOfBirth="1990-02-03")
    assert birth_date_differs(sent(natural(("Lee", "Eugene"), born=born)), known) is differs
    assert not birth_date_differs(sent(natural(("Lee", "Eugene"), born=born)), LEE)
    assert not birth_date_differs(sent(company("Birch")), firm("Birch"))
