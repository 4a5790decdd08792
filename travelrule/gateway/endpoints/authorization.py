"""M2 POST /v1/beneficiary/transfer, the transfer authorization (member-api.md 3).

This file holds orders 1 and 2 of the table there: a request that cannot be read or opened is answered with 503 and
makes no input. The exchange machine decides from order 3 on, in the transaction that stores the input, so that
``verified`` is never answered for a transfer that is not stored. The input carries the facts that a pure machine cannot
look up (our wallets at the addresses, the sender's entry); they are not part of its content, which identifies a
repetition.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from schemas.hub.bodies import TransferAuthorizationRequest
from schemas.ivms101 import Beneficiary, IvmsPerson
from schemas.numbers import decimal_text
from schemas.operations import MemberOperation
from travelrule import metrics
from travelrule.gateway.dependencies import GatewayDeps
from travelrule.gateway.endpoint import Answer, Call
from travelrule.gateway.refusals import Refused
from travelrule.gateway.request_inputs import input_of, reply_of
from travelrule.gateway.request_origin import RequestOrigin, caller_of
from travelrule.gateway.request_reader import holds_nul, request_of
from travelrule.gateway.sealed_payloads import Opened, open_payload, seal_payload
from travelrule.gateway.senders import Sender, Senders
from travelrule.gateway.shared_queries import WalletLookups
from travelrule.gateway.wallet_match import wallets_of_account
from travelrule.identity.payload_limits import excess, name_count
from travelrule.identity.payloads import with_clear_vasp
from travelrule.messages.inbound_request import AuthorizationReceived, ReadPayload, WalletFacts
from travelrule.store.search_rows import WalletRecord

KIND = "authorization.received"
DENIED = "denied"
REVEALING = frozenset({"NOT_FOUND_ADDRESS", "INPUT_NAME_MISMATCHED", "DOB_MISMATCHED"})
"""Refusals that reveal that a person is not a customer; they have their own rate."""
FACTS = {"sender", "wallets", "originator_sanctioned"}


@dataclass(frozen=True, slots=True)
class Authorization:
    """The operation; one instance per gateway."""

    deps: GatewayDeps
    senders: Senders
    wallets: WalletLookups

    async def __call__(self, call: Call) -> Answer:
        """Answer one request."""
        caller = caller_of(call.headers, key_needed=True)
        request = request_of(TransferAuthorizationRequest, call.body)
        sender = await self.senders.check(caller)
        opened = open_payload(self.deps.keyring, caller, request.payload)
        call.count_for(sender)
        await self.deps.rates.take(sender, MemberOperation.TRANSFER_AUTHORIZATION, name_count(opened.ivms101))
        data = await self._received(caller, sender, request, opened.ivms101)
        content = data.model_dump(mode="json", by_alias=True, exclude=FACTS)
        item = input_of(self.deps, caller, KIND, request.transfer_id, data, content=content, once=True)
        reply = reply_of(await self.deps.intake.submit(item))
        if reply["result"] == DENIED and sender.listed:
            denial = {"vasp": sender.caller.entity_id, "reason": reply.get("reasonType") or "UNKNOWN"}
            metrics.DENIALS_TOTAL.labels(**denial, side="beneficiary").inc()
        if reply.get("reasonType") in REVEALING:
            await self.deps.rates.count_miss(sender)
        return _answer(reply, request.transfer_id, self._sealed(reply, opened))

    async def _received(
        self, caller: RequestOrigin, sender: Sender, request: TransferAuthorizationRequest, ivms101: dict[str, Any]
    ) -> AuthorizationReceived:
        if holds_nul(ivms101) or holds_nul(request.originating_vasp):
            raise Refused("INVALID_MSG_FIELD_VALUE", "payload", "remove U+0000 from the texts")
        if (fault := excess(with_clear_vasp({}, request.originating_vasp))) is not None:
            raise Refused("INVALID_MSG_FIELD_VALUE", "originatingVasp", f"{fault.path}: {fault.fix}")
        data = AuthorizationReceived(
            origin=caller.origin,
            entity_id=caller.entity_id,
            transfer_id=request.transfer_id,
            currency=request.currency,
            amount=decimal_text(request.amount),
            historical_cost=request.historical_cost or "",
            trade_price=decimal_text(request.trade_price),
            trade_currency=request.trade_currency,
            is_exceeding_threshold=request.is_exceeding_threshold,
            address=request.address,
            tag=request.tag,
            network=request.network,
            originating_vasp=request.originating_vasp,
            ivms101=ivms101,
            sender=sender.facts(),
        )
        return data.model_copy(update=await self._facts(data.read))

    async def _facts(self, read: ReadPayload) -> dict[str, Any]:
        wallets, known = await self._wallets(read.beneficiary)
        originator = await self._sanctioned(read.originator.originator_persons)
        return {"wallets": wallets, "originator_sanctioned": originator if originator or known else None}

    async def _wallets(self, beneficiary: Beneficiary) -> tuple[tuple[WalletFacts, ...], bool]:
        """Return our wallets at the account numbers, and whether all of them were screened.

        The persons whom the sender names as their owner are screened too.
        """
        numbers = _account_numbers(beneficiary)
        if not numbers:
            return (), True
        found = await self.wallets.wallets_at(numbers)
        named = await self._sanctioned(beneficiary.beneficiary_persons) if beneficiary.beneficiary_persons else False
        facts: list[WalletFacts] = []
        known = named is not None or not self._screened
        for number in dict.fromkeys(numbers):
            for wallet in wallets_of_account(number, found):
                sanctioned = await self._wallet_sanctioned(number, wallet)
                known = known and sanctioned is not None
                facts.append(_wallet_facts(number, wallet, sanctioned=bool(sanctioned or named)))
        return tuple(facts), known

    async def _wallet_sanctioned(self, number: str, wallet: WalletRecord) -> bool | None:
        return await self.deps.screen.sanctioned([number], [wallet]) if self._screened else False

    async def _sanctioned(self, persons: Sequence[IvmsPerson]) -> bool | None:
        return await self.deps.screen.persons_sanctioned(persons) if self._screened else None

    @property
    def _screened(self) -> bool:
        return self.deps.policy().sanctions != "off"

    def _sealed(self, reply: dict[str, Any], opened: Opened) -> str | None:
        payload = reply.get("payload")
        return None if payload is None else seal_payload(opened, payload, self.deps.randomness)


def _answer(reply: dict[str, Any], transfer_id: str, payload: str | None) -> Answer:
    answer = {
        "result": reply["result"],
        "reasonType": reply.get("reasonType") or "",
        "reasonMsg": reply.get("reasonMsg") or "",
        "transferId": transfer_id,
        "beneficiaryVasp": reply.get("beneficiaryVasp") or {},
    }
    return answer if payload is None else {**answer, "payload": payload}


def _wallet_facts(number: str, wallet: WalletRecord, *, sanctioned: bool) -> WalletFacts:
    return WalletFacts(
        account_number=number,
        wallet_id=wallet.wallet_id,
        tag=wallet.tag or None,
        currencies=wallet.currencies,
        networks=wallet.networks,
        customer_id=wallet.customer_id,
        kyc=wallet.kyc,
        owner=wallet.owner,
        sanctioned=sanctioned,
    )


def _account_numbers(beneficiary: Beneficiary) -> tuple[str, ...]:
    return tuple(number for number in beneficiary.account_number if number.strip())
