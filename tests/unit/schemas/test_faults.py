from __future__ import annotations

import json
from typing import Annotated

import pytest
from pydantic import Field, ValidationError

from schemas.events.txids import WithdrawalMined
from schemas.events.wallets import WalletRegistered
from schemas.field_faults import CODES, FAULTS_MAX, FieldFault, field_faults
from schemas.hub.kyt import Annotation
from schemas.wire_model import Wire

SECRET = "Sofia-Holm-556000"


class Sample(Wire):
    """One field of each kind of fault that the real models do not show."""

    counts: dict[str, int] = Field(default_factory=dict)
    small: Annotated[int, Field(le=3)] = 0
    several_words: tuple[int, ...] = ()


def faults(model: type[Wire], data: object) -> list[FieldFault]:
    with pytest.raises(ValidationError) as refused:
        model.model_validate(data)
    return field_faults(refused.value)


class Noted(Wire):
    kept_notes: dict[str, Annotation]


def test_a_key_that_the_sender_made_up_is_not_part_of_the_path() -> None:
    (one,) = faults(Sample, {"counts": {SECRET: "x"}})
    assert one.path == "counts.*"
    (one,) = faults(Noted, {"keptNotes": {SECRET: 5}})
    assert one.path == "keptNotes.*"


def test_no_part_of_a_fault_repeats_what_was_sent() -> None:
    wrong = {
        "walletId": SECRET + "\n",
        "address": [SECRET],
        "currencies": {SECRET: SECRET},
        "networks": [SECRET + "\x00"],
        "customerId": SECRET * 50,
        "kyc": SECRET,
        "owner": {"natural": {"lastName": "Holm", "dateOfBirth": SECRET}, "legal": {"name": {SECRET: 1}}},
        SECRET: SECRET,
    }
    found = faults(WalletRegistered, wrong)
    assert {one.path for one in found} == {
        "walletId",
        "address",
        "currencies",
        "networks[0]",
        "customerId",
        "kyc",
        "owner.natural.dateOfBirth",
        "owner.legal.name",
    }
    assert SECRET not in repr(found)
    assert {one.code for one in found} <= CODES.keys()
    assert all(one.fix for one in found)


def test_indexes_stand_in_brackets() -> None:
    (one,) = faults(Sample, {"severalWords": [1, "x"]})
    assert (one.path, one.code) == ("severalWords[1]", "INVALID_VALUE")


def test_a_range_is_an_invalid_value() -> None:
    assert faults(Sample, {"small": 4})[0].code == "INVALID_VALUE"


@pytest.mark.parametrize("body", [b"", b"{", b"nonsense", b'{"withdrawalId":"\\ud800"}', b"\xff", b"[" * 100_000])
def test_what_is_not_json_is_a_fault_and_nothing_worse(body: bytes) -> None:
    with pytest.raises(ValidationError) as refused:
        WithdrawalMined.model_validate_json(body)
    (one,) = field_faults(refused.value)
    assert one == FieldFault("", "INVALID_JSON", "send one JSON object in UTF-8 without lone surrogates")


@pytest.mark.parametrize("body", [b"[]", b'"text"', b"5", b"null"])
def test_json_that_is_no_object_is_a_wrong_type(body: bytes) -> None:
    with pytest.raises(ValidationError) as refused:
        WithdrawalMined.model_validate_json(body)
    assert [(one.path, one.code) for one in field_faults(refused.value)] == [("", "WRONG_TYPE")]


def test_a_flood_of_faults_is_cut_off() -> None:
    assert len(faults(Sample, {"severalWords": ["x"] * 10_000})) == FAULTS_MAX


def test_codes_are_stable() -> None:
    assert json.dumps(sorted(CODES)) == json.dumps(
        ["EMPTY_VALUE", "INVALID_AMOUNT", "INVALID_DATE", "INVALID_JSON", "INVALID_TEXT", "INVALID_TIME",
         "INVALID_VALUE", "MISSING_FIELD", "TOO_LONG", "WRONG_TYPE"]
    )  # fmt: skip
