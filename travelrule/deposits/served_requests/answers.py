"""The bodies of the answers to a data request (M7)."""

from __future__ import annotations

from typing import Any

from schemas.events.withdrawals import WithdrawalRequested
from schemas.numbers import decimal_text
from travelrule.deposits.served_requests.examination import DataRefusal
from travelrule.deposits.served_requests.received_request import DataRequestReceived
from travelrule.identity.payloads import data_answer_payload
from travelrule.identity.profile import VaspProfile
from travelrule.machine.own_profile import KOREA


def normal_answer(
    request: DataRequestReceived, data: WithdrawalRequested, profile: VaspProfile, *, exceeding: bool
) -> dict[str, Any]:
    """Return the answer with the originator's data."""
    country = request.requester.country if request.requester is not None else None
    both_korean = country == KOREA and profile.country_of_registration == KOREA
    return {
        "result": "normal",
        "reasonType": "",
        "reasonMsg": "",
        "transferId": request.transfer_id,
        "currency": data.currency,
        "amount": decimal_text(data.amount),
        "historicalCost": data.historical_cost or "",
        "tradePrice": decimal_text(data.trade_price),
        "tradeCurrency": data.trade_currency,
        "isExceedingThreshold": "true" if exceeding else "false",
        "payload": data_answer_payload(request.ivms101, data, profile, both_korean=both_korean),
    }


def error_answer(request: DataRequestReceived, refusal: DataRefusal) -> dict[str, Any]:
    """Return an error; it reveals nothing about the withdrawal."""
    return {
        "result": "error",
        "reasonType": refusal.reason,
        "reasonMsg": refusal.message,
        "transferId": request.transfer_id,
    }
