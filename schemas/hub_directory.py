"""Bodies of the hub's directory: VASP list, public keys, networks by coin (hub-api.md 4.A.1-3), errors.

They are read tolerantly: one bad entry must not hide all the others, an odd date is an unknown date.
"""

from __future__ import annotations

from typing import Annotated, Any, Self, TypeVar

from pydantic import AliasChoices, BeforeValidator, Field, ValidationError, model_validator

from schemas.base import Wire
from schemas.faults import fault
from schemas.text import Id, MaybeText, MaybeTimestamp, NonEmpty, Text, absent_is_none

Entry = TypeVar("Entry", bound=Wire)


def readable(model: type[Entry]) -> BeforeValidator:
    """Make a reader of a list that leaves out what is not a ``model``; absent is the empty list."""

    def read(value: Any) -> Any:
        if absent_is_none(value) is None:
            return ()
        if not isinstance(value, list | tuple):
            return value
        return tuple(entry for raw in value if (entry := _read_or_none(model, raw)) is not None)

    return BeforeValidator(read)


def _read_or_none(model: type[Entry], raw: Any) -> Entry | None:
    try:
        return model.model_validate(raw)
    except ValidationError:
        return None


class ErrorBody(Wire):
    """The body of every failure of the hub and of 503 answers of members (errors.md)."""

    error_type: Text = "UNKNOWN"
    error_msg: MaybeText = None


class PublicKey(Wire):
    """A VASP's Ed25519 public key, base64. ``expires_at`` None: not stated, or not readable (D35)."""

    pubkey: NonEmpty
    expires_at: MaybeTimestamp = None


class PublicKeys(Wire):
    """Answer of 4.A.2: the keys that are valid now, uncached."""

    pubkeys: Annotated[tuple[PublicKey, ...], readable(PublicKey)] = ()


class VaspEntry(Wire):
    """One VASP of the list. ``vasp_entity_id`` equals ``vasp_name``; either one is enough to know it by."""

    vasp_entity_id: Annotated[
        Id,
        Field(validation_alias=AliasChoices("vaspEntityId", "vaspName"), serialization_alias="vaspEntityId"),
    ]
    vasp_name: MaybeText = None
    vasp_legal_name: MaybeText = None
    health: Text = "up"
    country_of_registration: MaybeText = None
    alliance_name: MaybeText = None
    pubkeys: Annotated[tuple[PublicKey, ...], readable(PublicKey)] = ()

    @property
    def is_up(self) -> bool:
        """Whether requests may be sent: anything that is not ``down`` (the field is an open text)."""
        return self.health.lower() != "down"


class VaspList(Wire):
    """Answer of 4.A.1. Entries that cannot be read are left out."""

    vasps: Annotated[tuple[VaspEntry, ...], readable(VaspEntry)]


class Network(Wire):
    """A network of a coin; ``network`` is the name for all other operations."""

    network: NonEmpty
    address_example: MaybeText = None
    tx_id_example: MaybeText = None


class CoinNetwork(Wire):
    """The networks of one coin."""

    coin: NonEmpty
    network_list: Annotated[tuple[Network, ...], readable(Network)] = ()


class CoinNetworks(Wire):
    """Answer of 4.A.3."""

    updated_date_time: MaybeTimestamp = None
    coin_networks: Annotated[tuple[CoinNetwork, ...], readable(CoinNetwork)]


class Accepted(Wire):
    """Answer to a search: it was taken on. Correlate by the request's own id, not by this one (D36)."""

    result: Text = "SUCCESS"
    request_id: MaybeText = None

    @model_validator(mode="after")
    def _was_accepted(self) -> Self:
        if self.result.upper() != "SUCCESS":
            raise fault("INVALID_VALUE", "must be SUCCESS", "result")
        return self
