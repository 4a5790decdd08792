from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from schemas.ivms101 import Beneficiary, Ivms101, IvmsPayload, NaturalPersonNameId

DATA = Path(__file__).parents[2] / "data" / "ivms101"
WELL_FORMED = ["address-search", "authorization-request-natural", "authorization-response-legal"]


def plain_text(name: str) -> dict[str, Any]:
    read: dict[str, Any] = json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))
    return read


@pytest.mark.parametrize("name", WELL_FORMED)
def test_a_well_formed_message_comes_out_as_it_went_in(name: str) -> None:
    sent = plain_text(name)
    assert IvmsPayload.model_validate(sent).to_wire() == sent


def test_a_sloppy_message_is_read_as_what_it_means() -> None:
    read = IvmsPayload.model_validate(plain_text("sloppy-request")).ivms101
    assert read.to_wire() == {
        "Originator": {
            "originatorPersons": [
                {
                    "naturalPerson": {
                        "name": {
                            "nameIdentifier": [
                                {
                                    "primaryIdentifier": "Berg",
                                    "secondaryIdentifier": "",
                                    "nameIdentifierType": "LEGL",
                                }
                            ]
                        },
                        "geographicAddress": [
                            {"addressType": "HOME", "buildingNumber": "12", "postcode": "75320", "country": "SE"}
                        ],
                    }
                }
            ],
            "accountNumber": ["rEb8TK3gBgk5auZkwc6sHnwrGVJH8DuaLh:1001"],
        },
        "Beneficiary": {"beneficiaryPersons": [], "accountNumber": ["rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY:77001"]},
        "OriginatingVASP": {
            "originatingVASP": {
                "legalPerson": {
                    "name": {
                        "nameIdentifier": [
                            {"legalPersonName": "North Exchange AB", "legalPersonNameIdentifierType": "LEGL"}
                        ]
                    },
                    "customerIdentification": "n-1",
                    "countryOfRegistration": "SE",
                }
            }
        },
    }


@pytest.mark.parametrize("absent", ["", None, {}])
def test_each_entity_may_be_absent_in_three_ways(absent: Any) -> None:
    names = ("Originator", "Beneficiary", "OriginatingVASP", "BeneficiaryVASP")
    read = Ivms101.model_validate(dict.fromkeys(names, absent))
    assert read == Ivms101()
    assert read.to_wire() == {}


def test_birth_data_may_be_null() -> None:
    person: dict[str, Any] = {"naturalPerson": {"name": {"nameIdentifier": []}, "dateAndPlaceOfBirth": None}}
    read = Beneficiary.model_validate({"beneficiaryPersons": [person], "accountNumber": ["a"]})
    natural = read.beneficiary_persons[0].natural_person
    assert natural is not None
    assert natural.date_and_place_of_birth is None


def test_an_empty_person_list_is_written_only_where_the_protocol_sends_it() -> None:
    assert Beneficiary(account_number=("a:1",)).to_wire() == {"beneficiaryPersons": [], "accountNumber": ["a:1"]}


def test_a_blank_name_holds_its_place() -> None:
    blank = NaturalPersonNameId.model_validate({"primaryIdentifier": "", "nameIdentifierType": "LEGL"})
    assert blank.is_blank
    assert blank.to_wire() == {"primaryIdentifier": "", "secondaryIdentifier": "", "nameIdentifierType": "LEGL"}


def test_building_with_our_own_names_writes_the_names_of_the_wire() -> None:
    built = Ivms101(beneficiary=Beneficiary(account_number=("rPEPPER:1",)))
    assert built.to_wire() == {"Beneficiary": {"beneficiaryPersons": [], "accountNumber": ["rPEPPER:1"]}}


@pytest.mark.parametrize("body", [{}, {"ivms101": None}, {"ivms101": []}, {"ivms101": "text"}, []])
def test_a_payload_has_the_wrapper(body: Any) -> None:
    with pytest.raises(ValidationError):
        IvmsPayload.model_validate(body)


@pytest.mark.parametrize("bad", ["a\x00", "a\ud800", 1.5, {"a": 1}, ["a"]])
def test_a_value_that_is_no_text_is_refused(bad: Any) -> None:
    with pytest.raises(ValidationError):
        NaturalPersonNameId.model_validate({"primaryIdentifier": bad})


def test_booleans_and_numbers_are_read_as_their_text() -> None:
    read = NaturalPersonNameId.model_validate({"primaryIdentifier": True, "secondaryIdentifier": 5})
    assert (read.primary_identifier, read.secondary_identifier) == ("true", "5")
