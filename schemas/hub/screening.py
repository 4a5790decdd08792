"""Bodies of wallet and transaction screening, KYT search, unhosted wallets (screening.md 2-4, 4.B.5, P.4).

Categories, tags, statuses and messages are open texts: what is not known is rated ``unknown``.
"""

from __future__ import annotations

from typing import Annotated

from schemas.input_forms import absent, several
from schemas.moments import MaybeTimestamp
from schemas.numbers import Whole
from schemas.texts import (
    Address,
    ChainCode,
    Flag,
    Id,
    MaybeAddress,
    MaybeText,
    MaybeUpper,
    NonEmpty,
    Text,
    Txid,
    UpperText,
)
from schemas.wire_model import Wire

Texts = Annotated[tuple[Text, ...], several]


class WalletScreeningRequest(Wire):
    """Request of a wallet screening (4.B.1)."""

    wallet_address: Address
    """The address that is to be rated, without a tag.
    Example: "0x52908400098527886E0F7030069857D2E4169EE7"
    """
    chain: ChainCode
    """Chain code of the screening, one of 19, in any case; not the name of a network.
    Example: "ETH"
    """


class WalletScreeningResponse(Wire):
    """Answer to a wallet screening (4.B.1)."""

    result: UpperText
    """Whether there is a rating: ``NORMAL``, or ``ERROR``, which is no rating. Any other text counts as ``ERROR``.
    Example: "NORMAL"
    """
    id: MaybeText = None
    """Id of the call at the provider, for questions about it.
    Example: "5d3c0a44-0f4e-4c7f-8a0e-9d0d6f0a1b2c"
    """
    wallet_address: MaybeAddress = None
    """The rated address, repeated from the request.
    Example: "0x52908400098527886E0F7030069857D2E4169EE7"
    """
    security_category: MaybeUpper = None
    """The rating: ``BLACK`` highly suspicious, ``GRAY`` suspicious, ``WHITE`` normal, ``UNKNOWN`` cannot be rated. It
    alone decides; any other text counts as ``UNKNOWN``.
    Example: "WHITE"
    """
    security_tags: Texts = ()
    """Labels of the findings; an open list, for people to read.
    Example: ["Phishing"]
    """
    reason_msg: MaybeText = None
    """What went wrong, beside ``ERROR``.
    Example: "chain is none of those that can be screened"
    """


class TransactionScreeningRequest(Wire):
    """Request of a transaction screening (4.B.2)."""

    txid: Txid
    """The transaction to rate, exactly as the node printed its id.
    Example: "9f1c0e5a7b3d4c2e8a6f0b1d3c5e7a9f1c0e5a7b3d4c2e8a6f0b1d3c5e7a9f1c"
    """
    chain: ChainCode
    """Chain code of the screening, one of 19, in any case; not the name of a network.
    Example: "ETH"
    """


class WalletInfo(Wire):
    """One wallet of a screened transaction."""

    wallet_address: MaybeAddress = None
    """Address of the wallet on the chain that was analysed.
    Example: "0x52908400098527886E0F7030069857D2E4169EE7"
    """
    security_category: MaybeUpper = None
    """The wallet's rating, as in a wallet screening: ``BLACK``, ``GRAY``, ``WHITE`` or ``UNKNOWN``.
    Example: "GRAY"
    """
    security_tags: Texts = ()
    """Labels of the findings; an open list, for people to read.
    Example: ["Gambling"]
    """
    detailed_description: MaybeText = None
    """Explanation of the findings for a person.
    Example: "Deposits from a gambling service"
    """


class TransactionScreeningResponse(Wire):
    """Answer to a transaction screening (4.B.2); there is no overall category, the worst wallet decides."""

    result: UpperText
    """Whether there is a rating: ``NORMAL``, or ``ERROR``, which is no rating. Any other text counts as ``ERROR``.
    Example: "NORMAL"
    """
    id: MaybeText = None
    """Id of the call at the provider, for questions about it.
    Example: "5d3c0a44-0f4e-4c7f-8a0e-9d0d6f0a1b2c"
    """
    sender_wallets: Annotated[tuple[WalletInfo, ...], several] = ()
    """The wallets that the coins came from."""
    receiver_wallets: Annotated[tuple[WalletInfo, ...], several] = ()
    """The wallets that the coins went to."""
    reason_msg: MaybeText = None
    """What went wrong, beside ``ERROR``.
    Example: "chain is none of those that can be screened"
    """


class KytSearchRequest(Wire):
    """Request of a KYT search (4.B.3): analyse a transaction."""

    tx_hash: Txid
    """A confirmed transaction, exactly as the node printed its id.
    Example: "0x5e1d3a76fbf824220eafc8c79ad578ad2b67d01b0c2425eb1f1347e8f50882ab"
    """
    blockchain: ChainCode
    """Chain code of the analysis, one of 38, in any case: the chain that the transaction is really on.
    Example: "ETH"
    """
    force: Annotated[Flag | None, absent] = None
    """Whether to analyse again although a result is known; costs quota. Absent means false. The texts
    ``"true"`` and ``"false"`` are read too."""
    callback_url: MaybeText = None
    """HTTPS URL that the report is posted to once, when it is ready or has failed.
    Example: "https://vasp.example.com/callbacks/kyt-search/0123456789abcdef0123456789abcdef"
    """


class KytSearchResponse(Wire):
    """Answer to a KYT search (4.B.3). The report is fetched separately, whatever the status."""

    request_id: Whole
    """Number of the analysis, by which its report is fetched.
    Example: 48213
    """
    status: UpperText
    """Whether the report can be fetched: ``RELEASED`` now, ``PENDING`` later. Read in any case.
    Example: "PENDING"
    """
    message: MaybeText = None
    """Explanation for a person.
    Example: "Transaction analysis started."
    """


class UnhostedTokenRequest(Wire):
    """Request of a session in which a customer proves the ownership of a wallet (4.B.5)."""

    blockchain: ChainCode
    """Chain code of the proof, one of 7, in any case.
    Example: "ETH"
    """
    asset: Id
    """Ticker of the token that the proof is about.
    Example: "USDC"
    """
    address: Address
    """Address on the chain that the customer says to own.
    Example: "0x52908400098527886E0F7030069857D2E4169EE7"
    """
    customer_identification: Id
    """The VASP's own id of the customer.
    Example: "c-1001"
    """
    widget_rendering_origin: Id
    """Web origin (scheme, host, port) of the page that shows the widget.
    Example: "https://app.example.com:443"
    """
    callback_url: MaybeText = None
    """HTTPS URL that the result is posted to, on success only.
    Example: "https://vasp.example.com/callbacks/unhosted-token/0123456789abcdef0123456789abcdef"
    """


class UnhostedTokenResponse(Wire):
    """Answer to the request of a session (4.B.5)."""

    token: NonEmpty
    """Secret that the widget is opened with. It serves once and for 24 hours.
    Example: "wv-session-token-example"
    """
    wallet_verification_id: Id
    """Id of the session, by which its result is fetched; another one for each request.
    Example: "wv-7781"
    """


class UnhostedResult(Wire):
    """Result of a session (P.4); its callback, sent on success only, has the same body."""

    verification_id: MaybeText = None
    """Id of the session: the ``walletVerificationId`` of the answer.
    Example: "wv-7781"
    """
    status: UpperText
    """State of the session: ``VERIFIED`` after a proof, ``PENDING`` before. Any other text is no proof.
    Example: "VERIFIED"
    """
    blockchain: MaybeText = None
    """Chain code of the wallet, repeated from the request of the session.
    Example: "ETH"
    """
    asset: MaybeText = None
    """Ticker of the token, repeated from the request of the session.
    Example: "USDC"
    """
    address: MaybeAddress = None
    """The customer's wallet, repeated from the request of the session.
    Example: "0x52908400098527886E0F7030069857D2E4169EE7"
    """
    signature: MaybeText = None
    """The wallet's signature over ``signedMessage``, in the form that the wallet made.
    Example: "0x01"
    """
    signed_message: MaybeText = None
    """The text that the customer confirmed with the wallet's key.
    Example: "I confirm to North Exchange Ltd. that this wallet is mine."
    """
    verified_at: MaybeTimestamp = None
    """Moment of the proof: ISO 8601, UTC if no zone is given. What cannot be read counts as not stated.
    Example: "2026-11-20T09:04:11Z"
    """
