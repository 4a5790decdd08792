"""Our VASP profile for ``OriginatingVASP`` and ``BeneficiaryVASP``: the file of setting ``VASP_PROFILE_FILE``.

::

    legal_name = "North Exchange Ltd."      # as registered, in English
    local_name = "..."                      # optional
    country_of_registration = "SG"

    [address]                               # this table, the next one, or both
    type = "GEOG"
    lines = ["1 Example Road", "10th floor"]
    town = "Singapore"
    postcode = "018956"
    country = "SG"

    [national_identification]
    identifier = "201912345K"
    type = "RAID"
    authority = "RA000523"                  # GLEIF's list of registration authorities; not with LEIX
"""

from __future__ import annotations

import tomllib
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, ValidationError, model_validator
from pydantic_core import ErrorDetails, PydanticCustomError

from schemas.person_names import NAME_FIX, is_name
from travelrule.errors import ConfigurationError, ConfigurationFault
from travelrule.field_fixes import fix_of

SETTING = "VASP_PROFILE_FILE"

Line35 = Annotated[str, StringConstraints(min_length=1, max_length=35, pattern=r"^[^\x00-\x1f]+$")]
Line70 = Annotated[str, StringConstraints(min_length=1, max_length=70, pattern=r"^[^\x00-\x1f]+$")]
Line100 = Annotated[str, StringConstraints(min_length=1, max_length=100, pattern=r"^[^\x00-\x1f]+$")]


def _named(text: str) -> str:
    if not is_name(text):
        raise PydanticCustomError("NO_NAME", NAME_FIX)
    return text


Name = Annotated[Line100, AfterValidator(_named)]
Country = Annotated[str, StringConstraints(pattern=r"^[A-Z]{2}$")]

_FIXES = {
    "missing": "add it",
    "extra_forbidden": "no such name: see the example in the reference of the profile file",
    "tuple_type": "must be a list of texts",
    "model_type": "must be a table",
}


class ProfileTable(BaseModel):
    """A frozen table of the file; unknown names are faults."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


class VaspAddress(ProfileTable):
    """The registered office. IVMS101 wants type ``GEOG`` for a VASP (ivms101.md section 3)."""

    type: Literal["GEOG", "BIZZ"] = "GEOG"
    lines: Annotated[tuple[Line70, ...], Field(max_length=7)] = ()
    street_name: Line70 | None = None
    building_number: Line70 | None = None
    building_name: Annotated[str, StringConstraints(min_length=1, max_length=16)] | None = None
    postcode: Annotated[str, StringConstraints(min_length=1, max_length=16)] | None = None
    town: Line35
    country_sub_division: Line35 | None = None
    country: Country


class VaspIdentification(ProfileTable):
    """The number in a public register; ``RAID`` with its registration authority is recommended."""

    identifier: Line35
    type: Literal["RAID", "LEIX", "TXID", "FIIN", "MISC"]
    authority: Annotated[str, StringConstraints(pattern=r"^RA[0-9]{6}$")] | None = None

    @model_validator(mode="after")
    def _authority_only_where_it_belongs(self) -> Self:
        if self.type == "LEIX" and self.authority:
            raise PydanticCustomError("LEI_AUTHORITY", "an LEI has no registration authority: remove authority")
        return self


class VaspProfile(ProfileTable):
    """The legal person that runs this VASP."""

    legal_name: Name
    local_name: Name | None = None
    country_of_registration: Country
    address: VaspAddress | None = None
    national_identification: VaspIdentification | None = None

    @model_validator(mode="after")
    def _can_be_found(self) -> Self:
        if self.address is None and self.national_identification is None:
            raise PydanticCustomError("NO_PLACE", "add a table [address] or [national_identification], or both")
        return self

    @classmethod
    def from_toml(cls, text: str) -> VaspProfile:
        """Read a profile file; raises ConfigurationError with every fault, each with its field and fix."""
        try:
            return cls.model_validate(tomllib.loads(text))
        except tomllib.TOMLDecodeError as error:
            raise ConfigurationError(SETTING, f"is not TOML: {error}") from None
        except ValidationError as error:
            raise ConfigurationError.of(map(_fault, error.errors(include_input=False))) from None


def _fault(detail: ErrorDetails) -> ConfigurationFault:
    place = ".".join(str(part) for part in detail["loc"])
    return ConfigurationFault(f"{SETTING} {place}" if place else SETTING, _fix(detail))


def _fix(detail: ErrorDetails) -> str:
    if detail["type"] == "literal_error":
        return f"must be {detail['ctx']['expected']}"
    return _FIXES.get(detail["type"]) or fix_of(detail)
