"""IVMS101.2020 as the network uses it (ivms101.md): the inner object of a payload, read leniently.

Absent means left out, ``""``, ``{}`` or null. Numbers and booleans are read as their text. No field is required here:
``identity.payload_faults`` checks which fields a message needs and returns a reason. Absent fields are not written,
except ``beneficiaryPersons``, which address searches send empty.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from pydantic import AliasChoices, Field, SerializerFunctionWrapHandler, model_serializer

from schemas.input_forms import ABSENT, InputForm, JsonSchema, absent, absent_is_none, or_absent, widened
from schemas.texts import Text
from schemas.wire_model import Wire

_SLOPPY: tuple[JsonSchema, ...] = ({"type": "integer"}, {"type": "boolean"})


def _plain_text(value: Any) -> Any:
    """Return a number or a boolean as its text: values are strings, but some peers omit the quotes."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value) if isinstance(value, int) else value


def _text_or_none(value: Any) -> Any:
    return absent_is_none(_plain_text(value))


def _text_or_empty(value: Any) -> Any:
    text = _text_or_none(value)
    return "" if text is None else text


def _present_items(value: Any) -> Any:
    """Return an array without its absent items; a single item in place of an array is an array of one."""
    if absent_is_none(value) is None:
        return ()
    items = value if isinstance(value, list | tuple) else (value,)
    return tuple(item for item in items if absent_is_none(item) is not None)


def _present_texts(value: Any) -> Any:
    items = _present_items(value)
    return tuple(_plain_text(item) for item in items)


def _or_sloppy(inner: JsonSchema) -> JsonSchema:
    return widened(inner, *_SLOPPY, *ABSENT)


def _or_single(inner: JsonSchema) -> JsonSchema:
    return widened({**inner, "items": or_absent(inner["items"])}, inner["items"], *ABSENT)


def _or_single_text(inner: JsonSchema) -> JsonSchema:
    return widened({**inner, "items": _or_sloppy(inner["items"])}, inner["items"], *_SLOPPY, *ABSENT)


Value = Annotated[Text | None, InputForm(_text_or_none, _or_sloppy)]
NamePart = Annotated[Text, InputForm(_text_or_empty, _or_sloppy)]
Values = Annotated[tuple[Text, ...], InputForm(_present_texts, _or_single_text)]
several = InputForm(_present_items, _or_single)


class Ivms(Wire):
    """The base of all IVMS101 objects: writing leaves out None and empty arrays."""

    kept_empty: ClassVar[frozenset[str]] = frozenset()

    @model_serializer(mode="wrap")
    def _without_absent(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        written = handler(self)
        return {
            name: value
            for name, value in written.items()
            if value is not None and (value not in ([], (), {}) or name in self.kept_empty)
        }


class PostalAddress(Ivms):
    """A geographic address in IVMS101."""

    address_type: Value = None
    """What the address is: ``HOME`` residential, ``BIZZ`` business, ``GEOG`` geographic; VASPs use ``GEOG``.
    Example: "GEOG"
    """
    department: Value = None
    """Division of a large organisation: 1 to 50 characters.
    Example: "Compliance"
    """
    sub_department: Value = None
    """Part of the division: 1 to 70 characters.
    Example: "Transfers"
    """
    street_name: Value = None
    """Name of the street: 1 to 70 characters.
    Example: "Example Street"
    """
    building_number: Value = None
    """Number of the building in its street.
    Example: "12"
    """
    building_name: Value = None
    """Name of the building: 1 to 16 characters.
    Example: "Tower"
    """
    floor: Value = None
    """Floor within the building: 1 to 70 characters.
    Example: "3"
    """
    post_box: Value = None
    """Number of the post box: 1 to 16 characters.
    Example: "100"
    """
    room: Value = None
    """Number of the room within the building.
    Example: "311"
    """
    postcode: Annotated[
        Value,
        Field(validation_alias=AliasChoices("postcode", "postCode"), serialization_alias="postcode"),
    ] = None
    """Postal code: 1 to 16 characters. Written with this name (D20).
    Example: "753 20"
    """
    town_name: Value = None
    """Town or city: 1 to 35 characters; some peers put the province here (D44).
    Example: "Uppsala"
    """
    town_location_name: Value = None
    """Place within the town: 1 to 35 characters.
    Example: "Old Town"
    """
    district_name: Value = None
    """District within the town or province: 1 to 35 characters.
    Example: "North"
    """
    country_sub_division: Value = None
    """State, province or region: 1 to 35 characters.
    Example: "Uppsala County"
    """
    address_line: Values = ()
    """Lines of the address where it is not divided into parts, each 1 to 70 characters.
    Example: ["12 Example Street"]
    """
    country: Value = None
    """Country of the address: ISO 3166-1 alpha-2.
    Example: "SE"
    """


class NationalIdentification(Ivms):
    """A number that a state or a registry gave to a person."""

    national_identifier: Value = None
    """The number itself: 1 to 35 characters.
    Example: "TEST-778812"
    """
    national_identifier_type: Value = None
    """Kind of the number: ``ARNU``, ``CCPT``, ``RAID``, ``DRLC``, ``FIIN``, ``TXID``, ``SOCS``, ``IDCD``, ``LEIX`` or
    ``MISC``.
    Example: "RAID"
    """
    country_of_issue: Value = None
    """Country that issued the number: ISO 3166-1 alpha-2; for natural persons only.
    Example: "SE"
    """
    registration_authority: Value = None
    """Register that gave the number: an entry of GLEIF's list, ``RA`` and 6 digits; not beside ``LEIX``.
    Example: "RA000585"
    """


class NaturalPersonNameId(Ivms):
    """One name of a human being."""

    primary_identifier: NamePart = ""
    """Family name, or the whole name where it is not divided; blank where the name is only in the local script (D16).
    Example: "Berg"
    """
    secondary_identifier: NamePart = ""
    """Given names; blank where the name is not divided.
    Example: "Anna"
    """
    name_identifier_type: Value = None
    """Kind of the name: ``LEGL`` legal, ``BIRT`` at birth, ``MAID`` maiden, ``ALIA`` alias, ``MISC`` other.
    Example: "LEGL"
    """

    @property
    def is_blank(self) -> bool:
        """Whether the entry only holds the place of a name (D16)."""
        return not self.primary_identifier and not self.secondary_identifier


class NaturalPersonName(Ivms):
    """All names of a human being."""

    name_identifier: Annotated[tuple[NaturalPersonNameId, ...], several] = ()
    """Names in English or in Latin letters, or the Korean name between two Korean VASPs (D17)."""
    local_name_identifier: Annotated[tuple[NaturalPersonNameId, ...], several] = ()
    """Names in the local script, or the English name between two Korean VASPs (D17)."""
    phonetic_name_identifier: Annotated[tuple[NaturalPersonNameId, ...], several] = ()
    """Names as they are pronounced, in Latin letters."""


class DateAndPlaceOfBirth(Ivms):
    """Date and place of birth of a human being."""

    date_of_birth: Value = None
    """Date of birth as it came; YYYY-MM-DD when it is right.
    Example: "1990-02-03"
    """
    place_of_birth: Value = None
    """Town, region or country of birth: 1 to 70 characters (D19).
    Example: "Uppsala"
    """


class NaturalPerson(Ivms):
    """A human being with names, birth and addresses in IVMS101."""

    name: Annotated[NaturalPersonName | None, absent] = None
    """All names of the person."""
    geographic_address: Annotated[tuple[PostalAddress, ...], several] = ()
    """Addresses of the person; some networks require one of an originator."""
    national_identification: Annotated[NationalIdentification | None, absent] = None
    """A number by which a state knows the person; some networks require it of an originator."""
    customer_identification: Value = None
    """Id of the person at the VASP that keeps the account: 1 to 50 characters.
    Example: "c-1001"
    """
    date_and_place_of_birth: Annotated[DateAndPlaceOfBirth | None, absent] = None
    """Birth data; the date is expected of an individual originator (D18)."""
    country_of_residence: Value = None
    """Country in which the person lives: ISO 3166-1 alpha-2.
    Example: "SE"
    """


class LegalPersonNameId(Ivms):
    """One name of a company."""

    legal_person_name: NamePart = ""
    """The name as registered, with its legal form: 1 to 100 characters.
    Example: "Birch Trading Ltd."
    """
    legal_person_name_identifier_type: Value = None
    """Kind of the name: ``LEGL`` legal, ``SHRT`` short, ``TRAD`` trading.
    Example: "LEGL"
    """


class LegalPersonName(Ivms):
    """All names of a company."""

    name_identifier: Annotated[tuple[LegalPersonNameId, ...], several] = ()
    """Names in English or in Latin letters, or the Korean name between two Korean VASPs (D17)."""
    local_name_identifier: Annotated[tuple[LegalPersonNameId, ...], several] = ()
    """Names in the local script, or the English name between two Korean VASPs (D17)."""
    phonetic_name_identifier: Annotated[tuple[LegalPersonNameId, ...], several] = ()
    """Names as they are pronounced, in Latin letters."""


class LegalPerson(Ivms):
    """A company with names, address and registration in IVMS101."""

    name: Annotated[LegalPersonName | None, absent] = None
    """All names of the company."""
    geographic_address: Annotated[tuple[PostalAddress, ...], several] = ()
    """Addresses of the company; a VASP has an address or an identification."""
    customer_identification: Annotated[
        Value,
        Field(
            validation_alias=AliasChoices("customerIdentification", "customerNumber"),
            serialization_alias="customerIdentification",
        ),
    ] = None
    """Id of the company at the VASP that keeps the account: 1 to 50 characters. Written with this name (D20).
    Example: "c-2002"
    """
    national_identification: Annotated[NationalIdentification | None, absent] = None
    """A number by which a register or a tax authority knows the company."""
    country_of_registration: Value = None
    """Country in which the company is registered: ISO 3166-1 alpha-2.
    Example: "GB"
    """


class IvmsPerson(Ivms):
    """A person: exactly one of the two."""

    natural_person: Annotated[NaturalPerson | None, absent] = None
    """The human being; absent where the person is a company."""
    legal_person: Annotated[LegalPerson | None, absent] = None
    """The company; absent where the person is a human being."""


class Originator(Ivms):
    """The sender of a transfer."""

    originator_persons: Annotated[tuple[IvmsPerson, ...], several] = ()
    """The sender; a company comes first, then the persons who represent it."""
    account_number: Values = ()
    """The sender's own wallet at the originating VASP, not the VASP's: ``address[:tag]``.
    Example: ["rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY:77001"]
    """


class Beneficiary(Ivms):
    """The receiver of a transfer."""

    kept_empty: ClassVar[frozenset[str]] = frozenset({"beneficiaryPersons", "beneficiary_persons"})

    beneficiary_persons: Annotated[tuple[IvmsPerson, ...], several] = ()
    """The receiver as the sender knows him; empty in address searches. A company comes first, then its representatives.
    """
    account_number: Values = ()
    """The receiver's wallet: ``address[:tag]``. The address of the transfer is this one.
    Example: ["rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY:77001"]
    """


class OriginatingVasp(Ivms):
    """The VASP that sends."""

    originating_vasp: Annotated[IvmsPerson | None, absent, Field(alias="originatingVASP")] = None
    """The company that runs the originating VASP."""


class BeneficiaryVasp(Ivms):
    """The VASP that receives."""

    beneficiary_vasp: Annotated[IvmsPerson | None, absent, Field(alias="beneficiaryVASP")] = None
    """The company that runs the beneficiary VASP."""


class Ivms101(Ivms):
    """The Travel Rule data of a message in IVMS101.2020; which of the four parts are there depends on the message."""

    originator: Annotated[Originator | None, absent, Field(alias="Originator")] = None
    """The sender: in authorizations and in answers to data requests."""
    beneficiary: Annotated[Beneficiary | None, absent, Field(alias="Beneficiary")] = None
    """The receiver: in every message."""
    originating_vasp: Annotated[OriginatingVasp | None, absent, Field(alias="OriginatingVASP")] = None
    """The sending VASP: in authorizations and in answers to data requests."""
    beneficiary_vasp: Annotated[BeneficiaryVasp | None, absent, Field(alias="BeneficiaryVASP")] = None
    """The receiving VASP: in answers to authorizations, in data requests and their answers."""


class IvmsPayload(Wire):
    """The plain text of a payload: always with this wrapper (D21)."""

    ivms101: Ivms101
    """The Travel Rule data of the message."""
