"""Events of topic ``exchanges``: how far each data exchange is, the newest record of each key counts."""

from __future__ import annotations

from typing import Literal

from schemas.base import Wire
from schemas.text import Id, MaybeId, MaybeTxid, Text, Word
from schemas.verdicts import Sequenced


class ExchangeBody(Wire):
    """One exchange. ``chain`` is the transaction's state on the chain, apart from ``status`` (D40)."""

    transfer_id: Id
    side: Literal["originating", "beneficiary"]
    status: Word
    chain: Text
    txid: MaybeTxid = None
    counterparty: Id
    withdrawal_id: MaybeId = None
    deposit_id: MaybeId = None


class ExchangeChanged(Sequenced, ExchangeBody):
    """``exchange.changed.v1``: the exchange has another status."""
