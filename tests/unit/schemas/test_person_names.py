"""What is a name and what only looks like one: the definition, and the fields of events that it finds."""

from __future__ import annotations

import unicodedata
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from schemas.events.persons import Person
from schemas.events.wallets import WalletRegistered
from schemas.events.withdrawals import WithdrawalAmended
from schemas.person_names import BLANK_LETTERS, is_name, nameless_fields

UNSEEN = [
    "\u202e",  # right-to-left override
    "\u200f",
    "\ufeff",
    "\u200b",
    "\u2060\u00ad\u061c",
    "\u0301\u0308",  # marks without a letter
    "\u3164",  # Hangul filler: a letter by its category
    "\uffa0\u115f\u1160",
    "\U00013441",
    "\u2800",  # braille blank
    "\U000e0041\U000e007f",  # tag characters
    "\ufe0f",
    "\ue000",  # private use
    " \u00a0\u3000",
    "-",
    ".",
    "?!",
    "\U0001f600",  # emoji
    "\U0001f1f0\U0001f1f7",
    "\u00bd",
    "\u2460",  # circled digit
    "",
]


@pytest.mark.parametrize("text", UNSEEN, ids=ascii)
def test_what_nobody_can_read_or_look_up_is_no_name(text: str) -> None:
    assert not is_name(text)


@pytest.mark.parametrize(
    "text",
    [
        "Ng", "O'Brien-Lee", "X Æ A-12", "7", "李", "홍길동", "ㅎ", "محمد", "דוד", "Ωνάσης", "Čapek", "e\u0301",
        "अमित", "สมชาย", "ᚠ", "ー", "\u202eBerg", "\u200bLind\u200b", "٣", "𝐀𝐧𝐧𝐚", "3M", "ª",
    ],
)  # fmt: skip
def test_a_letter_of_any_script_or_a_digit_makes_a_name(text: str) -> None:
    assert is_name(text)


@given(st.text())
@example("\u3164")
@example("a\u0301")
def test_the_definition_holds_for_every_text(text: str) -> None:
    seen = [letter for letter in text if unicodedata.category(letter) in {"Lu", "Ll", "Lt", "Lm", "Lo", "Nd"}]
    assert is_name(text) == any(letter not in BLANK_LETTERS for letter in seen)


@given(st.lists(st.sampled_from(UNSEEN)).map("".join))
def test_no_number_of_unseen_characters_makes_a_name(text: str) -> None:
    assert not is_name(text)


RLO = "\u202e"
ANNA = {"lastName": "Berg", "firstName": "Anna"}


@pytest.mark.parametrize(
    ("person", "paths"),
    [
        ({"natural": ANNA}, []),
        ({"natural": {"lastName": RLO}}, ["owner.natural.lastName"]),
        ({"natural": {**ANNA, "firstName": "-"}}, ["owner.natural.firstName"]),
        (
            {"natural": {**ANNA, "localLastName": RLO, "localFirstName": "."}},
            ["owner.natural.localLastName", "owner.natural.localFirstName"],
        ),
        ({"legal": {"name": RLO}}, ["owner.legal.name"]),
        ({"legal": {"name": "Birch", "localName": RLO}}, ["owner.legal.localName"]),
        (
            {"legal": {"name": "Birch", "representatives": [ANNA, {"lastName": RLO}]}},
            ["owner.legal.representatives[1].lastName"],
        ),
    ],
)
def test_the_field_is_named_at_any_depth(person: dict[str, Any], paths: list[str]) -> None:
    wallet = WalletRegistered(
        wallet_id=RLO, address="a", currencies=("BTC",), customer_id=RLO, kyc=True, owner=Person.model_validate(person)
    )
    assert list(nameless_fields(wallet)) == paths, "ids are no names"


def test_what_is_absent_is_not_named() -> None:
    amended = WithdrawalAmended.model_validate({"withdrawalId": "w", "beneficiary": {"natural": ANNA}})
    assert list(nameless_fields(amended)) == []
