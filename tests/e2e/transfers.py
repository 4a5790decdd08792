"""Withdrawals from request to settlement, one or many."""

from __future__ import annotations

from travelrule.commands.demo.platform import DemoPlatform
from travelrule.commands.demo.scenarios import DemoStage, new_txid


async def whole_way(stage: DemoStage, north: DemoPlatform, withdrawal_id: str) -> tuple[str, str]:
    """Request, broadcast, mined, settled; return transferId and txid."""
    txid = new_txid()
    await stage.request(withdrawal_id)
    verdict = await north.verdict(withdrawal_id, "allow", "VERIFIED")
    await stage.broadcast(withdrawal_id, txid)
    await north.send("txids", "withdrawal.mined.v1", withdrawal_id, {"withdrawalId": withdrawal_id})
    settled = {"withdrawalId": withdrawal_id, "outcome": "confirmed"}
    await north.send("txids", "withdrawal.settled.v1", withdrawal_id, settled)
    return str(verdict.data["transferId"]), txid
