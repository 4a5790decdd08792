"""Events of topic ``wallets``: deposit addresses of our customers; the newest record of a key counts."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StrictBool

from schemas.events.persons import Person
from schemas.limits import WALLET_CURRENCIES_MAX, WALLET_NETWORKS_MAX
from schemas.texts import Address, Currency, Id, MaybeId
from schemas.wire_model import Wire


class WalletRegistered(Wire):
    """``wallet.registered.v1``: sent when a customer gets a deposit address, and whenever the address or the customer's
    data change; the newest record of a wallet replaces the earlier ones. Address checks of other VASPs are answered
    from these records.
    """

    wallet_id: Id
    """The platform's id of the deposit address; also the record's key and the ``subject`` of the event.
    Example: "w-3001"
    """
    address: Address
    """The deposit address without the tag, in the form that customers are shown.
    Example: "rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY"
    """
    tag: MaybeId = None
    """Destination tag or memo that leads to this customer, where customers share the address.
    Example: "77001"
    """
    currencies: Annotated[tuple[Currency, ...], Field(min_length=1, max_length=WALLET_CURRENCIES_MAX)]
    """Symbols of the coins that may be deposited here, in any case; at least one.
    Example: ["XRP"]
    """
    networks: Annotated[tuple[Id, ...], Field(max_length=WALLET_NETWORKS_MAX)] = ()
    """Networks on which deposits are taken, as the hub's list of networks names them. Empty: every network of the
    coins.
    Example: ["XRP"]
    """
    customer_id: Id
    """The platform's own id of the customer who owns the address.
    Example: "c-1001"
    """
    kyc: StrictBool
    """Whether the customer has finished KYC; without it address checks are answered ``NOT_KYC_USER``."""
    owner: Person
    """The customer with all names held for him: names that other VASPs send are compared with these."""


class WalletRemoved(Wire):
    """``wallet.removed.v1``: sent when an address takes no deposits any more. A tombstone (a Kafka record without
    value) means the same and is the usual way.
    """

    wallet_id: Id
    """Id of the wallet to remove; also the record's key and the ``subject`` of the event.
    Example: "w-3001"
    """
