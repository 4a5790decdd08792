"""M7 PUT /v1/verification/tx, the transaction data request (member-api.md 8).

This file holds order 1 of the table there: a request that cannot be read or opened is answered with 503 and makes no
input. The ``data-request`` machine decides orders 2 to 6 in the transaction that stores the input, from facts that are
looked up here: our withdrawals of that transaction to that address, and the requester's entry. The facts are not part
of the input's content, which identifies a repetition.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from schemas.hub.bodies import DataRequest
from schemas.operations import MemberOperation
from travelrule.deposits.served_requests.examination import may_receive
from travelrule.deposits.served_requests.received_request import DataRequestReceived
from travelrule.gateway.dependencies import GatewayDeps
from travelrule.gateway.endpoint import Answer, Call
from travelrule.gateway.refusals import Refused
from travelrule.gateway.request_inputs import input_of, reply_of
from travelrule.gateway.request_origin import RequestOrigin, caller_of
from travelrule.gateway.request_reader import holds_nul, request_of
from travelrule.gateway.sealed_payloads import Opened, open_payload, seal_payload
from travelrule.gateway.senders import Sender, Senders
from travelrule.identity.account_numbers import canonical
from travelrule.identity.payload_limits import name_count
from travelrule.identity.txids import txid_key

KIND = "data-request.received"
SUBJECT = "data-request"
FIELDS = (
    "result",
    "reasonType",
    "reasonMsg",
    "transferId",
    "currency",
    "amount",
    "historicalCost",
    "tradePrice",
    "tradeCurrency",
    "isExceedingThreshold",
)
"""The clear fields of the answer; all of them are sent, and all are texts."""


@dataclass(frozen=True, slots=True)
class DataRequests:
    """The operation; one instance per gateway."""

    deps: GatewayDeps
    senders: Senders

    async def __call__(self, call: Call) -> Answer:
        """Answer one request."""
        caller = caller_of(call.headers, key_needed=True)
        request = request_of(DataRequest, call.body)
        sender = await self.senders.check(caller)
        opened = open_payload(self.deps.keyring, caller, request.payload)
        call.count_for(sender)
        await self.deps.rates.take(sender, MemberOperation.DATA_REQUEST, name_count(opened.ivms101))
        if holds_nul(opened.ivms101):
            raise Refused("INVALID_MSG_FIELD_VALUE", "payload", "remove U+0000 from the texts")
        data = await self._received(caller, sender, request, opened.ivms101)
        item = input_of(
            self.deps,
            caller,
            KIND,
            request.transfer_id,
            data,
            content=_content(request),
            once=True,
            subject=SUBJECT,
        )
        reply = reply_of(await self.deps.intake.submit(item))
        return self._answer(reply, data, opened)

    async def _received(
        self, caller: RequestOrigin, sender: Sender, request: DataRequest, ivms101: dict[str, Any]
    ) -> DataRequestReceived:
        return DataRequestReceived(
            origin=caller.origin,
            entity_id=caller.entity_id,
            transfer_id=request.transfer_id,
            txid=request.txid,
            beneficiary_address=request.beneficiary_address,
            currency=request.currency,
            network=request.network,
            ivms101=ivms101,
            requester=sender.facts() if sender.vouched else None,
            withdrawals=await self.deps.withdrawals.facts((request.txid, request.beneficiary_address)),
        )

    def _answer(self, reply: dict[str, Any], data: DataRequestReceived, opened: Opened) -> Answer:
        answer: Answer = {name: reply.get(name) or "" for name in FIELDS}
        payload = reply.get("payload")
        if payload is None:
            return {**answer, "payload": ""}
        # A stored answer may be older than the policy: data are released only to a VASP that may have them now.
        if not may_receive(data.requester, data.origin, self.deps.policy()):
            raise Refused("UNACCEPTABLE_REQUEST", "X-Request-Origin", "data are not released to this VASP")
        return {**answer, "payload": seal_payload(opened, payload, self.deps.randomness)}


def _content(request: DataRequest) -> dict[str, Any]:
    """Return the fields that identify a repetition: the others are sealed again each time, or looked up."""
    return {
        "transferId": request.transfer_id,
        "txid": txid_key(request.txid),
        "beneficiaryAddress": canonical(request.beneficiary_address),
    }
