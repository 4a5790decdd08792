"""ivms101.md sections 1, 4 and 5: what each message carries."""

from copy import deepcopy
from typing import Any

import pytest

from schemas.events.persons import Person
from schemas.events.withdrawals import WithdrawalRequested
from schemas.ivms101 import Ivms101
from travelrule.identity.name_comparison import compare_beneficiary
from travelrule.identity.payload_faults import payload_faults
from travelrule.identity.payloads import (
    address_payload,
    answer_payload,
    authorization_payload,
    beneficiary_vasp,
    data_answer_payload,
    data_request_payload,
    originating_vasp,
    with_clear_vasp,
)
from travelrule.identity.profile import VaspProfile

PROFILE = VaspProfile.from_toml(
    'legal_name = "North Exchange Ltd."\ncountry_of_registration = "SG"\n'
    '[address]\ntown = "Singapore"\nlines = ["1 Example Road"]\ncountry = "SG"'
)
ANNA = {
    "lastName": "Berg",
    "firstName": "Anna Maria",
    "localLastName": "베르크",
    "localFirstName": "안나 마리아",
    "dateOfBirth": "1990-02-03",
    "placeOfBirth": "Oslo",
    "countryOfResidence": "NO",
    "nationalIdentification": {"identifier": "N-77", "type": "CCPT", "country": "NO"},
    "address": {"type": "HOME", "lines": ["1 Example Street"], "town": "Oslo", "postcode": "0150", "country": "NO"},
}
BIRCH = {
    "name": "Birch Trading Ltd.",
    "localName": "버치 무역",
    "countryOfRegistration": "GB",
    "nationalIdentification": {"identifier": "BT-778812", "type": "RAID", "country": "GB", "authority": "RA000585"},
    "address": {"type": "GEOG", "town": "London", "country": "GB"},
    "representatives": [
        {"lastName": "Moreau", "firstName": "Claire", "dateOfBirth": "1980-01-01"},
        {"lastName": "Weiss", "localLastName": "바이스", "address": {"type": "HOME", "country": "GB"}},
    ],
}
XRP = "rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY"


def withdrawal(
    originator: dict[str, Any] | None = None, beneficiary: dict[str, Any] | None = None, **destination: Any
) -> WithdrawalRequested:
    return WithdrawalRequested.model_validate(
        {
            "withdrawalId": "w-1",
            "currency": "XRP",
            "amount": "250.5",
            "tradePrice": "150.30",
            "tradeCurrency": "USD",
            "isExceedingThreshold": True,
            "destination": {"kind": "vasp", "vaspEntityId": "south", "address": XRP, **destination},
            "originator": {"customerId": "c-1001", **(originator or {"natural": ANNA})},
            "beneficiary": beneficiary or {"natural": {"lastName": "Lind", "firstName": "Erik"}},
        }
    )


def entry(primary: str, secondary: str = "") -> dict[str, str]:
    return {"primaryIdentifier": primary, "secondaryIdentifier": secondary, "nameIdentifierType": "LEGL"}


def firm(name: str) -> dict[str, str]:
    return {"legalPersonName": name, "legalPersonNameIdentifierType": "LEGL"}


def test_address_search_names_nobody() -> None:
    assert address_payload(XRP, "77001") == {
        "Beneficiary": {"beneficiaryPersons": [], "accountNumber": [f"{XRP}:77001"]}
    }
    assert address_payload(XRP, None)["Beneficiary"]["accountNumber"] == [XRP]
    assert payload_faults(address_payload(XRP, None), "address-search") == []


def test_natural_person_whole() -> None:
    payload = authorization_payload(withdrawal(tag="77001"), PROFILE)
    assert payload == {
        "Originator": {
            "originatorPersons": [
                {
                    "naturalPerson": {
                        "name": {
                            "nameIdentifier": [entry("Berg", "Anna Maria")],
                            "localNameIdentifier": [entry("베르크", "안나 마리아")],
                        },
                        "geographicAddress": [
                            {
                                "addressType": "HOME",
                                "addressLine": ["1 Example Street"],
                                "postcode": "0150",
                                "townName": "Oslo",
                                "country": "NO",
                            }
                        ],
                        "nationalIdentification": {
                            "nationalIdentifier": "N-77",
                            "nationalIdentifierType": "CCPT",
                            "countryOfIssue": "NO",
                        },
                        "customerIdentification": "c-1001",
                        "dateAndPlaceOfBirth": {"dateOfBirth": "1990-02-03", "placeOfBirth": "Oslo"},
                        "countryOfResidence": "NO",
                    }
                }
            ],
            "accountNumber": ["c-1001"],
        },
        "Beneficiary": {
            "beneficiaryPersons": [{"naturalPerson": {"name": {"nameIdentifier": [entry("Lind", "Erik")]}}}],
            "accountNumber": [f"{XRP}:77001"],
        },
        "OriginatingVASP": originating_vasp(PROFILE),
    }
    assert payload_faults(payload, "authorization-request") == []
    assert payload_faults(payload, "authorization-request", "sygna") == []


def test_legal_person_first_then_named_representatives() -> None:
    payload = authorization_payload(withdrawal({"legal": BIRCH}, {"legal": BIRCH}), PROFILE)
    company, claire, weiss = payload["Originator"]["originatorPersons"]
    assert company == {
        "legalPerson": {
            "name": {
                "nameIdentifier": [firm("Birch Trading Ltd.")],
                "localNameIdentifier": [firm("버치 무역")],
            },
            "geographicAddress": [{"addressType": "GEOG", "townName": "London", "country": "GB"}],
            "nationalIdentification": {
                "nationalIdentifier": "BT-778812",
                "nationalIdentifierType": "RAID",
                "registrationAuthority": "RA000585",
            },
            "customerIdentification": "c-1001",
            "countryOfRegistration": "GB",
        }
    }
    # Nothing but the name of a representative is required, so nothing else leaves.
    assert claire == {"naturalPerson": {"name": {"nameIdentifier": [entry("Moreau", "Claire")]}}}
    assert weiss["naturalPerson"]["name"] == {
        "nameIdentifier": [entry("Weiss")],
        "localNameIdentifier": [entry("바이스")],
    }
    assert "customerIdentification" not in payload["Beneficiary"]["beneficiaryPersons"][0]["legalPerson"]
    for network in ("code", "gtr", "sygna"):
        assert payload_faults(payload, "authorization-request", network) == []


@pytest.mark.parametrize(
    ("person", "both_korean", "expected"),
    [
        (
            ANNA,
            True,
            {"nameIdentifier": [entry("베르크", "안나마리아")], "localNameIdentifier": [entry("Berg", "AnnaMaria")]},
        ),
        ({"localLastName": "홍", "localFirstName": "길동"}, True, {"nameIdentifier": [entry("홍", "길동")]}),
        ({"lastName": "Berg", "firstName": "Anna"}, True, {"nameIdentifier": [entry("Berg", "Anna")]}),
        (
            {"localLastName": "홍", "localFirstName": "길동"},
            False,
            {"nameIdentifier": [entry("")], "localNameIdentifier": [entry("홍", "길동")]},
        ),
        ({"lastName": "O'Brien-Lee", "firstName": "Ann"}, False, {"nameIdentifier": [entry("O'Brien-Lee", "Ann")]}),
        ({"lastName": "O'Brien-Lee", "firstName": "Ann"}, True, {"nameIdentifier": [entry("OBrienLee", "Ann")]}),
    ],
)
def test_where_names_go(person: dict[str, Any], both_korean: bool, expected: dict[str, Any]) -> None:
    payload = authorization_payload(withdrawal(beneficiary={"natural": person}), PROFILE, both_korean)
    [sent] = payload["Beneficiary"]["beneficiaryPersons"]
    assert sent["naturalPerson"]["name"] == expected
    assert payload_faults(payload, "authorization-request") == []


def test_names_to_korea_are_plain_but_not_swapped_unless_both_are_korean() -> None:
    payload = authorization_payload(withdrawal(), PROFILE, to_korea=True)
    assert payload["Originator"]["originatorPersons"][0]["naturalPerson"]["name"] == {
        "nameIdentifier": [entry("Berg", "AnnaMaria")],
        "localNameIdentifier": [entry("베르크", "안나마리아")],
    }


def test_company_names_are_swapped_among_koreans() -> None:
    payload = authorization_payload(withdrawal({"legal": BIRCH}), PROFILE, both_korean=True)
    assert payload["Originator"]["originatorPersons"][0]["legalPerson"]["name"] == {
        "nameIdentifier": [firm("버치 무역")],
        "localNameIdentifier": [firm("Birch Trading Ltd.")],
    }


def test_own_wallet_is_the_account_number_and_a_long_customer_id_is_left_out() -> None:
    payload = authorization_payload(
        withdrawal({"natural": ANNA, "walletAddress": f"{XRP}:1001", "customerId": "c" * 51}), PROFILE
    )
    assert payload["Originator"]["accountNumber"] == [f"{XRP}:1001"]
    assert "customerIdentification" not in payload["Originator"]["originatorPersons"][0]["naturalPerson"]


def test_lei_is_sent_without_registration_authority() -> None:
    legal = {**BIRCH, "nationalIdentification": {"identifier": "L", "type": "LEIX", "authority": "RA000585"}}
    payload = authorization_payload(withdrawal({"legal": legal}), PROFILE)
    assert payload["Originator"]["originatorPersons"][0]["legalPerson"]["nationalIdentification"] == {
        "nationalIdentifier": "L",
        "nationalIdentifierType": "LEIX",
    }


@pytest.mark.parametrize("both_korean", [False, True])
@pytest.mark.parametrize("person", [{"natural": ANNA}, {"legal": BIRCH}])
def test_what_we_send_is_what_we_would_accept(person: dict[str, Any], both_korean: bool) -> None:
    payload = authorization_payload(withdrawal(person, person), PROFILE, both_korean)
    read = Ivms101.model_validate(payload)
    owner = Person.model_validate(person)
    assert read.beneficiary
    assert read.originator
    assert compare_beneficiary(read.beneficiary.beneficiary_persons, owner) == "match"
    assert compare_beneficiary(read.originator.originator_persons, owner) == "match"


REQUEST = {
    **authorization_payload(withdrawal(), PROFILE),
    "x-other": {"kept": [1, None, ""]},
}
REQUEST["Beneficiary"]["x-more"] = "kept"


@pytest.mark.parametrize("verified", [True, False])
def test_answer_copies_the_request_whole_and_adds_who_we_are(verified: bool) -> None:
    before = deepcopy(REQUEST)
    answer = answer_payload(REQUEST, PROFILE, verified=verified)
    assert answer == {**before, "BeneficiaryVASP": beneficiary_vasp(PROFILE)}
    assert before == REQUEST
    assert payload_faults(answer_payload(REQUEST, PROFILE, verified=verified), "authorization-response") == []


def test_a_deeply_nested_unknown_field_is_copied_too() -> None:
    nested: list[Any] = []
    for _ in range(5_000):
        nested = [nested]
    assert answer_payload({**REQUEST, "x-deep": nested}, PROFILE, verified=True)["x-deep"] is nested


OWNER = Person.model_validate({"natural": {**ANNA, "lastName": "Realname"}})


def test_a_refusal_never_tells_owner_data() -> None:
    nameless = {**REQUEST, "Beneficiary": {"beneficiaryPersons": [], "accountNumber": [XRP]}}
    for request in (REQUEST, nameless):
        answer = answer_payload(request, PROFILE, verified=False, customer_id="own-1", owner=OWNER)
        assert answer == {**request, "BeneficiaryVASP": beneficiary_vasp(PROFILE)}
        assert "own-1" not in str(answer)
        assert "Realname" not in str(answer)


def test_a_verified_answer_may_be_completed() -> None:
    before = deepcopy(REQUEST)
    answer = answer_payload(REQUEST, PROFILE, verified=True, customer_id="own-1", owner=OWNER)
    assert before == REQUEST
    assert {**answer, "Beneficiary": ..., "BeneficiaryVASP": ...} == {
        **REQUEST,
        "Beneficiary": ...,
        "BeneficiaryVASP": ...,
    }
    [person] = answer["Beneficiary"]["beneficiaryPersons"]
    assert person["naturalPerson"]["customerIdentification"] == "own-1"
    assert person["naturalPerson"]["name"] == {"nameIdentifier": [entry("Lind", "Erik")]}  # as sent, not as known
    nameless = {**REQUEST, "Beneficiary": {"accountNumber": [XRP]}}
    [person] = answer_payload(nameless, PROFILE, verified=True, owner=OWNER)["Beneficiary"]["beneficiaryPersons"]
    assert list(person["naturalPerson"]) == ["name"]  # no birth date, no home address
    assert person["naturalPerson"]["name"]["nameIdentifier"] == [entry("Realname", "Anna Maria")]


@pytest.mark.parametrize("beneficiary", [None, "", [], {"beneficiaryPersons": "x"}, {"beneficiaryPersons": ["x"]}])
def test_an_odd_beneficiary_is_copied_as_it_is(beneficiary: Any) -> None:
    answer = answer_payload({"Beneficiary": beneficiary}, PROFILE, verified=True, customer_id="own-1")
    assert answer["Beneficiary"] == beneficiary


def test_a_given_customer_id_is_not_replaced_and_a_long_one_not_added() -> None:
    persons = [{"naturalPerson": {"name": {}, "customerIdentification": "theirs"}}]
    answer = answer_payload({"Beneficiary": {"beneficiaryPersons": persons}}, PROFILE, verified=True, customer_id="own")
    assert answer["Beneficiary"]["beneficiaryPersons"] == persons
    bare: dict[str, Any] = {"Beneficiary": {"beneficiaryPersons": [{"legalPerson": {"name": {}}}]}}
    assert answer_payload(bare, PROFILE, verified=True, customer_id="c" * 51)["Beneficiary"] == bare["Beneficiary"]


@pytest.mark.parametrize(
    "clear",
    [
        None,
        {},
        "",
        "text",
        [],
        {"originatingVASP": None},
        {"originatingVASP": {"legalPerson": {}}},
        {"legalPerson": {"name": {"nameIdentifier": []}, "countryOfRegistration": ""}},
        {"name": None},
    ],
)
def test_an_empty_clear_vasp_does_not_erase_the_inner_one(clear: Any) -> None:
    assert with_clear_vasp(REQUEST, clear) == REQUEST


def test_a_clear_vasp_replaces_the_inner_one() -> None:
    clear: dict[str, Any] = {"originatingVASP": {"legalPerson": {"countryOfRegistration": "KR"}}}
    assert with_clear_vasp(REQUEST, clear) == {**REQUEST, "OriginatingVASP": clear}
    assert REQUEST["OriginatingVASP"] == originating_vasp(PROFILE)


def test_data_request_and_its_answer() -> None:
    anna = Person.model_validate({"natural": ANNA})
    request = data_request_payload(anna, f"{XRP}:77001", PROFILE, customer_id="c-7")
    assert set(request) == {"Beneficiary", "BeneficiaryVASP"}
    assert payload_faults(request, "data-request") == []
    assert [fault.path for fault in payload_faults(request, "data-request", "gtr")] == ["Originator"]
    for network in ("gtr", "Sygna", "other"):
        full = data_request_payload(anna, XRP, PROFILE, customer_id="c-7", originator=anna)
        assert payload_faults(full, "data-request", network) == []
    asked = {**request, "x-other": 1}
    answer = data_answer_payload(asked, withdrawal(), PROFILE)
    assert {name: answer[name] for name in asked} == asked
    assert answer["Originator"] == authorization_payload(withdrawal(), PROFILE)["Originator"]
    assert answer["OriginatingVASP"] == originating_vasp(PROFILE)
    assert payload_faults(answer, "data-response") == []
