"""Events of the trading platform about a withdrawal and a deposit, with a maker for each."""

from __future__ import annotations

from typing import Any

from schemas.events.decisions import DecisionRecorded
from schemas.events.txids import WithdrawalBroadcast, WithdrawalMined, WithdrawalSettled
from schemas.events.withdrawals import WithdrawalAmended, WithdrawalCancelled, WithdrawalRecorded, WithdrawalRequested

WITHDRAWAL_ID = "0b6f3c1e-7d0a-4f6e-9a51-2f1d9d1f7c11"
TXID = "9F1C0E5A7B3D4C2E8A6F0B1D3C5E7A9F1C0E5A7B3D4C2E8A6F0B1D3C5E7A9F1C"
OTHER_TXID = "1111111111111111111111111111111111111111111111111111111111111111"
ADDRESS = "rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY"
TAG = "77001"


def request(**changes: Any) -> dict[str, Any]:
    return {
        "withdrawalId": WITHDRAWAL_ID,
        "currency": "XRP",
        "network": "XRP",
        "amount": "250.50",
        "tradePrice": "150.30",
        "tradeCurrency": "USD",
        "isExceedingThreshold": True,
        "historicalCost": "",
        "destination": {"kind": "vasp", "vaspEntityId": "south", "address": ADDRESS, "tag": TAG},
        "originator": {
            "customerId": "c-1001",
            "walletAddress": "rEb8TK3gBgk5auZkwc6sHnwrGVJH8DuaLh:1001",
            "natural": {"lastName": "Berg", "firstName": "Anna", "dateOfBirth": "1990-02-03"},
        },
        "beneficiary": {"natural": {"lastName": "Lind", "firstName": "Erik"}},
        **changes,
    }


def requested(**changes: Any) -> WithdrawalRequested:
    return WithdrawalRequested.model_validate(request(**changes))


def recorded(**changes: Any) -> WithdrawalRecorded:
    return WithdrawalRecorded.model_validate({**request(**changes), "txid": TXID})


def amended(**changes: Any) -> WithdrawalAmended:
    given = changes or {"beneficiary": {"natural": {"lastName": "Lindh", "firstName": "Erik"}}}
    return WithdrawalAmended.model_validate({"withdrawalId": WITHDRAWAL_ID, **given})


def cancelled(reason: str = "UNKNOWN") -> WithdrawalCancelled:
    return WithdrawalCancelled.model_validate({"withdrawalId": WITHDRAWAL_ID, "reason": reason})


def broadcast(txid: str = TXID, vout: str | None = None) -> WithdrawalBroadcast:
    return WithdrawalBroadcast(withdrawal_id=WITHDRAWAL_ID, txid=txid, vout=vout)


def mined() -> WithdrawalMined:
    return WithdrawalMined(withdrawal_id=WITHDRAWAL_ID)


def settled(outcome: Any = "confirmed") -> WithdrawalSettled:
    return WithdrawalSettled(withdrawal_id=WITHDRAWAL_ID, outcome=outcome)


def decided(decision: Any, subject: str = f"withdrawal:{WITHDRAWAL_ID}") -> DecisionRecorded:
    return DecisionRecorded(subject=subject, decision=decision, actor="operator-1", reason="checked by phone")


UNKNOWN = {"kind": "unknown", "address": ADDRESS, "tag": TAG}
"""A destination without a named VASP."""
UNHOSTED = {"kind": "unhosted", "address": "0xab", "blockchain": "ETH", "asset": "ETH", "widgetOrigin": "https://a"}
"""The customer's own wallet."""
