"""Transfers that a robot received, and its answers to txid reports and finishes (states.md sections 3 and 4).

Written from the tables of the protocol and not shared with the program's machines, which robots serve to test.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from travelrule.identity.txids import same_txid

Status = Literal["verified", "denied", "confirmed", "canceled"]


@dataclass(slots=True)
class RobotTransfer:
    """One transfer on the beneficiary side. ``fingerprint`` distinguishes a repetition from another transfer."""

    fingerprint: str
    status: Status
    reason_type: str = ""
    txid: str = ""
    vout: str = ""
    credited: bool = False


class TransferStore:
    """Transfers by (origin, transferId): the same id of another origin is another transfer."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str], RobotTransfer] = {}

    def __len__(self) -> int:
        return len(self._kept)

    def find(self, origin: str, transfer_id: str) -> RobotTransfer | None:
        """Return the transfer, if it is known."""
        return self._kept.get((origin, transfer_id))

    def keep(self, origin: str, transfer_id: str, transfer: RobotTransfer) -> None:
        """Store a transfer that was answered."""
        self._kept[origin, transfer_id] = transfer

    def report(self, origin: str, transfer_id: str, txid: str, vout: str, *, credit: bool) -> str:
        """Process a txid report; return the ``reasonType`` of the error, empty for ``normal``.

        With ``credit`` the customer is paid at once, and the transfer cannot be canceled afterwards.
        """
        transfer = self.find(origin, transfer_id)
        if transfer is None:
            return "UNKNOWN_TRANSFER_ID"
        if transfer.txid:
            if not same_txid(transfer.txid, txid):
                return "TXID_ALREADY_EXISTS"
            if transfer.status == "confirmed":
                transfer.vout = transfer.vout or vout
            return ""
        if transfer.status in ("denied", "canceled"):
            return "TRANSFER_ALREADY_FAILED"
        transfer.txid, transfer.vout = txid, vout
        transfer.status, transfer.credited = "confirmed", credit
        return ""

    def finish(self, origin: str, transfer_id: str) -> str:
        """Process a finish; return the ``reasonType`` of the error, empty for ``normal``."""
        transfer = self.find(origin, transfer_id)
        if transfer is None:
            return "UNKNOWN_TRANSFER_ID"
        if transfer.credited:
            return "ILLEGAL_STATEFLOW"
        transfer.status = "canceled"
        return ""
