"""Events of topic ``txids``: the transaction of an allowed withdrawal on chain."""

from __future__ import annotations

from typing import Literal

from schemas.numbers import Vout
from schemas.texts import Id, Txid
from schemas.wire_model import Wire


class WithdrawalBroadcast(Wire):
    """``withdrawal.broadcast.v1``: sent when a node accepted the transaction of an allowed withdrawal. By default the
    txid is reported to the counterparty at this moment.
    """

    withdrawal_id: Id
    """Id of the withdrawal; also the record's key and the ``subject`` of the event.
    Example: "0b6f3c1e-7d0a-4f6e-9a51-2f1d9d1f7c11"
    """
    txid: Txid
    """Id of the transaction, exactly as the node printed it, without an added ``0x``. It cannot be replaced later.
    Example: "9f1c0e5a7b3d4c2e8a6f0b1d3c5e7a9f1c0e5a7b3d4c2e8a6f0b1d3c5e7a9f1c"
    """
    vout: Vout = None
    """Index of the output that pays the beneficiary, counted from 0, for coins with outputs: digits in a JSON string; a
    JSON integer is read as well.
    Example: "0"
    """


class WithdrawalMined(Wire):
    """``withdrawal.mined.v1``: sent when the transaction is in a block, final or not."""

    withdrawal_id: Id
    """Id of a withdrawal that was broadcast; also the record's key and the ``subject`` of the event.
    Example: "0b6f3c1e-7d0a-4f6e-9a51-2f1d9d1f7c11"
    """


class WithdrawalSettled(Wire):
    """``withdrawal.settled.v1``: sent when the transaction is final on the chain, or will never be. After ``failed``
    the transfer is finished at the counterparty.
    """

    withdrawal_id: Id
    """Id of a withdrawal that was broadcast; also the record's key and the ``subject`` of the event.
    Example: "0b6f3c1e-7d0a-4f6e-9a51-2f1d9d1f7c11"
    """
    outcome: Literal["confirmed", "failed"]
    """How it ended: ``confirmed`` by the platform's own rule of confirmations, or ``failed`` without a way back."""
