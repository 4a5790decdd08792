"""Inbound requests of an originator, with the facts that their decision needs."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

from pydantic import ValidationError

from schemas.events.persons import Person
from schemas.ivms101 import Beneficiary, Ivms101, Originator
from schemas.wire_model import Wire
from travelrule.identity.payloads import with_clear_vasp

Part = TypeVar("Part", Beneficiary, Originator)


class SenderFacts(Wire):
    """The sender of an inbound request, as the directory lists it."""

    entity_id: str
    alliance: str = ""
    country: str | None = None
    legal_name: str | None = None
    health: str = "up"

    @property
    def origin(self) -> str:
        """The origin as the directory lists it."""
        return f"{self.alliance}:{self.entity_id}"


class WalletFacts(Wire):
    """A deposit address of ours that an account number of the request names.

    ``account_number`` is the entry of ``Beneficiary.accountNumber`` that named it, exactly as received;
    ``sanctioned``: its address or owner is on a list.
    """

    account_number: str
    wallet_id: str
    tag: str | None = None
    currencies: tuple[str, ...]
    networks: tuple[str, ...] = ()
    customer_id: str
    kyc: bool
    owner: Person | None = None
    sanctioned: bool = False


@dataclass(frozen=True, slots=True)
class ReadPayload:
    """The inner object of a request, validated once.

    ``ivms101`` is None if a part of the object is not as IVMS101 has it. ``beneficiary`` and ``originator`` are the
    parts that can be read, else empty.
    """

    ivms101: Ivms101 | None = field(repr=False)
    beneficiary: Beneficiary = field(repr=False)
    originator: Originator = field(repr=False)

    @classmethod
    def of(cls, payload: dict[str, Any]) -> ReadPayload:
        """Validate an inner object; its parts alone only if the whole is not valid."""
        try:
            whole = Ivms101.from_wire(payload)
        except ValidationError:
            return cls(None, _part(Beneficiary, payload, "Beneficiary"), _part(Originator, payload, "Originator"))
        return cls(whole, whole.beneficiary or Beneficiary(), whole.originator or Originator())


def _part(model: type[Part], payload: dict[str, Any], name: str) -> Part:
    try:
        return model.from_wire(payload.get(name) or {})
    except ValidationError:
        return model()


class AuthorizationReceived(Wire):
    """M2: an authorization that passed orders 1 and 2 (well-formed, decrypted) of member-api.md section 3.

    ``origin`` is ``X-Request-Origin`` as the subject names it, ``entity_id`` the sender's entity id in it. ``ivms101``
    is the opened inner object, unchanged; ``originating_vasp`` the non-empty clear object that overwrites
    ``OriginatingVASP`` (D8). ``wallets`` are our addresses for the account numbers. ``originator_sanctioned`` is
    None if the originator was not screened.

    ``payload`` and ``read`` are made once per value and are not stored: a value that is rebuilt from a stored input
    makes them again.
    """

    origin: str
    entity_id: str
    transfer_id: str
    currency: str
    amount: str
    historical_cost: str = ""
    trade_price: str
    trade_currency: str
    is_exceeding_threshold: bool
    address: str | None = None
    tag: str | None = None
    network: str | None = None
    originating_vasp: dict[str, Any] | None = None
    ivms101: dict[str, Any]
    sender: SenderFacts | None = None
    wallets: tuple[WalletFacts, ...] = ()
    originator_sanctioned: bool | None = None

    @cached_property
    def payload(self) -> dict[str, Any]:
        """``ivms101`` with the clear ``originating_vasp`` in place of ``OriginatingVASP`` (D8)."""
        return with_clear_vasp(self.ivms101, self.originating_vasp)

    @cached_property
    def read(self) -> ReadPayload:
        """``payload``, validated."""
        return ReadPayload.of(self.payload)


class TxidReportReceived(Wire):
    """M3: the originator names the transaction that carries the value."""

    origin: str
    entity_id: str
    transfer_id: str
    txid: str
    vout: str | None = None


class FinishReceived(Wire):
    """M5: the originator will not send, or its transaction failed. ``status`` other than ``canceled`` is refused."""

    origin: str
    entity_id: str
    transfer_id: str
    status: str = "canceled"
    reason_type: str | None = None


INBOUND_REQUEST_INPUTS: dict[str, type[Wire]] = {
    "authorization.received": AuthorizationReceived,
    "txid-report.received": TxidReportReceived,
    "finish.received": FinishReceived,
}
"""The model of each inbound request."""
