"""The fields of the IVMS101 objects as tables (ivms101.md section 3; lengths from the published JSON Schema).

A field without a rule is allowed and not checked. Alternative names of one field (D20) are both listed.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date

from travelrule.identity.fault import Code


@dataclass(frozen=True, slots=True)
class Text:
    """A string of ``low`` to ``high`` characters on one line; with ``choices`` one of them.

    ``form`` is a further condition, ``form_fix`` the sentence that states it.
    """

    low: int = 0
    high: int | None = None
    choices: frozenset[str] = frozenset()
    form: Callable[[str], bool] | None = None
    form_code: Code = "INVALID_VALUE"
    form_fix: str = ""


@dataclass(frozen=True, slots=True)
class Items:
    """An array of one kind of item."""

    of: Text | Object


@dataclass(frozen=True, slots=True)
class Object:
    """An object with the rules of its fields. ``required``: mandatory; ``wanted``: a careful sender fills them in, a
    receiver does not require them; ``excluded``: not allowed here, with the fix.
    """

    fields: Mapping[str, Rule]
    required: tuple[str, ...] = ()
    wanted: tuple[str, ...] = ()
    excluded: Mapping[str, str] = field(default_factory=dict)


Rule = Text | Items | Object


def _is_day(text: str) -> bool:
    try:
        return re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text) is not None and bool(date.fromisoformat(text))
    except ValueError:
        return False


def _is_country(text: str) -> bool:
    return re.fullmatch(r"[A-Z]{2}", text) is not None


def _is_authority(text: str) -> bool:
    return re.fullmatch(r"RA[0-9]{6}", text) is not None


_JOINING = frozenset("'’-‐.,·・")


def _is_name(text: str) -> bool:
    """Whether a text holds only letters and what joins them in names (section 4)."""
    return all(letter in _JOINING or unicodedata.category(letter)[0] in "LMZ" for letter in text)


COUNTRY = Text(form=_is_country, form_fix="two capitals, ISO 3166-1")
DAY = Text(form=_is_day, form_code="INVALID_DATE", form_fix="a day that exists, YYYY-MM-DD")
NATURAL_NAME_TYPE = Text(choices=frozenset({"ALIA", "BIRT", "MAID", "LEGL", "MISC"}))
LEGAL_NAME_TYPE = Text(choices=frozenset({"LEGL", "SHRT", "TRAD"}))
_NAME_FIX = "letters only: no digits, no special characters"


def _name_part(high: int | None) -> Text:
    return Text(0, high, form=_is_name, form_code="INVALID_NAME", form_fix=_NAME_FIX)


NATURAL_NAME = Object(
    {
        "primaryIdentifier": _name_part(None),
        "secondaryIdentifier": _name_part(None),
        "nameIdentifierType": NATURAL_NAME_TYPE,
    },
    required=("nameIdentifierType",),
)
LOCAL_NATURAL_NAME = Object(
    {
        "primaryIdentifier": _name_part(100),
        "secondaryIdentifier": _name_part(100),
        "nameIdentifierType": NATURAL_NAME_TYPE,
    },
    required=("primaryIdentifier", "nameIdentifierType"),
)
LEGAL_NAME = Object(
    {"legalPersonName": Text(1, 100), "legalPersonNameIdentifierType": LEGAL_NAME_TYPE},
    required=("legalPersonName", "legalPersonNameIdentifierType"),
)
LOCAL_LEGAL_NAME = LEGAL_NAME

ADDRESS = Object(
    {
        "addressType": Text(choices=frozenset({"HOME", "BIZZ", "GEOG"})),
        "department": Text(1, 50),
        "subDepartment": Text(1, 70),
        "streetName": Text(1, 70),
        "buildingNumber": Text(),
        "buildingName": Text(1, 16),
        "floor": Text(1, 70),
        "postBox": Text(1, 16),
        "room": Text(),
        "postcode": Text(1, 16),
        "postCode": Text(1, 16),
        "townName": Text(1, 35),
        "townLocationName": Text(1, 35),
        "districtName": Text(1, 35),
        "countrySubDivision": Text(1, 35),
        "addressLine": Items(Text(1, 70)),
        "country": COUNTRY,
    },
    required=("addressType", "country"),
    wanted=("townName",),
)

_IDENTIFICATION = {
    "nationalIdentifier": Text(1, 35),
    "nationalIdentifierType": Text(
        choices=frozenset({"ARNU", "CCPT", "RAID", "DRLC", "FIIN", "TXID", "SOCS", "IDCD", "LEIX", "MISC"})
    ),
    "countryOfIssue": COUNTRY,
    "registrationAuthority": Text(form=_is_authority, form_fix="RA and six digits, from GLEIF's list"),
}
NATURAL_IDENTIFICATION = Object(_IDENTIFICATION, required=("nationalIdentifier", "nationalIdentifierType"))
LEGAL_IDENTIFICATION = Object(
    _IDENTIFICATION,
    required=("nationalIdentifier", "nationalIdentifierType"),
    excluded={"countryOfIssue": "only natural persons have it: remove it"},
)

NATURAL_PERSON = Object(
    {
        "name": Object(
            {
                "nameIdentifier": Items(NATURAL_NAME),
                "localNameIdentifier": Items(LOCAL_NATURAL_NAME),
                "phoneticNameIdentifier": Items(LOCAL_NATURAL_NAME),
            },
            required=("nameIdentifier",),
        ),
        "geographicAddress": Items(ADDRESS),
        "nationalIdentification": NATURAL_IDENTIFICATION,
        "customerIdentification": Text(1, 50),
        "dateAndPlaceOfBirth": Object({"dateOfBirth": DAY, "placeOfBirth": Text(1, 70)}, required=("dateOfBirth",)),
        "countryOfResidence": COUNTRY,
    },
    required=("name",),
)
LEGAL_PERSON = Object(
    {
        "name": Object(
            {
                "nameIdentifier": Items(LEGAL_NAME),
                "localNameIdentifier": Items(LOCAL_LEGAL_NAME),
                "phoneticNameIdentifier": Items(LOCAL_LEGAL_NAME),
            },
            required=("nameIdentifier",),
        ),
        "geographicAddress": Items(ADDRESS),
        "nationalIdentification": LEGAL_IDENTIFICATION,
        "customerIdentification": Text(1, 50),
        "customerNumber": Text(1, 50),
        "countryOfRegistration": COUNTRY,
    },
    required=("name",),
    wanted=("countryOfRegistration",),
)
PERSON = Object({"naturalPerson": NATURAL_PERSON, "legalPerson": LEGAL_PERSON})
ACCOUNTS = Items(Text(1))

ENTITIES: dict[str, Object] = {
    "Originator": Object(
        {"originatorPersons": Items(PERSON), "accountNumber": ACCOUNTS},
        required=("originatorPersons", "accountNumber"),
    ),
    "Beneficiary": Object(
        {"beneficiaryPersons": Items(PERSON), "accountNumber": ACCOUNTS}, required=("accountNumber",)
    ),
    "OriginatingVASP": Object({"originatingVASP": PERSON}, required=("originatingVASP",)),
    "BeneficiaryVASP": Object({"beneficiaryVASP": PERSON}, required=("beneficiaryVASP",)),
}
"""The four objects of a payload."""
