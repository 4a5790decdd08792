"""Bodies of wallet and transaction screening, KYT search, unhosted wallets (screening.md 2-4, 4.B.5, P.4).

Categories, tags, statuses and messages are open texts: what is not known is ``unknown`` to whoever rates it.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from schemas.base import Wire
from schemas.text import (
    Address,
    Flag,
    Id,
    MaybeAddress,
    MaybeText,
    MaybeTimestamp,
    NonEmpty,
    Text,
    Txid,
    UpperText,
    absent_is_none,
)


def none_is_empty(value: Any) -> Any:
    """Read an absent array as the empty one."""
    return () if absent_is_none(value) is None else value


Texts = Annotated[tuple[Text, ...], BeforeValidator(none_is_empty)]
Category = Annotated[UpperText | None, BeforeValidator(absent_is_none)]


class WalletScreeningRequest(Wire):
    """4.B.1."""

    wallet_address: Address
    chain: UpperText


class WalletScreeningResponse(Wire):
    """Answer of 4.B.1: ``security_category`` decides, tags never do. ``result`` ``ERROR`` is no rating."""

    result: UpperText
    id: MaybeText = None
    wallet_address: MaybeAddress = None
    security_category: Category = None
    security_tags: Texts = ()
    reason_msg: MaybeText = None


class TransactionScreeningRequest(Wire):
    """4.B.2."""

    txid: Txid
    chain: UpperText


class WalletInfo(Wire):
    """One wallet of a screened transaction."""

    wallet_address: MaybeAddress = None
    security_category: Category = None
    security_tags: Texts = ()
    detailed_description: MaybeText = None


class TransactionScreeningResponse(Wire):
    """Answer of 4.B.2; there is no overall category."""

    result: UpperText
    id: MaybeText = None
    sender_wallets: Annotated[tuple[WalletInfo, ...], BeforeValidator(none_is_empty)] = ()
    receiver_wallets: Annotated[tuple[WalletInfo, ...], BeforeValidator(none_is_empty)] = ()
    reason_msg: MaybeText = None


class KytSearchRequest(Wire):
    """4.B.3: analyse a confirmed transaction; ``force`` ignores the cache and costs quota."""

    tx_hash: Txid
    blockchain: Annotated[UpperText, Field(min_length=1)]
    force: Annotated[Flag | None, BeforeValidator(absent_is_none)] = None
    callback_url: MaybeText = None


class KytSearchResponse(Wire):
    """Answer of 4.B.3; the report is fetched by ``request_id``, also when the status is ``RELEASED``."""

    request_id: int
    status: UpperText
    message: MaybeText = None


class UnhostedTokenRequest(Wire):
    """4.B.5: a session in which a customer proves that a wallet is his own."""

    blockchain: UpperText
    asset: NonEmpty
    address: Address
    customer_identification: Id
    widget_rendering_origin: NonEmpty
    callback_url: MaybeText = None


class UnhostedTokenResponse(Wire):
    """Answer of 4.B.5; the token serves once and for 24 hours."""

    token: NonEmpty
    wallet_verification_id: Id


class UnhostedResult(Wire):
    """P.4, also the callback (sent on success only)."""

    verification_id: MaybeText = None
    status: UpperText
    blockchain: MaybeText = None
    asset: MaybeText = None
    address: MaybeAddress = None
    signature: MaybeText = None
    signed_message: MaybeText = None
    verified_at: MaybeTimestamp = None
