import pytest

from travelrule.errors import ConfigurationError
from travelrule.identity.payload_faults import payload_faults
from travelrule.identity.payloads import beneficiary_vasp, originating_vasp
from travelrule.identity.profile import VaspProfile

FULL = """
legal_name = "North Exchange Ltd."
local_name = "노스거래소"
country_of_registration = "SG"

[address]
lines = ["1 Example Road", "10th floor"]
street_name = "Example Road"
building_number = "1"
building_name = "Example House"
town = "Singapore"
postcode = "018956"
country_sub_division = "Central"
country = "SG"

[national_identification]
identifier = "201912345K"
type = "RAID"
authority = "RA000523"
"""


_HEAD = 'legal_name = "N"\ncountry_of_registration = "DE"\n'


def test_a_full_profile_becomes_both_vasp_objects() -> None:
    profile = VaspProfile.from_toml(FULL)
    person = {
        "legalPerson": {
            "name": {
                "nameIdentifier": [{"legalPersonName": "North Exchange Ltd.", "legalPersonNameIdentifierType": "LEGL"}],
                "localNameIdentifier": [{"legalPersonName": "노스거래소", "legalPersonNameIdentifierType": "LEGL"}],
            },
            "geographicAddress": [
                {
                    "addressType": "GEOG",
                    "addressLine": ["1 Example Road", "10th floor"],
                    "streetName": "Example Road",
                    "buildingNumber": "1",
                    "buildingName": "Example House",
                    "postcode": "018956",
                    "townName": "Singapore",
                    "countrySubDivision": "Central",
                    "country": "SG",
                }
            ],
            "nationalIdentification": {
                "nationalIdentifier": "201912345K",
                "nationalIdentifierType": "RAID",
                "registrationAuthority": "RA000523",
            },
            "countryOfRegistration": "SG",
        }
    }
    assert originating_vasp(profile) == {"originatingVASP": person}
    assert beneficiary_vasp(profile) == {"beneficiaryVASP": person}


@pytest.mark.parametrize(
    "table",
    [
        '[national_identification]\nidentifier = "5493001KJTIIGC8Y1R12"\ntype = "LEIX"',
        '[address]\ntown = "Berlin"\ncountry = "DE"',
    ],
)
def test_one_of_address_and_identification_is_enough(table: str) -> None:
    profile = VaspProfile.from_toml(f'legal_name = "N"\ncountry_of_registration = "DE"\n{table}')
    payload = {
        "Beneficiary": {"beneficiaryPersons": [], "accountNumber": ["a"]},
        "BeneficiaryVASP": beneficiary_vasp(profile),
    }
    assert payload_faults(payload, "data-request") == []


def test_every_fault_is_told_at_once_with_field_and_fix_and_without_value() -> None:
    text = """
    legal_name = ""
    country_of_registration = "sg"
    colour = "green"
    [address]
    type = "HOME"
    town = "A very long name of a town that nobody could ever write down"
    country = "Singapore"
    lines = "one"
    [national_identification]
    identifier = 7
    type = "LEIX"
    authority = "523"
    """
    with pytest.raises(ConfigurationError) as caught:
        VaspProfile.from_toml(text)
    told = {fault.name.removeprefix("VASP_PROFILE_FILE "): fault.fix for fault in caught.value.faults}
    assert told == {
        "legal_name": "must not be empty",
        "country_of_registration": "must be two capitals, ISO 3166-1 (for example SG)",
        "colour": "no such name: see the example in the reference of the profile file",
        "address.type": "must be 'GEOG' or 'BIZZ'",
        "address.town": "at most 35 long",
        "address.country": "must be two capitals, ISO 3166-1 (for example SG)",
        "address.lines": "must be a list of texts",
        "national_identification.identifier": "must be a text in quotes",
        "national_identification.authority": "must be RA and six digits, from GLEIF's list (for example RA000523)",
    }
    assert "green" not in str(caught.value)
    assert "nobody" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "fix"),
    [
        ("", "legal_name: add it"),
        ("legal_name =", "is not TOML"),
        ('legal_name = "N"\ncountry_of_registration = "DE"', "add a table"),
        (
            _HEAD + '[national_identification]\nidentifier = "1"\ntype = "LEIX"\nauthority = "RA000523"',
            "national_identification: an LEI has no registration authority",
        ),
        ('legal_name = "N"\naddress = 1\ncountry_of_registration = "DE"', "address: must be a table"),
        ('legal_name = "N\\nM"\ncountry_of_registration = "DE"', "legal_name: must be one line of text"),
    ],
)
def test_single_faults(text: str, fix: str) -> None:
    with pytest.raises(ConfigurationError, match=fix):
        VaspProfile.from_toml(text)


def test_a_vasp_has_a_name_that_can_be_read() -> None:
    text = f'legal_name = "\u202e"\ncountry_of_registration = "SG"\n[national_identification]\n{LEI}'
    with pytest.raises(ConfigurationError) as caught:
        VaspProfile.from_toml(text)
    (fault,) = caught.value.faults
    assert (fault.name, "letter" in fault.fix) == ("VASP_PROFILE_FILE legal_name", True)


LEI = 'identifier = "529900T8BM49AURSDO55"\ntype = "LEIX"\n'
