"""What exchanges, deposits and the meeting place of both tell each other (``SendMessage``).

A deposit does not know the exchange that announced it, and the exchange does not know the deposit. Both know the
transaction and the address, so they meet at ``arrival:<digest>`` (`arrival_subject`), whose lock puts their
messages in an order, whoever comes first.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Literal

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
    """An exchange (beneficiary side) holds this txid: ``exchange`` is its subject."""

    exchange: str
    counterparty: str
    transfer_id: str
    currency: str
    network: str = ""
    amount: Decimal
    vout: str | None = None


class ArrivalWithdrawn(Wire):
    """The exchange was canceled: it announces nothing any more."""

    exchange: str


class ArrivalSeen(Wire):
    """A deposit stands on chain. ``sighting`` counts how often it said so; the answers name it, so that an answer to an
    earlier sighting, which a retraction ended, is not taken for one to this.
    """

    deposit_id: str
    sighting: int = 1
    currency: str
    network: str = ""
    amount: Decimal
    vout: str | None = None


class ArrivalRetracted(Wire):
    """The deposit is not on chain any more (re-organisation)."""

    deposit_id: str


class DepositMatched(Wire):
    """The deposit was announced by this exchange."""

    exchange: str
    counterparty: str
    transfer_id: str
    currency: str
    network: str = ""
    amount: Decimal
    vout: str | None = None
    sighting: int = 1


class DepositUnmatched(Wire):
    """The exchange that announced the deposit was canceled, or another deposit fits it better; no other fits."""

    exchange: str
    sighting: int = 1


class DepositUnannounced(Wire):
    """No exchange that is known by now announced the deposit."""

    sighting: int = 1


class ExchangeArrived(Wire):
    """The value of this exchange stands on chain."""

    deposit_id: str


class ExchangeSettled(Wire):
    """How far the deposit of this exchange came: ``final`` and ``credited`` close the door for a finish (M5)."""

    deposit_id: str
    stage: Literal["final", "credited", "returned", "seized", "retracted"]


class TxidLearned(Wire):
    """A status search (4.A.8) told the txid that no report brought; stored like a report (states.md section 3)."""

    txid: str
    vout: str | None = None


class SearchCalledBack(Wire):
    """Somebody called back about a search. Never trusted alone: it only makes us ask for the result now.

    ``request_id`` is the id that our call had (``CallHub.transfer_id``), also where the hub has its own (KYT, unhosted
    wallets).
    """

    operation: Literal["txid-search", "wallet-search", "kyt-search", "unhosted-token"]
    request_id: str


MEETING: dict[str, type[Wire]] = {
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
"""Which model a message between subjects is."""
