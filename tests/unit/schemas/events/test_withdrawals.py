from __future__ import annotations

import copy
from typing import Any

import pytest
from pydantic import ValidationError

from schemas.events.persons import NaturalPerson
from schemas.events.wallets import WalletRegistered
from schemas.events.withdrawals import Destination, OriginatorData, WithdrawalRequested
from schemas.field_faults import field_faults

REQUESTED: dict[str, Any] = {
    "withdrawalId": "w-1",
    "currency": "xrp",
    "amount": "250.50",
    "tradePrice": "150.30",
    "tradeCurrency": "USD",
    "isExceedingThreshold": True,
    "destination": {"kind": "vasp", "vaspEntityId": "south", "address": "rPEPPER", "tag": "77001"},
    "originator": {"customerId": "c-1001", "natural": {"lastName": "Berg", "firstName": "Anna"}},
    "beneficiary": {"natural": {"lastName": "Lind", "firstName": "Erik"}},
}


def faults_of(data: Any) -> set[tuple[str, str]]:
    with pytest.raises(ValidationError) as refused:
        WithdrawalRequested.model_validate(data)
    return {(fault.code, fault.path) for fault in field_faults(refused.value)}


def test_the_attributes_are_what_the_wire_said() -> None:
    requested = WithdrawalRequested.model_validate(REQUESTED)
    assert requested.withdrawal_id == "w-1"
    assert requested.currency == "XRP"
    assert requested.destination.vasp_entity_id == "south"
    assert requested.originator.account_number == "c-1001"
    assert requested.beneficiary.natural is not None
    assert requested.beneficiary.natural.first_name == "Erik"


def test_the_account_number_is_the_wallet_where_there_is_one() -> None:
    originator = OriginatorData.model_validate({**REQUESTED["originator"], "walletAddress": "rEb8:1001"})
    assert originator.account_number == "rEb8:1001"


def test_writing_keeps_the_names_of_the_wire_and_leaves_out_what_is_absent() -> None:
    assert WithdrawalRequested.model_validate(REQUESTED).to_wire() == {**REQUESTED, "currency": "XRP"}


def test_empty_text_empty_object_and_null_mean_absent() -> None:
    data = copy.deepcopy(REQUESTED)
    data["historicalCost"] = ""
    data["network"] = ""
    data["destination"] |= {"tag": "", "blockchain": None, "asset": ""}
    data["originator"] |= {"walletAddress": "", "legal": {}}
    data["originator"]["natural"] |= {"localLastName": "", "dateOfBirth": "", "address": {}}
    requested = WithdrawalRequested.model_validate(data)
    assert requested.destination.tag is None
    assert requested.to_wire() == {
        **REQUESTED,
        "currency": "XRP",
        "destination": {"kind": "vasp", "vaspEntityId": "south", "address": "rPEPPER"},
    }


def test_all_faults_are_reported_at_once_and_each_names_its_field() -> None:
    data = copy.deepcopy(REQUESTED)
    data["amount"] = 250.5
    data["tradeCurrency"] = "SEK"
    data["destination"] = {"kind": "unhosted", "address": "0x52"}
    data["beneficiary"] = {"natural": {"lastName": "L\x00"}}
    del data["tradePrice"]
    assert faults_of(data) == {
        ("WRONG_TYPE", "amount"),
        ("INVALID_VALUE", "tradeCurrency"),
        ("MISSING_FIELD", "tradePrice"),
        ("MISSING_FIELD", "destination.blockchain"),
        ("INVALID_TEXT", "beneficiary.natural.lastName"),
    }


@pytest.mark.parametrize("kind", ["vasp", "unhosted"])
def test_a_destination_has_what_its_kind_needs(kind: str) -> None:
    with pytest.raises(ValidationError):
        Destination.model_validate({"kind": kind, "address": "rPEPPER"})
    assert Destination.model_validate({"kind": "unknown", "address": "rPEPPER"}).kind == "unknown"


def test_the_tag_zero_is_a_tag() -> None:
    data = {**REQUESTED["destination"], "tag": "0"}
    assert Destination.model_validate(data).tag == "0"


def test_a_boolean_of_the_platform_is_not_guessed_from_text() -> None:
    assert faults_of({**REQUESTED, "isExceedingThreshold": "true"}) == {("WRONG_TYPE", "isExceedingThreshold")}


def test_a_person_known_by_a_local_name_only_is_a_person() -> None:
    person = NaturalPerson.model_validate({"localLastName": "김", "localFirstName": "서연"})
    assert person.last_name is None
    assert person.local_last_name == "김"


@pytest.mark.parametrize("model", [WithdrawalRequested, OriginatorData, NaturalPerson])
def test_what_holds_personal_data_does_not_show_it(model: type[Any]) -> None:
    data = {**REQUESTED, **REQUESTED["originator"], **REQUESTED["originator"]["natural"]}
    read = model.model_validate(data)
    shown = f"{read} {read!r} {[read]}"
    assert "Berg" not in shown
    assert "c-1001" not in shown


def test_an_error_does_not_show_what_was_sent() -> None:
    with pytest.raises(ValidationError) as refused:
        WithdrawalRequested.model_validate({**REQUESTED, "amount": "Anna Berg 1"})
    assert "Anna" not in str(refused.value)


def test_models_do_not_change() -> None:
    requested = WithdrawalRequested.model_validate(REQUESTED)
    with pytest.raises(ValidationError):
        requested.currency = "BTC"  # type: ignore[misc]


def test_a_wallet_reads_its_lists_and_its_owner() -> None:
    wallet = WalletRegistered.model_validate(
        {
            "walletId": "wal-1",
            "address": "rPEPPER",
            "tag": "77001",
            "currencies": ["xrp", "usdt"],
            "customerId": "c-1",
            "kyc": True,
            "owner": {"natural": {"lastName": "Lind"}},
        }
    )
    assert wallet.currencies == ("XRP", "USDT")
    assert wallet.networks == ()
    assert wallet.owner.natural is not None
