"""Events of topic ``txids``: what the chain did with an allowed withdrawal."""

from __future__ import annotations

from typing import Literal

from schemas.base import Wire
from schemas.text import Id, Txid, Vout


class WithdrawalBroadcast(Wire):
    """``withdrawal.broadcast.v1``: a node accepted the transaction."""

    withdrawal_id: Id
    txid: Txid
    vout: Vout = None


class WithdrawalMined(Wire):
    """``withdrawal.mined.v1``: the transaction is in a block."""

    withdrawal_id: Id


class WithdrawalSettled(Wire):
    """``withdrawal.settled.v1``: final on chain, or failed for good."""

    withdrawal_id: Id
    outcome: Literal["confirmed", "failed"]
