"""IVMS101.2020 as the network uses it (ivms101.md): the inner object of a payload, read tolerantly.

Absent means left out, ``""``, ``{}`` or null. Numbers and booleans are read as their text. Nothing is
required here: which fields a message needs is the business of ``identity.validate``, which can answer with a
reason. Writing leaves out what is absent; only ``beneficiaryPersons`` stands there empty, as address searches
send it.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from pydantic import AliasChoices, BeforeValidator, Field, SerializerFunctionWrapHandler, model_serializer

from schemas.base import Wire
from schemas.text import Text, absent_is_none


def _plain_text(value: Any) -> Any:
    """Read a number or a boolean as its text: values are always strings, sloppy peers forget the quotes."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int) else value


def _text_or_none(value: Any) -> Any:
    return absent_is_none(_plain_text(value))


def _text_or_empty(value: Any) -> Any:
    text = _text_or_none(value)
    return "" if text is None else text


def _present_items(value: Any) -> Any:
    """Read an array without its absent items; a single item in place of an array is an array of one."""
    if absent_is_none(value) is None:
        return ()
    items = value if isinstance(value, list | tuple) else (value,)
    return tuple(item for item in items if absent_is_none(item) is not None)


def _present_texts(value: Any) -> Any:
    items = _present_items(value)
    return tuple(_plain_text(item) for item in items)


Value = Annotated[Text | None, BeforeValidator(_text_or_none)]
NamePart = Annotated[Text, BeforeValidator(_text_or_empty)]
Values = Annotated[tuple[Text, ...], BeforeValidator(_present_texts)]
several = BeforeValidator(_present_items)
maybe = BeforeValidator(absent_is_none)


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
    """A geographic address. The schema's ``postCode`` is read as well, ``postcode`` is written (D20)."""

    address_type: Value = None
    department: Value = None
    sub_department: Value = None
    street_name: Value = None
    building_number: Value = None
    building_name: Value = None
    floor: Value = None
    post_box: Value = None
    room: Value = None
    postcode: Annotated[
        Value,
        Field(validation_alias=AliasChoices("postcode", "postCode"), serialization_alias="postcode"),
    ] = None
    town_name: Value = None
    town_location_name: Value = None
    district_name: Value = None
    country_sub_division: Value = None
    address_line: Values = ()
    country: Value = None


class NationalIdentification(Ivms):
    """A number that a state or a registry gave; ``registration_authority`` is an entry of GLEIF's list."""

    national_identifier: Value = None
    national_identifier_type: Value = None
    country_of_issue: Value = None
    registration_authority: Value = None


class NaturalPersonNameId(Ivms):
    """One name of a human being: last name (or the whole name) and first name (or ``""``)."""

    primary_identifier: NamePart = ""
    secondary_identifier: NamePart = ""
    name_identifier_type: Value = None

    @property
    def is_blank(self) -> bool:
        """Whether the entry only holds the place of a name (D16)."""
        return not self.primary_identifier and not self.secondary_identifier


class NaturalPersonName(Ivms):
    """All names of a human being."""

    name_identifier: Annotated[tuple[NaturalPersonNameId, ...], several] = ()
    local_name_identifier: Annotated[tuple[NaturalPersonNameId, ...], several] = ()
    phonetic_name_identifier: Annotated[tuple[NaturalPersonNameId, ...], several] = ()


class DateAndPlaceOfBirth(Ivms):
    """Birth data; ``date_of_birth`` as it came, ``YYYY-MM-DD`` when it is right."""

    date_of_birth: Value = None
    place_of_birth: Value = None


class NaturalPerson(Ivms):
    """A human being."""

    name: Annotated[NaturalPersonName | None, maybe] = None
    geographic_address: Annotated[tuple[PostalAddress, ...], several] = ()
    national_identification: Annotated[NationalIdentification | None, maybe] = None
    customer_identification: Value = None
    date_and_place_of_birth: Annotated[DateAndPlaceOfBirth | None, maybe] = None
    country_of_residence: Value = None


class LegalPersonNameId(Ivms):
    """One name of a company, as registered."""

    legal_person_name: NamePart = ""
    legal_person_name_identifier_type: Value = None


class LegalPersonName(Ivms):
    """All names of a company."""

    name_identifier: Annotated[tuple[LegalPersonNameId, ...], several] = ()
    local_name_identifier: Annotated[tuple[LegalPersonNameId, ...], several] = ()
    phonetic_name_identifier: Annotated[tuple[LegalPersonNameId, ...], several] = ()


class LegalPerson(Ivms):
    """A company. The schema's ``customerNumber`` is read too, ``customerIdentification`` is written (D20)."""

    name: Annotated[LegalPersonName | None, maybe] = None
    geographic_address: Annotated[tuple[PostalAddress, ...], several] = ()
    customer_identification: Annotated[
        Value,
        Field(
            validation_alias=AliasChoices("customerIdentification", "customerNumber"),
            serialization_alias="customerIdentification",
        ),
    ] = None
    national_identification: Annotated[NationalIdentification | None, maybe] = None
    country_of_registration: Value = None


class IvmsPerson(Ivms):
    """A person: ``natural_person`` or ``legal_person``."""

    natural_person: Annotated[NaturalPerson | None, maybe] = None
    legal_person: Annotated[LegalPerson | None, maybe] = None


class Originator(Ivms):
    """Who sends: the persons, a company before its representatives, and the user's own wallet."""

    originator_persons: Annotated[tuple[IvmsPerson, ...], several] = ()
    account_number: Values = ()


class Beneficiary(Ivms):
    """Who receives: the persons as the sender knows them (may be none), and the wallet ``address[:tag]``."""

    kept_empty: ClassVar[frozenset[str]] = frozenset({"beneficiaryPersons", "beneficiary_persons"})

    beneficiary_persons: Annotated[tuple[IvmsPerson, ...], several] = ()
    account_number: Values = ()


class OriginatingVasp(Ivms):
    """The VASP that sends."""

    originating_vasp: Annotated[IvmsPerson | None, maybe, Field(alias="originatingVASP")] = None


class BeneficiaryVasp(Ivms):
    """The VASP that receives."""

    beneficiary_vasp: Annotated[IvmsPerson | None, maybe, Field(alias="beneficiaryVASP")] = None


class Ivms101(Ivms):
    """The inner object; which of the four stand there depends on the message (ivms101.md section 1)."""

    originator: Annotated[Originator | None, maybe, Field(alias="Originator")] = None
    beneficiary: Annotated[Beneficiary | None, maybe, Field(alias="Beneficiary")] = None
    originating_vasp: Annotated[OriginatingVasp | None, maybe, Field(alias="OriginatingVASP")] = None
    beneficiary_vasp: Annotated[BeneficiaryVasp | None, maybe, Field(alias="BeneficiaryVASP")] = None


class IvmsPayload(Wire):
    """The plain text of a payload: always with the wrapper ``ivms101`` (D21)."""

    ivms101: Ivms101
