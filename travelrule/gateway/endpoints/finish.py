"""M5 PUT /v1/vasp/transfer/status: an authorized transfer will not be sent (member-api.md 6)."""

from __future__ import annotations

from dataclasses import dataclass

from schemas.hub.bodies import FinishRequest
from schemas.operations import MemberOperation
from travelrule.gateway.dependencies import GatewayDeps
from travelrule.gateway.endpoint import Answer, Call
from travelrule.gateway.endpoints.conclusion import apply_conclusion
from travelrule.gateway.request_origin import caller_of
from travelrule.gateway.request_reader import request_of
from travelrule.gateway.senders import Senders
from travelrule.messages.inbound_request import FinishReceived


@dataclass(frozen=True, slots=True)
class Finish:
    """The operation; one instance per gateway. A ``status`` other than ``canceled`` is a bad field: 503."""

    deps: GatewayDeps
    senders: Senders

    async def __call__(self, call: Call) -> Answer:
        """Answer one request."""
        caller = caller_of(call.headers, key_needed=False)
        request = request_of(FinishRequest, call.body)
        sender = await self.senders.check_accepted(caller, self.deps.policy())
        await self.deps.rates.take(sender, MemberOperation.FINISH)
        data = FinishReceived(
            origin=caller.origin,
            entity_id=caller.entity_id,
            transfer_id=request.transfer_id,
            status=request.status,
            reason_type=request.reason_type,
        )
        return await apply_conclusion(self.deps, caller, "finish.received", request.transfer_id, data)
