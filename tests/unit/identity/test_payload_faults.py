"""ivms101.md sections 1 to 4 and 7: every fault at once, by message and by network."""

import json
import os
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from tests.unit.identity.people import company, natural
from travelrule.identity.network_rules import clear_faults
from travelrule.identity.payload_faults import payload_faults
from travelrule.identity.required_data import FAULTS_MAX, Message, lacking

VASP = {
    "legalPerson": {
        "name": {"nameIdentifier": [{"legalPersonName": "North", "legalPersonNameIdentifierType": "LEGL"}]},
        "nationalIdentification": {
            "nationalIdentifier": "1",
            "nationalIdentifierType": "RAID",
            "registrationAuthority": "RA000657",
        },
        "countryOfRegistration": "SG",
    }
}
ANNA = natural(("Berg", "Anna"), born="1990-02-03")
ERIK = natural(("Lind", "Erik"))
REQUEST: dict[str, Any] = {
    "Originator": {"originatorPersons": [ANNA], "accountNumber": ["c-1"]},
    "Beneficiary": {"beneficiaryPersons": [ERIK], "accountNumber": ["addr:1"]},
    "OriginatingVASP": {"originatingVASP": VASP},
}
ANSWER = {**REQUEST, "BeneficiaryVASP": {"beneficiaryVASP": VASP}}
_NAME = "Originator.originatorPersons[0].naturalPerson"
_OV = "OriginatingVASP.originatingVASP.legalPerson"


def found(payload: Any, message: Message = "authorization-request", alliance: str = "code", **view: bool) -> set[str]:
    return {f"{fault.path} {fault.code}".strip() for fault in payload_faults(payload, message, alliance, **view)}


def changed(path: str, value: Any, base: dict[str, Any] | None = None) -> dict[str, Any]:
    """REQUEST with one place replaced (or removed: ``...``); numbers in the path are indexes."""
    payload = deepcopy(base or REQUEST)
    *way, last = [int(part) if part.isdigit() else part for part in path.split(".")]
    holder: Any = payload
    for part in way:
        holder = holder[part]
    if value is ...:
        del holder[last]
    else:
        holder[last] = value
    return payload


def test_good_messages_have_no_fault() -> None:
    assert found(REQUEST) == set()
    assert found(REQUEST, name_required=True) == set()
    assert found(ANSWER, "authorization-response") == set()
    assert found(ANSWER, "data-response") == set()
    assert (
        found({"Beneficiary": ANSWER["Beneficiary"], "BeneficiaryVASP": ANSWER["BeneficiaryVASP"]}, "data-request")
        == set()
    )
    assert found({"Beneficiary": {"accountNumber": ["a"]}}, "address-search") == set()


@pytest.mark.parametrize(
    ("message", "missing"),
    [
        ("address-search", {"Beneficiary"}),
        ("authorization-request", {"Originator", "Beneficiary", "OriginatingVASP"}),
        ("authorization-response", {"Originator", "Beneficiary", "OriginatingVASP", "BeneficiaryVASP"}),
        ("data-request", {"Beneficiary", "BeneficiaryVASP"}),
        ("data-response", {"Originator", "Beneficiary", "OriginatingVASP", "BeneficiaryVASP"}),
    ],
)
@pytest.mark.parametrize("absent", [None, "", {}, ...])
def test_objects_of_each_message(message: Message, missing: set[str], absent: Any) -> None:
    payload = {} if absent is ... else dict.fromkeys(missing, absent)
    assert found(payload, message) == {f"{name} MISSING_FIELD" for name in missing}
    assert {fault.path for fault in lacking(payload, message)} == missing


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        ("Originator.originatorPersons", ..., {"Originator.originatorPersons MISSING_FIELD"}),
        ("Originator.originatorPersons", [], {"Originator.originatorPersons MISSING_FIELD"}),
        ("Originator.originatorPersons", {}, {"Originator.originatorPersons MISSING_FIELD"}),
        ("Originator.originatorPersons", ANNA, {"Originator.originatorPersons WRONG_TYPE"}),
        ("Originator.accountNumber", ..., {"Originator.accountNumber MISSING_FIELD"}),
        ("Originator.accountNumber", [""], {"Originator.accountNumber[0] MISSING_FIELD"}),
        ("Originator.accountNumber", "addr", {"Originator.accountNumber WRONG_TYPE"}),
        ("Originator", "text", {"Originator WRONG_TYPE"}),
        ("Beneficiary.beneficiaryPersons", ..., set()),  # may be left out
        ("Beneficiary.accountNumber", [7], {"Beneficiary.accountNumber[0] WRONG_TYPE"}),
        ("Originator.originatorPersons.0.naturalPerson.name", ..., {f"{_NAME}.name MISSING_FIELD"}),
        (
            "Originator.originatorPersons.0.naturalPerson.name.nameIdentifier",
            [],
            {f"{_NAME}.name.nameIdentifier MISSING_FIELD"},
        ),
        (
            "Originator.originatorPersons.0.naturalPerson.name.nameIdentifier.0.nameIdentifierType",
            "LEGAL",
            {f"{_NAME}.name.nameIdentifier[0].nameIdentifierType INVALID_VALUE"},
        ),
        (
            "Originator.originatorPersons.0.naturalPerson.name.nameIdentifier.0.primaryIdentifier",
            "Berg 2",
            {f"{_NAME}.name.nameIdentifier[0].primaryIdentifier INVALID_NAME"},
        ),
        (
            "Originator.originatorPersons.0.naturalPerson.name.nameIdentifier.0.primaryIdentifier",
            "",
            {f"{_NAME}.name.nameIdentifier[0].primaryIdentifier MISSING_NAME"},
        ),
        (
            "Originator.originatorPersons.0.naturalPerson.name.localNameIdentifier",
            [{"primaryIdentifier": "베" * 101, "secondaryIdentifier": "", "nameIdentifierType": "LEGL"}],
            {f"{_NAME}.name.localNameIdentifier[0].primaryIdentifier TOO_LONG"},
        ),
        (
            "Originator.originatorPersons.0.naturalPerson.dateAndPlaceOfBirth",
            {"placeOfBirth": "Oslo"},
            {f"{_NAME}.dateAndPlaceOfBirth.dateOfBirth MISSING_FIELD"},
        ),
        (
            "Originator.originatorPersons.0.naturalPerson.dateAndPlaceOfBirth.dateOfBirth",
            "1990-02-30",
            {f"{_NAME}.dateAndPlaceOfBirth.dateOfBirth INVALID_DATE"},
        ),
        (
            "Originator.originatorPersons.0.naturalPerson.dateAndPlaceOfBirth.dateOfBirth",
            "19900203",
            {f"{_NAME}.dateAndPlaceOfBirth.dateOfBirth INVALID_DATE"},
        ),
        (
            "Originator.originatorPersons.0.naturalPerson.countryOfResidence",
            "NOR",
            {f"{_NAME}.countryOfResidence INVALID_VALUE"},
        ),
        (
            "Originator.originatorPersons.0.naturalPerson.countryOfResidence",
            "N1",
            {f"{_NAME}.countryOfResidence INVALID_VALUE"},
        ),
        (
            "Originator.originatorPersons.0.naturalPerson.customerIdentification",
            "c" * 51,
            {f"{_NAME}.customerIdentification TOO_LONG"},
        ),
        (
            "Originator.originatorPersons.0.naturalPerson.customerIdentification",
            "a\nb",
            {f"{_NAME}.customerIdentification SEVERAL_LINES"},
        ),
        (
            "Originator.originatorPersons.0.naturalPerson.geographicAddress",
            [{"addressType": "HOUSE", "addressLine": ["x" * 71], "postcode": "1" * 17}],
            {
                f"{_NAME}.geographicAddress[0].addressType INVALID_VALUE",
                f"{_NAME}.geographicAddress[0].addressLine[0] TOO_LONG",
                f"{_NAME}.geographicAddress[0].postcode TOO_LONG",
                f"{_NAME}.geographicAddress[0].country MISSING_FIELD",
                f"{_NAME}.geographicAddress[0].townName MISSING_FIELD",
            },
        ),
        (
            "Originator.originatorPersons.0.naturalPerson.nationalIdentification",
            {"nationalIdentifier": "1", "nationalIdentifierType": "LEIX", "registrationAuthority": "RA000657"},
            {f"{_NAME}.nationalIdentification.registrationAuthority UNEXPECTED_FIELD"},
        ),
        ("Originator.originatorPersons.0", {}, {"Originator.originatorPersons[0] NOT_ONE_PERSON"}),
        (
            "Originator.originatorPersons.0",
            {**ANNA, **company("Birch")},
            {"Originator.originatorPersons[0] NOT_ONE_PERSON", "Originator.originatorPersons MISSING_REPRESENTATIVE"},
        ),
        ("Originator.originatorPersons", [company("Birch")], {"Originator.originatorPersons MISSING_REPRESENTATIVE"}),
        ("Originator.originatorPersons", [ERIK, company("Birch")], {"Originator.originatorPersons WRONG_ORDER"}),
        (
            "Originator.originatorPersons",
            [company("A"), company("B"), ERIK],
            {"Originator.originatorPersons WRONG_ORDER"},
        ),
        ("Originator.originatorPersons", [company("Birch"), ERIK], set()),  # representatives need no birth date
        (
            "Originator.originatorPersons",
            [company("x" * 101), ERIK],
            {"Originator.originatorPersons[0].legalPerson.name.nameIdentifier[0].legalPersonName TOO_LONG"},
        ),
        ("OriginatingVASP.originatingVASP", ANNA, {"OriginatingVASP.originatingVASP.legalPerson MISSING_FIELD"}),
        ("OriginatingVASP.originatingVASP", {}, {"OriginatingVASP.originatingVASP MISSING_FIELD"}),
        ("OriginatingVASP.originatingVASP.legalPerson.nationalIdentification", ..., {f"{_OV} MISSING_FIELD"}),
        (
            "OriginatingVASP.originatingVASP.legalPerson.countryOfRegistration",
            ...,
            {f"{_OV}.countryOfRegistration MISSING_FIELD"},
        ),
        (
            "OriginatingVASP.originatingVASP.legalPerson.nationalIdentification.registrationAuthority",
            "RA65",
            {f"{_OV}.nationalIdentification.registrationAuthority INVALID_VALUE"},
        ),
        (
            "OriginatingVASP.originatingVASP.legalPerson.nationalIdentification.countryOfIssue",
            "SG",
            {f"{_OV}.nationalIdentification.countryOfIssue UNEXPECTED_FIELD"},
        ),
    ],
)
def test_one_fault(path: str, value: Any, expected: set[str]) -> None:
    told = payload_faults(changed(path, value), "authorization-request")
    assert {f"{fault.path} {fault.code}" for fault in told} == expected
    assert len(told) == len(expected)


def test_all_faults_at_once_and_no_value_in_any() -> None:
    payload = {
        "Originator": {"originatorPersons": [natural(("Secret7", "")), {}], "accountNumber": [""]},
        "Beneficiary": {"beneficiaryPersons": [company("Hidden" * 20)], "accountNumber": 5},
        "BeneficiaryVASP": {"beneficiaryVASP": {"legalPerson": {"name": "Concealed"}}},
    }
    told = payload_faults(payload, "authorization-response")
    assert {fault.code for fault in told} >= {
        "MISSING_FIELD", "INVALID_NAME", "NOT_ONE_PERSON", "TOO_LONG", "MISSING_REPRESENTATIVE", "WRONG_TYPE",
    }  # fmt: skip
    assert all(fault.path and fault.fix for fault in told)
    assert not any(word in str(told) for word in ("Secret", "Hidden", "Concealed"))


def test_blank_name_is_allowed_beside_a_local_one_only() -> None:
    local = natural(("", ""), local=(("홍", "길동"),), born="1990-02-03")
    assert found(changed("Originator.originatorPersons", [local])) == set()


def test_a_name_is_wanted_over_the_threshold() -> None:
    nameless = changed("Beneficiary.beneficiaryPersons", [])
    assert found(nameless) == set()
    assert found(nameless, name_required=True) == {"Beneficiary.beneficiaryPersons MISSING_FIELD"}


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("Originator.originatorPersons.0.naturalPerson.dateAndPlaceOfBirth", None),  # D18, D19
        ("Originator.originatorPersons.0.naturalPerson.geographicAddress", [{"addressType": "home", "country": "no"}]),
        ("Originator.originatorPersons.0.naturalPerson.customerIdentification", 7),
        ("Originator.originatorPersons.0.naturalPerson.name.nameIdentifier.0.primaryIdentifier", "Berg 2"),
        ("OriginatingVASP.originatingVASP.legalPerson.nationalIdentification", None),
    ],
)
def test_receivers_overlook_what_senders_should_not_send(path: str, value: Any) -> None:
    assert found(changed(path, value)) != set()
    assert found(changed(path, value), sending=False) == set()


BIRTH = "naturalPerson.dateAndPlaceOfBirth.dateOfBirth MISSING_FIELD"


@pytest.mark.parametrize(
    ("alliance", "sending", "expected"),
    [
        ("code", True, {f"Originator.originatorPersons[0].{BIRTH}"}),
        ("CODE", False, set()),
        ("sumsub", True, {f"Originator.originatorPersons[0].{BIRTH}"}),
        ("verifyvasp", False, set()),
        *[
            (name, sending, {f"Originator.originatorPersons[0].{BIRTH}", f"Beneficiary.beneficiaryPersons[0].{BIRTH}"})
            for name in ("GTR", "gtr")
            for sending in (True, False)
        ],
        (
            "Sygna",
            True,
            {
                f"Originator.originatorPersons[0].{BIRTH}",
                *(
                    f"Originator.originatorPersons[0].naturalPerson.{field} MISSING_FIELD"
                    for field in ("customerIdentification", "nationalIdentification", "geographicAddress")
                ),
            },
        ),
    ],
)
def test_rows_of_the_networks(alliance: str, sending: bool, expected: set[str]) -> None:
    payload = changed("Originator.originatorPersons", [ERIK])
    assert found(payload, alliance=alliance, sending=sending) == expected


def test_companies_need_no_birth_date_on_any_network() -> None:
    corporate = changed("Originator.originatorPersons", [company("Birch"), ERIK])
    corporate["Beneficiary"]["beneficiaryPersons"] = [company("Oak"), ERIK]
    assert found(corporate, alliance="gtr") == set()
    path = "Originator.originatorPersons[0].legalPerson"
    assert found(corporate, alliance="sygna") == {
        f"{path}.{field} MISSING_FIELD"
        for field in ("customerIdentification", "nationalIdentification", "geographicAddress")
    }


def test_data_request_to_another_network_carries_the_originator() -> None:
    request = {"Beneficiary": ANSWER["Beneficiary"], "BeneficiaryVASP": ANSWER["BeneficiaryVASP"]}
    for alliance in ("gtr", "sygna", "verifyvasp", "sumsub", "unheard-of"):
        assert "Originator MISSING_FIELD" in found(request, "data-request", alliance)
    for alliance in ("code", "CODE"):
        assert found(request, "data-request", alliance) == set()


def test_verifyvasp_has_the_vasp_outside_the_payload() -> None:
    payload = changed("OriginatingVASP", ...)
    assert found(payload, alliance="verifyvasp") == set()
    assert found(payload) == {"OriginatingVASP MISSING_FIELD"}


@pytest.mark.parametrize(
    ("message", "alliance", "tagged", "missing"),
    [
        ("authorization-request", "code", True, []),
        ("authorization-request", "GTR", False, ["address", "network"]),
        ("address-search", "gtr", True, ["address", "tag", "network"]),
        ("authorization-request", "verifyvasp", True, ["originatingVasp"]),
        ("address-search", "verifyvasp", True, []),
        ("data-request", "code", False, []),
        ("data-request", "sygna", False, ["currency", "network"]),
        ("authorization-request", "sygna", True, []),
    ],
)
def test_clear_fields(message: Message, alliance: str, tagged: bool, missing: list[str]) -> None:
    assert [fault.path for fault in clear_faults({}, message, alliance, tagged=tagged)] == missing
    assert clear_faults(dict.fromkeys(missing, "x"), message, alliance, tagged=tagged) == []
    assert len(clear_faults(dict.fromkeys(missing, ""), message, alliance, tagged=tagged)) == len(missing)


@pytest.mark.parametrize("payload", [None, [], "text", 5])
def test_what_is_no_object(payload: Any) -> None:
    assert [fault.code for fault in payload_faults(payload, "authorization-request")] == ["WRONG_TYPE"]


def test_a_flood_of_faults_is_cut() -> None:
    assert (
        len(payload_faults(changed("Originator.originatorPersons", [{}] * 5000), "authorization-request")) == FAULTS_MAX
    )


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        ("Originator.originatorPersons", [], ["Originator.originatorPersons"]),
        ("Originator.originatorPersons", [natural(("", ""))], ["Originator.originatorPersons"]),
        ("Originator.originatorPersons", [natural(("", ""), local=(("홍", ""),))], []),
        ("Originator.originatorPersons", [company("Birch"), ERIK], []),
        ("Originator.originatorPersons", [company("Birch")], ["Originator.originatorPersons"]),
        ("Originator.originatorPersons", [ERIK, company("Birch")], ["Originator.originatorPersons"]),
        ("Originator.accountNumber", [], ["Originator.accountNumber"]),
        ("Originator.accountNumber", [""], ["Originator.accountNumber"]),
        ("OriginatingVASP", {}, ["OriginatingVASP"]),
        ("OriginatingVASP", {"originatingVASP": None}, ["OriginatingVASP"]),
        ("Beneficiary", ..., ["Beneficiary"]),
        ("Beneficiary.accountNumber", None, ["Beneficiary.accountNumber"]),
        ("Beneficiary.beneficiaryPersons", [], []),  # the threshold decides, not this rule
        ("Beneficiary.beneficiaryPersons", [company("Birch")], ["Beneficiary.beneficiaryPersons"]),
        ("Originator.originatorPersons.0.naturalPerson.dateAndPlaceOfBirth", ..., []),
    ],
)
def test_lack_of_information(path: str, value: Any, expected: list[str]) -> None:
    assert [fault.path for fault in lacking(changed(path, value), "authorization-request")] == expected


@pytest.mark.shared
def test_published_examples_are_good() -> None:
    root = os.environ.get("TRAVELRULE_TEST_SHARED")
    if not root:
        pytest.fail("set TRAVELRULE_TEST_SHARED to the folder that holds protocol/ivms101")
    examples = sorted((Path(root) / "protocol" / "ivms101").glob("*example*.json"))
    assert len(examples) == 11
    for path in examples:
        payload = json.loads(path.read_text(encoding="utf-8"))
        for message in _messages_of(path.name):
            assert payload_faults(payload, message) == [], path.name
            assert payload_faults(payload, message, sending=False) == [], path.name
            assert lacking(payload, message) == [], path.name


def _messages_of(name: str) -> tuple[Message, ...]:
    if "address-search" in name:
        return ("address-search",)
    return ("authorization-request",) if "-request-" in name else ("authorization-response", "data-response")
