"""The input and the answer of txid reports and finishes: both conclude an authorization."""

from __future__ import annotations

from schemas.wire_model import Wire
from travelrule import logs
from travelrule.gateway.dependencies import GatewayDeps
from travelrule.gateway.endpoint import Answer
from travelrule.gateway.request_inputs import ERASED, input_of, reply_of
from travelrule.gateway.request_origin import RequestOrigin

log = logs.get("gateway")


async def apply_conclusion(deps: GatewayDeps, caller: RequestOrigin, kind: str, transfer_id: str, data: Wire) -> Answer:
    """Apply a report or a finish and return the answer; ``error`` ``UNKNOWN``, which is retried, if this fails."""
    item = input_of(
        deps, caller, kind, transfer_id, data, content=data.model_dump(mode="json", by_alias=True), once=False
    )
    try:
        outcome = await deps.intake.submit(item)
        if outcome.code == ERASED:
            return {"transferId": transfer_id, "result": "error", "reasonType": "UNKNOWN_TRANSFER_ID"}
        reply = reply_of(outcome)
    except Exception as error:  # noqa: BLE001
        # The tables of M3 and M5 have a row for an internal failure.
        log.error("conclusion-failed", operation=kind, error=error)  # noqa: TRY400 -- our own log, which must not hold the text
        return {"transferId": transfer_id, "result": "error", "reasonType": "UNKNOWN"}
    return {
        "transferId": transfer_id,
        "result": reply["result"],
        "reasonType": reply.get("reasonType") or "",
    }
