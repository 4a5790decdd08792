"""Bodies of the hub's directory: VASP list, public keys, networks by coin (hub-api.md 4.A.1-3), errors.

They are read tolerantly: one bad entry must not hide all the others, an odd date is an unknown date.
"""

from __future__ import annotations

from typing import Annotated, Any, TypeVar

from pydantic import AliasChoices, Field, ValidationError

from schemas.field_faults import fault
from schemas.input_forms import InputForm, absent_is_none, any_case_pattern, any_entry, widened
from schemas.moments import MaybeTimestamp
from schemas.texts import Id, MaybeText, NonEmpty, Text
from schemas.wire_model import Wire

Entry = TypeVar("Entry", bound=Wire)


def readable(model: type[Entry]) -> InputForm:
    """Return a reader of a list that leaves out entries that are no ``model``; an absent list is empty."""

    def read(value: Any) -> Any:
        if absent_is_none(value) is None:
            return ()
        if not isinstance(value, list | tuple):
            return value
        return tuple(entry for raw in value if (entry := _read_or_none(model, raw)) is not None)

    return InputForm(read, any_entry)


def _read_or_none(model: type[Entry], raw: Any) -> Entry | None:
    try:
        return model.from_wire(raw)
    except ValidationError:
        return None


class ErrorBody(Wire):
    """The body of every failure of the hub and of a member's 503 answers."""

    error_type: Text = "UNKNOWN"
    """Stable code of the failure, such as ``MISSING_REQUIRED_MSG_FIELD``; a code that is not known counts as
    ``UNKNOWN``.
    Example: "INVALID_MSG_FIELD_VALUE"
    """
    error_msg: MaybeText = None
    """Explanation for a person: names the field at fault and never its value.
    Example: "vout: must be a JSON string"
    """


class PublicKey(Wire):
    """A VASP's Ed25519 public key."""

    pubkey: NonEmpty
    """The public key: base64 of 32 bytes.
    Example: "wbFoqLVxayF7Uz+YSsixnEJr88ll/J+wOhRsbAQ/pO4="
    """
    expires_at: MaybeTimestamp = None
    """Moment from which the key is no longer valid: ISO 8601, UTC if no zone is given. What cannot be read counts as
    not stated (D35).
    Example: "2031-01-01T00:00:00Z"
    """


class PublicKeys(Wire):
    """Answer to a question for public keys (4.A.2): those that are valid now, not cached."""

    pubkeys: Annotated[tuple[PublicKey, ...], readable(PublicKey)] = ()
    """The keys of the VASP; entries that cannot be read are left out."""


class VaspEntry(Wire):
    """One VASP of the directory; ``vaspEntityId`` and ``vaspName`` are equal, and either one is enough."""

    vasp_entity_id: Annotated[
        Id,
        Field(validation_alias=AliasChoices("vaspEntityId", "vaspName"), serialization_alias="vaspEntityId"),
    ]
    """Unique id of the VASP, by which it is addressed.
    Example: "south"
    """
    vasp_name: MaybeText = None
    """Name of the VASP in lists; equal to ``vaspEntityId`` and read in its absence.
    Example: "south"
    """
    vasp_legal_name: MaybeText = None
    """Name under which the company that runs it is registered.
    Example: "South Exchange Ltd."
    """
    health: Text = "up"
    """Whether requests may be sent: not while it is ``down``. Any other text counts as ``up``.
    Example: "up"
    """
    country_of_registration: MaybeText = None
    """Country in which the company is registered: ISO 3166-1 alpha-2.
    Example: "SG"
    """
    alliance_name: MaybeText = None
    """Travel Rule network of the VASP, compared without case; decides which fields it needs besides.
    Example: "code"
    """
    pubkeys: Annotated[tuple[PublicKey, ...], readable(PublicKey)] = ()
    """The VASP's public keys, perhaps not the newest; entries that cannot be read are left out."""

    @property
    def is_up(self) -> bool:
        """Whether requests may be sent: anything that is not ``down`` (the field is an open text)."""
        return self.health.lower() != "down"


class VaspList(Wire):
    """Answer to a question for the VASP list (4.A.1)."""

    vasps: Annotated[tuple[VaspEntry, ...], readable(VaspEntry)]
    """All VASPs of the network and its affiliated networks; entries that cannot be read are left out."""


class Network(Wire):
    """A network of a coin."""

    network: NonEmpty
    """Name of the network, to be used in all other operations; not a chain code of screening.
    Example: "TRX"
    """
    address_example: MaybeText = None
    """An address in the form of this network.
    Example: "TQn9Y2khEsLJW1ChVWFMSMeRDow5KcbLSE"
    """
    tx_id_example: MaybeText = None
    """A transaction id in the form of this network.
    Example: "9f1c0e5a7b3d4c2e8a6f0b1d3c5e7a9f1c0e5a7b3d4c2e8a6f0b1d3c5e7a9f1c"
    """


class CoinNetwork(Wire):
    """The networks of one coin."""

    coin: NonEmpty
    """Symbol of the coin in capitals, as exchanges list it.
    Example: "USDT"
    """
    network_list: Annotated[tuple[Network, ...], readable(Network)] = ()
    """The networks on which the coin exists; entries that cannot be read are left out."""


class CoinNetworks(Wire):
    """Answer to a question for networks by coin (4.A.3)."""

    updated_date_time: MaybeTimestamp = None
    """Moment of the table's last change: ISO 8601, UTC if no zone is given. What cannot be read counts as not stated.
    Example: "2026-02-01T00:00:00"
    """
    coin_networks: Annotated[tuple[CoinNetwork, ...], readable(CoinNetwork)]
    """One entry for each coin; entries that cannot be read are left out."""


SUCCESS = "SUCCESS"


def _success(value: Any) -> Any:
    if isinstance(value, str) and not (value.isascii() and value.upper() == SUCCESS):
        raise fault("INVALID_VALUE", "must be SUCCESS")
    return value


def _only_success(_: dict[str, Any]) -> dict[str, Any]:
    return widened({"const": SUCCESS}, {"type": "string", "pattern": any_case_pattern(SUCCESS)})


class Accepted(Wire):
    """Answer to a search: it was taken on."""

    result: Annotated[Text, InputForm(_success, _only_success)] = SUCCESS
    """That the search runs: ``SUCCESS``, read in any case.
    Example: "SUCCESS"
    """
    request_id: MaybeText = None
    """The ``requestId`` of the request. It is not relied on, because some hubs answer another value (D36).
    Example: "5d3c0a44-0f4e-4c7f-8a0e-9d0d6f0a1b2c"
    """
