"""Events of topic ``wallets``: deposit addresses of own customers, the newest record of each key counts."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StrictBool

from schemas.base import Wire
from schemas.persons import Person
from schemas.text import Address, Currency, Id, MaybeId


class WalletRegistered(Wire):
    """``wallet.registered.v1``: an address that belongs to a customer, and who that is."""

    wallet_id: Id
    address: Address
    tag: MaybeId = None
    currencies: Annotated[tuple[Currency, ...], Field(min_length=1, max_length=1000)]
    networks: Annotated[tuple[Id, ...], Field(max_length=1000)] = ()
    customer_id: Id
    kyc: StrictBool
    owner: Person


class WalletRemoved(Wire):
    """``wallet.removed.v1``, or a tombstone (a Kafka record without value): the key is all there is."""

    wallet_id: Id
