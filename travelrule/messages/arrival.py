"""Messages between exchanges, deposits and the arrival subject that pairs them (``SendMessage``).

A deposit has no reference to the exchange that announced it, nor the exchange to the deposit. Both have the transaction
and the address, which give the subject ``arrival:<digest>`` (``arrival_subject``). Its lock orders their messages.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Literal

from schemas.operations import Operation
from schemas.wire_model import Wire
from travelrule.crypto.fingerprint import fingerprint
from travelrule.identity.account_numbers import canonical
from travelrule.identity.txids import txid_key

_DIGITS = 64


def arrival_subject(txid: str, address: str, tag: str | None) -> str:
    """Return the subject of the rendezvous of this transaction and this address (with its tag).

    The address is in it as part of a digest only, because an address on chain is personal data and subjects are stored
    in index columns; the txid in the digest has too much entropy for guessing.
    """
    text = "\n".join((txid_key(txid), canonical(address), tag or ""))
    return f"arrival:{fingerprint(text.encode(), _DIGITS)}"


class ArrivalReported(Wire):
    """An exchange (beneficiary side) has stored this txid. ``exchange`` is its subject."""

    exchange: str
    counterparty: str
    transfer_id: str
    currency: str
    network: str = ""
    amount: Decimal
    vout: str | None = None


class ArrivalWithdrawn(Wire):
    """The exchange was canceled and announces no transaction."""

    exchange: str


class ArrivalSeen(Wire):
    """A deposit is on chain. ``sighting`` counts these messages. Answers name it, so that an answer to an earlier
    sighting, which a retraction ended, does not apply to this one.
    """

    deposit_id: str
    sighting: int = 1
    currency: str
    network: str = ""
    amount: Decimal
    vout: str | None = None


class ArrivalRetracted(Wire):
    """The deposit is no longer on chain (re-organisation)."""

    deposit_id: str


class DepositMatched(Wire):
    """This exchange announced the deposit."""

    exchange: str
    counterparty: str
    transfer_id: str
    currency: str
    network: str = ""
    amount: Decimal
    vout: str | None = None
    sighting: int = 1


class DepositUnmatched(Wire):
    """The announcing exchange was canceled, or another deposit fits it better; no other exchange fits."""

    exchange: str
    sighting: int = 1


class DepositUnannounced(Wire):
    """No known exchange has announced the deposit."""

    sighting: int = 1


class ExchangeArrived(Wire):
    """The value of this exchange is on chain."""

    deposit_id: str


class ExchangeSettled(Wire):
    """The stage of the deposit of this exchange. After ``final`` or ``credited`` a finish (M5) is refused."""

    deposit_id: str
    stage: Literal["final", "credited", "returned", "seized", "retracted"]


class TxidLearned(Wire):
    """A status search (4.A.8) returned the txid without a report; stored like a report (states.md section 3)."""

    txid: str
    vout: str | None = None


class SearchCalledBack(Wire):
    """A callback about a search. It is never trusted: it only leads to a question for the result.

    ``request_id`` is the id of our call (``CallHub.transfer_id``), also where the hub has its own id (KYT, unhosted
    wallets).
    """

    operation: Literal[Operation.TXID_SEARCH, Operation.WALLET_SEARCH, Operation.KYT_SEARCH, Operation.UNHOSTED_TOKEN]
    request_id: str


ARRIVAL_MESSAGES: dict[str, type[Wire]] = {
    "arrival.reported": ArrivalReported,
    "arrival.withdrawn": ArrivalWithdrawn,
    "arrival.seen": ArrivalSeen,
    "arrival.retracted": ArrivalRetracted,
    "deposit.matched": DepositMatched,
    "deposit.unmatched": DepositUnmatched,
    "deposit.unannounced": DepositUnannounced,
    "exchange.arrived": ExchangeArrived,
    "exchange.settled": ExchangeSettled,
    "exchange.txid-learned": TxidLearned,
    "search.called-back": SearchCalledBack,
}
"""The model of each message type."""
