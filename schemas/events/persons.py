"""Persons as the platform sends them (contract section 3): one natural or one legal person."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import ConfigDict, Field, StringConstraints, model_validator
from pydantic.config import JsonDict

from schemas.field_faults import fault
from schemas.input_forms import absent
from schemas.limits import ADDRESS_LINES_MAX, REPRESENTATIVES_MAX
from schemas.moments import Day
from schemas.texts import (
    Country,
    Line35,
    Line70,
    Line100,
    MaybeCountry,
    MaybeLine16,
    MaybeLine35,
    MaybeLine70,
    MaybeLine100,
)
from schemas.wire_model import Wire

NationalIdentifierType = Literal[
    "ARNU", "CCPT", "RAID", "DRLC", "FIIN", "TXID", "SOCS", "IDCD", "LEIX", "MISC"
]  # fmt: skip
"""The kind of a number that identifies a person (ivms101.md section 3)."""

AddressType = Literal["HOME", "BIZZ", "GEOG"]


def one_present(rule: Literal["anyOf", "oneOf"], json_type: str, *fields: str) -> JsonDict:
    """Declare in JSON Schema that one of the fields is present, as the models' validators require."""
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
    """The number itself, as the document or the register shows it.
    Example: "TEST-778812"
    """
    type: NationalIdentifierType
    """Kind of the number in IVMS101: ``ARNU`` alien registration, ``CCPT`` passport, ``RAID`` registration authority,
    ``DRLC`` driving licence, ``FIIN`` foreign investment, ``TXID`` tax, ``SOCS`` social security, ``IDCD`` identity
    card, ``LEIX`` legal entity identifier, ``MISC`` other.
    """
    country: MaybeCountry = None
    """Country that issued the number: ISO 3166-1 alpha-2. For natural persons only.
    Example: "SE"
    """
    authority: Annotated[RegistrationAuthority | None, absent] = None
    """Register that gave the number: an entry of GLEIF's list of registration authorities. Not together with ``LEIX``.
    Example: "RA000585"
    """


class PostalAddress(Wire):
    """A geographic address: where a person lives or is established."""

    type: AddressType
    """What the address is: ``HOME`` residential, ``BIZZ`` business, ``GEOG`` geographic and not specified further."""
    lines: Annotated[tuple[Line70, ...], Field(max_length=ADDRESS_LINES_MAX)] = ()
    """Street, house number and further lines, in the order in which they are written on a letter.
    Example: ["1 Example Street"]
    """
    town: MaybeLine35 = None
    """Town or city, without the postcode.
    Example: "Uppsala"
    """
    postcode: MaybeLine16 = None
    """Postal code in the form that the country uses.
    Example: "753 20"
    """
    country: Country
    """Country of the address: ISO 3166-1 alpha-2.
    Example: "SE"
    """


MaybeIdentification = Annotated[NationalIdentification | None, absent]
MaybePostalAddress = Annotated[PostalAddress | None, absent]


class NaturalPerson(Wire):
    """A human being. An undivided name goes into ``lastName``; a local name is enough where there is no other."""

    model_config = ConfigDict(json_schema_extra=one_present("anyOf", "string", "lastName", "localLastName"))

    last_name: MaybeLine100 = None
    """Family name in Latin letters, or the whole name where it is not divided. At least one letter or digit.
    Example: "Berg"
    """
    first_name: MaybeLine100 = None
    """Given names in Latin letters, separated by blanks.
    Example: "Anna"
    """
    local_last_name: MaybeLine100 = None
    """Family name in the person's own script; enough where there is no ``lastName``.
    Example: "김"
    """
    local_first_name: MaybeLine100 = None
    """Given names in the person's own script.
    Example: "서연"
    """
    date_of_birth: Annotated[Day | None, absent] = None
    """Date of birth: a calendar day that exists, YYYY-MM-DD. Many counterparties require it of an originator.
    Example: "1990-02-03"
    """
    place_of_birth: MaybeLine70 = None
    """Town, region or country of birth, as the identity document writes it.
    Example: "Uppsala"
    """
    country_of_residence: MaybeCountry = None
    """Country in which the person lives: ISO 3166-1 alpha-2.
    Example: "SE"
    """
    national_identification: MaybeIdentification = None
    """A number by which a state knows the person; some networks require it of an originator."""
    address: MaybePostalAddress = None
    """Where the person lives; some networks require it of an originator."""

    @model_validator(mode="after")
    def _has_a_name(self) -> Self:
        if self.last_name is None and self.local_last_name is None:
            raise fault("MISSING_FIELD", "add lastName, or localLastName where there is no other", "lastName")
        return self


class LegalPerson(Wire):
    """A company, with the natural persons who act for it."""

    name: Line100
    """Name as registered, with its legal form, in Latin letters; not the name of a brand. At least one letter or digit.
    Example: "Birch Trading Ltd."
    """
    local_name: MaybeLine100 = None
    """Registered name in the script of the country of registration.
    Example: "버치트레이딩"
    """
    address: MaybePostalAddress = None
    """Where the company is established."""
    national_identification: MaybeIdentification = None
    """A number by which a register or a tax authority knows the company."""
    country_of_registration: MaybeCountry = None
    """Country in which the company is registered: ISO 3166-1 alpha-2.
    Example: "GB"
    """
    representatives: Annotated[tuple[NaturalPerson, ...], Field(max_length=REPRESENTATIVES_MAX)] = ()
    """The natural persons who act for the company, all of them: counterparties compare them with their own records."""


class Person(Wire):
    """Exactly one of a natural and a legal person."""

    model_config = ConfigDict(json_schema_extra=one_present("oneOf", "object", "natural", "legal"))

    natural: Annotated[NaturalPerson | None, absent] = None
    """The human being; left out where the person is a company."""
    legal: Annotated[LegalPerson | None, absent] = None
    """The company with its representatives; left out where the person is a human being."""

    @model_validator(mode="after")
    def _is_one_person(self) -> Self:
        if self.natural is None and self.legal is None:
            raise fault("MISSING_FIELD", "add natural or legal", "natural")
        if self.natural is not None and self.legal is not None:
            raise fault("INVALID_VALUE", "send natural or legal, not both", "legal")
        return self
