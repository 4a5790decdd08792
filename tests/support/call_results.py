"""Results of calls to the hub, as the call dispatcher submits them."""

from __future__ import annotations

from typing import Any

from tests.support.events import WITHDRAWAL_ID, requested
from tests.support.vasps import PROFILE, SOUTH_PROFILE
from travelrule.identity.payloads import authorization_payload, beneficiary_vasp
from travelrule.machine.internal_inputs import CallResult


def answered(operation: str, transfer_id: str = WITHDRAWAL_ID, **body: Any) -> CallResult:
    """A final answer; ``payload`` goes beside the body, as the caller puts it."""
    payload = body.pop("payload", None)
    return CallResult(
        operation=operation,
        correlation_id=transfer_id,
        target="south",
        outcome="answered",
        status=200,
        message_code=str(body.get("reasonType", "")),
        body=body,
        payload=payload,
        attempts=1,
        counterparty_country="DE",
        counterparty_alliance="code",
    )


def reported(outcome: Any, operation: str, transfer_id: str = WITHDRAWAL_ID, **facts: Any) -> CallResult:
    return CallResult(operation=operation, correlation_id=transfer_id, target="south", outcome=outcome, **facts)


VALID = answered("address-search", result="valid")
COPIED = authorization_payload(requested(), PROFILE)
"""What an authorization of this withdrawal holds, and every honest answer copies."""
HONEST = {**COPIED, "BeneficiaryVASP": beneficiary_vasp(SOUTH_PROFILE)}
VERIFIED = answered("transfer-authorization", result="verified", payload=HONEST)


def denied(reason: str) -> CallResult:
    return answered("transfer-authorization", result="denied", reasonType=reason)
