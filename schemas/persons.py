"""Persons as the platform sends them (contract section 3): one natural or one legal person."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import BeforeValidator, ConfigDict, Field, StringConstraints, model_validator
from pydantic.config import JsonDict

from schemas.base import Wire
from schemas.faults import fault
from schemas.limits import ADDRESS_LINES_MAX, REPRESENTATIVES_MAX
from schemas.text import (
    Country,
    Day,
    Line35,
    Line70,
    Line100,
    MaybeCountry,
    MaybeLine16,
    MaybeLine35,
    MaybeLine70,
    MaybeLine100,
    absent_is_none,
)

NationalIdentifierType = Literal[
    "ARNU", "CCPT", "RAID", "DRLC", "FIIN", "TXID", "SOCS", "IDCD", "LEIX", "MISC"
]  # fmt: skip
"""What kind of number identifies somebody (ivms101.md section 3)."""

AddressType = Literal["HOME", "BIZZ", "GEOG"]


def one_present(rule: Literal["anyOf", "oneOf"], json_type: str, *fields: str) -> JsonDict:
    """Say in JSON Schema that one of the fields is there, as the models' validators say in Python."""
    return {
        rule: [
            {"required": [field], "properties": {field: {"type": json_type, f"min{_SIZE[json_type]}": 1}}}
            for field in fields
        ]
    }


_SIZE = {"string": "Length", "object": "Properties"}

RegistrationAuthority = Annotated[str, StringConstraints(strict=True, pattern=r"^RA[0-9]{6}$")]
"""An entry of GLEIF's list of registration authorities."""


class NationalIdentification(Wire):
    """A number that a state or a registry gave to a person."""

    identifier: Line35
    type: NationalIdentifierType
    country: MaybeCountry = None
    authority: Annotated[RegistrationAuthority | None, BeforeValidator(absent_is_none)] = None


class PostalAddress(Wire):
    """Where somebody lives or is established."""

    type: AddressType
    lines: Annotated[tuple[Line70, ...], Field(max_length=ADDRESS_LINES_MAX)] = ()
    town: MaybeLine35 = None
    postcode: MaybeLine16 = None
    country: Country


MaybeIdentification = Annotated[NationalIdentification | None, BeforeValidator(absent_is_none)]
MaybePostalAddress = Annotated[PostalAddress | None, BeforeValidator(absent_is_none)]


class NaturalPerson(Wire):
    """A human being. A single name stands in ``last_name``; a local one is enough where there is no other."""

    model_config = ConfigDict(json_schema_extra=one_present("anyOf", "string", "lastName", "localLastName"))

    last_name: MaybeLine100 = None
    first_name: MaybeLine100 = None
    local_last_name: MaybeLine100 = None
    local_first_name: MaybeLine100 = None
    date_of_birth: Annotated[Day | None, BeforeValidator(absent_is_none)] = None
    place_of_birth: MaybeLine70 = None
    country_of_residence: MaybeCountry = None
    national_identification: MaybeIdentification = None
    address: MaybePostalAddress = None

    @model_validator(mode="after")
    def _has_a_name(self) -> Self:
        if self.last_name is None and self.local_last_name is None:
            raise fault("MISSING_FIELD", "add lastName, or localLastName where there is no other", "lastName")
        return self


class LegalPerson(Wire):
    """A company, with the natural persons who act for it."""

    name: Line100
    local_name: MaybeLine100 = None
    address: MaybePostalAddress = None
    national_identification: MaybeIdentification = None
    country_of_registration: MaybeCountry = None
    representatives: Annotated[tuple[NaturalPerson, ...], Field(max_length=REPRESENTATIVES_MAX)] = ()


class Person(Wire):
    """Exactly one of a natural and a legal person."""

    model_config = ConfigDict(json_schema_extra=one_present("oneOf", "object", "natural", "legal"))

    natural: Annotated[NaturalPerson | None, BeforeValidator(absent_is_none)] = None
    legal: Annotated[LegalPerson | None, BeforeValidator(absent_is_none)] = None

    @model_validator(mode="after")
    def _is_one_person(self) -> Self:
        if self.natural is None and self.legal is None:
            raise fault("MISSING_FIELD", "add natural or legal", "natural")
        if self.natural is not None and self.legal is not None:
            raise fault("INVALID_VALUE", "send natural or legal, not both", "legal")
        return self
