"""M4 POST /v1/vasp/transfer/status: the status of a transfer that we originated, a pure read (member-api.md 5)."""

from __future__ import annotations

from dataclasses import dataclass

from schemas.hub.bodies import StatusSearchRequest
from schemas.operations import MemberOperation
from travelrule.gateway.dependencies import GatewayDeps
from travelrule.gateway.endpoint import Answer, Call
from travelrule.gateway.refusals import Refused
from travelrule.gateway.request_origin import caller_of
from travelrule.gateway.request_reader import request_of
from travelrule.gateway.senders import Senders

ANSWERED = {
    "wait": "pending",
    "verified": "pending",
    "pending": "pending",
    "processing": "processing",
    "wait-confirm": "wait-confirm",
    "confirmed": "confirmed",
    "canceled": "canceled",
    "denied": "canceled",
}
"""The status on the wire by our state."""


@dataclass(frozen=True, slots=True)
class StatusSearch:
    """The operation; one instance per gateway."""

    deps: GatewayDeps
    senders: Senders

    async def __call__(self, call: Call) -> Answer:
        """Answer one request."""
        caller = caller_of(call.headers, key_needed=False)
        request = request_of(StatusSearchRequest, call.body)
        exchange = await self.deps.reads.outgoing_exchange(request.transfer_id, caller.entity_id)
        if exchange is None:
            # An outsider is answered only about a transfer that we sent to it.
            sender = await self.senders.check_accepted(caller, self.deps.policy())
            await self.deps.rates.take(sender, MemberOperation.STATUS_SEARCH)
            raise Refused("UNKNOWN_TRANSFER_ID", "transferId", "no such transfer between us")
        await self.deps.rates.take(await self.senders.check(caller), MemberOperation.STATUS_SEARCH)
        answer = {"transferId": request.transfer_id, "status": ANSWERED[exchange.status]}
        if exchange.txid:
            answer["txid"] = exchange.txid
            if exchange.vout:
                answer["vout"] = exchange.vout
        return answer
