"""Events of topic ``exchanges``: the state of each data exchange; the newest record of a key counts."""

from __future__ import annotations

from typing import Literal

from schemas.events.verdicts import Sequenced
from schemas.texts import Id, MaybeId, MaybeTxid, Text, Word
from schemas.wire_model import Wire


class ExchangeBody(Wire):
    """One exchange of Travel Rule data with one VASP."""

    transfer_id: Id
    """Id of the transfer on the wire, made by the originating VASP. On the beneficiary side the record's key puts the
    sender's entity id and a slash before it.
    Example: "0b6f3c1e-7d0a-4f6e-9a51-2f1d9d1f7c11"
    """
    side: Literal["originating", "beneficiary"]
    """Which part this VASP has: ``originating`` sends the coins, ``beneficiary`` receives them."""
    status: Word
    """State of the exchange in the protocol's words: ``wait``, ``verified``, ``denied``, ``pending``, ``processing``,
    ``wait-confirm``, ``confirmed`` or ``canceled``.
    Example: "verified"
    """
    chain: Text
    """State of the transaction on the chain as this VASP knows it, apart from ``status``: ``none``, ``broadcast``,
    ``mined``, ``final``, ``failed``, ``retracted``.
    Example: "mined"
    """
    txid: MaybeTxid = None
    """Id of the transaction that carries the transfer, once it is known.
    Example: "9f1c0e5a7b3d4c2e8a6f0b1d3c5e7a9f1c0e5a7b3d4c2e8a6f0b1d3c5e7a9f1c"
    """
    counterparty: Id
    """Entity id of the other VASP.
    Example: "south"
    """
    withdrawal_id: MaybeId = None
    """The platform's id of the withdrawal, on the originating side.
    Example: "0b6f3c1e-7d0a-4f6e-9a51-2f1d9d1f7c11"
    """
    deposit_id: MaybeId = None
    """The platform's id of the deposit, on the beneficiary side, once one was matched.
    Example: "d-2001"
    """


class ExchangeChanged(Sequenced, ExchangeBody):
    """``exchange.changed.v1``: sent each time that the state of an exchange changes; the topic is compacted, so the
    newest record of a key is the present state.
    """
