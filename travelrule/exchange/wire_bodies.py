"""The bodies of the calls of an originating VASP: clear fields and inner payload (hub-api.md 4.A.4 to 4.A.7)."""

from __future__ import annotations

from typing import Any, get_args

from schemas.events.withdrawals import Destination, WithdrawalRequested
from schemas.finish_reasons import FinishReason
from schemas.numbers import decimal_text
from travelrule.exchange.originator.state import Attempt
from travelrule.identity.account_numbers import address_and_tag
from travelrule.identity.payloads import address_payload, authorization_payload
from travelrule.identity.profile import VaspProfile
from travelrule.machine.own_profile import KOREA
from travelrule.policy.policy import Policy

FINISH_REASONS = frozenset(get_args(FinishReason))
"""The documented reasons of a finish (hub-api.md 4.A.7)."""

CLEAR_VASP_ALLIANCES = frozenset({"verifyvasp"})
"""Networks that take ``originatingVasp`` outside the payload (ivms101.md section 7)."""


def split_destination(destination: Destination) -> tuple[str, str | None]:
    """Return address and tag, also if the platform joined them (D45)."""
    return address_and_tag(destination.address, destination.tag)


def address_search(request: WithdrawalRequested) -> tuple[dict[str, Any], dict[str, Any]]:
    """Build 4.A.4: the person list is empty, so no personal data are sent."""
    address, tag = split_destination(request.destination)
    return {"currency": request.currency, **_place(request)}, address_payload(address, tag)


def exceeds(request: WithdrawalRequested, policy: Policy) -> bool:
    """Whether this withdrawal exceeds the threshold, by the platform's flag or by the policy."""
    return policy.exceeds(request.trade_price, request.trade_currency, flagged=request.is_exceeding_threshold)


def authorization(
    request: WithdrawalRequested, attempt: Attempt, profile: VaspProfile, *, exceeding: bool
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Build 4.A.5. The names are swapped only if both VASPs are Korean (D17)."""
    to_korea = attempt.country == KOREA
    both_korean = to_korea and profile.country_of_registration == KOREA
    payload = authorization_payload(request, profile, both_korean, to_korea=to_korea)
    clear: dict[str, Any] = {
        "transferId": attempt.transfer_id,
        "currency": request.currency,
        "amount": decimal_text(request.amount),
        "historicalCost": request.historical_cost or "",
        "tradePrice": decimal_text(request.trade_price),
        "tradeCurrency": request.trade_currency,
        "isExceedingThreshold": "true" if exceeding else "false",
        **_place(request),
    }
    if (attempt.alliance or "").lower() in CLEAR_VASP_ALLIANCES:
        clear["originatingVasp"] = payload["OriginatingVASP"]
    return clear, payload


def txid_report(attempt: Attempt, txid: str, vout: str | None) -> dict[str, Any]:
    """Build 4.A.6 with the txid exactly as the node printed it."""
    clear = {"transferId": attempt.transfer_id, "txid": txid}
    return {**clear, "vout": vout} if vout is not None else clear


def finish(attempt: Attempt, reason: str) -> dict[str, Any]:
    """Build 4.A.7."""
    known = reason if reason in FINISH_REASONS else "UNKNOWN"
    return {"transferId": attempt.transfer_id, "status": "canceled", "reasonType": known}


def _place(request: WithdrawalRequested) -> dict[str, Any]:
    """Return the clear address fields that some networks require and all others tolerate."""
    address, tag = split_destination(request.destination)
    place = {"address": address, "tag": tag, "network": request.network}
    return {name: value for name, value in place.items() if value}
