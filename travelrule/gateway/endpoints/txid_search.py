"""M6 POST /v1/verification/tx: did we send this transaction to this address? (member-api.md 7).

A pure read within one second, over the withdrawals of all currencies, those without a Travel Rule exchange included.
The answer is yes or no only.
"""

from __future__ import annotations

from dataclasses import dataclass

from schemas.hub.bodies import TxidCheckRequest
from schemas.operations import MemberOperation
from travelrule.gateway.dependencies import GatewayDeps
from travelrule.gateway.endpoint import Answer, Call
from travelrule.gateway.request_origin import caller_of
from travelrule.gateway.request_reader import request_of
from travelrule.gateway.senders import Senders
from travelrule.gateway.shared_queries import WithdrawalLookups


@dataclass(frozen=True, slots=True)
class TxidSearch:
    """The operation; one instance per gateway."""

    deps: GatewayDeps
    senders: Senders
    withdrawals: WithdrawalLookups

    async def __call__(self, call: Call) -> Answer:
        """Answer one request."""
        caller = caller_of(call.headers, key_needed=False)
        request = request_of(TxidCheckRequest, call.body)
        sender = await self.senders.check_accepted(caller, self.deps.policy())
        await self.deps.rates.take(sender, MemberOperation.TXID_SEARCH)
        sent = await self.withdrawals.sent((request.txid, request.beneficiary_address))
        return {"result": "valid" if sent else "invalid"}
