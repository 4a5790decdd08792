"""M3 POST /v1/beneficiary/transfer/txid: the transaction that carries an authorized transfer (member-api.md 4)."""

from __future__ import annotations

from dataclasses import dataclass

from schemas.hub.bodies import TxidReportRequest
from schemas.operations import MemberOperation
from travelrule.gateway.dependencies import GatewayDeps
from travelrule.gateway.endpoint import Answer, Call
from travelrule.gateway.endpoints.conclusion import apply_conclusion
from travelrule.gateway.request_origin import caller_of
from travelrule.gateway.request_reader import request_of
from travelrule.gateway.senders import Senders
from travelrule.messages.inbound_request import TxidReportReceived


@dataclass(frozen=True, slots=True)
class TxidReport:
    """The operation; one instance per gateway. The exchange machine checks the state."""

    deps: GatewayDeps
    senders: Senders

    async def __call__(self, call: Call) -> Answer:
        """Answer one request."""
        caller = caller_of(call.headers, key_needed=False)
        request = request_of(TxidReportRequest, call.body)
        sender = await self.senders.check_accepted(caller, self.deps.policy())
        await self.deps.rates.take(sender, MemberOperation.TXID_REPORT)
        data = TxidReportReceived(
            origin=caller.origin,
            entity_id=caller.entity_id,
            transfer_id=request.transfer_id,
            txid=request.txid,
            vout=request.vout,
        )
        return await apply_conclusion(self.deps, caller, "txid-report.received", request.transfer_id, data)
