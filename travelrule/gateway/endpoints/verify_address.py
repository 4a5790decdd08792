"""M1 POST /v1/beneficiary/VerifyAddress: is this address one of ours? A pure read within one second (member-api.md 2).

The checks follow the order of the table there and return at the first failure. No answer holds data of the owner.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from schemas.events.persons import Person
from schemas.hub.bodies import AddressSearchRequest
from schemas.ivms101 import Beneficiary, IvmsPerson
from schemas.operations import MemberOperation
from travelrule.gateway.dependencies import GatewayDeps
from travelrule.gateway.endpoint import Answer, Call
from travelrule.gateway.refusals import Refused
from travelrule.gateway.request_origin import caller_of
from travelrule.gateway.request_reader import request_of
from travelrule.gateway.sealed_payloads import open_payload
from travelrule.gateway.senders import Senders
from travelrule.gateway.shared_queries import WalletLookups
from travelrule.gateway.wallet_match import accepts_asset, wallets_of_account
from travelrule.identity.name_comparison import compare_party, compare_with_stored, named_party
from travelrule.identity.payload_limits import name_count
from travelrule.identity.required_data import nameless
from travelrule.policy.policy import Policy
from travelrule.store.search_rows import WalletRecord

LATE: Answer = {
    "result": "invalid",
    "reasonType": "UNKNOWN",
    "reasonMsg": "no answer within the time limit; ask again",
    "beneficiaryVaspEntityId": "",
}
"""The answer after the deadline (D34: a business answer, so HTTP 200)."""

NO_ADDRESS = "no such deposit address"
OTHER_NAME = "the name differs from the owner's"
REVEALING = frozenset({NO_ADDRESS, OTHER_NAME})
"""Answers that reveal that a person is not a customer; they have their own rate."""


@dataclass(frozen=True, slots=True)
class VerifyAddress:
    """The operation; one instance per gateway."""

    deps: GatewayDeps
    senders: Senders
    wallets: WalletLookups

    async def __call__(self, call: Call) -> Answer:
        """Answer one request."""
        caller = caller_of(call.headers, key_needed=True)
        request = request_of(AddressSearchRequest, call.body)
        sender = await self.senders.check(caller)
        opened = open_payload(self.deps.keyring, caller, request.payload)
        call.count_for(sender)
        await self.deps.rates.take(sender, MemberOperation.ADDRESS_SEARCH, name_count(opened.ivms101))
        policy = self.deps.policy()
        if not sender.listed or not policy.accepts(caller.entity_id, *sender.origins):
            return _invalid("UNKNOWN", "requests of the sender are not accepted")
        beneficiary = _beneficiary(opened.ivms101)
        if not any(number.strip() for number in beneficiary.account_number):
            return _invalid("LACK_OF_INFORMATION", "accountNumber is missing")
        if faults := nameless(opened.ivms101):
            return _invalid("LACK_OF_INFORMATION", f"{faults[0].path}: {faults[0].fix}")
        if not policy.serves(request.currency, request.network):
            return _invalid("NOT_SUPPORTED_SYMBOL", "the currency is not open for deposits")
        answer = await self._of_addresses(request, beneficiary, policy)
        if answer["reasonMsg"] in REVEALING:
            await self.deps.rates.count_miss(sender)
        return answer

    async def _of_addresses(self, request: AddressSearchRequest, beneficiary: Beneficiary, policy: Policy) -> Answer:
        numbers = beneficiary.account_number
        found = await self.wallets.wallets_at(numbers)
        owned = [wallets_of_account(number, found) for number in numbers]
        taking = [[one for one in own if accepts_asset(one, request.currency, request.network)] for own in owned]
        if not all(taking):
            # If the address is ours for another asset, the symbol is at fault, unless the policy lists it.
            if all(owned) and not policy.names_asset(request.currency, request.network):
                return _invalid("NOT_SUPPORTED_SYMBOL", "the currency is not open for deposits there")
            return _invalid("NOT_FOUND_ADDRESS", NO_ADDRESS)
        wallets = [one for own in taking for one in own]
        if not all(wallet.kyc for wallet in wallets):
            return self._found("NOT_KYC_USER", "the owner has not finished KYC")
        if policy.sanctions != "off":
            sanctioned = await self._sanctioned(beneficiary, wallets)
            if sanctioned is None:
                return self._found("UNKNOWN", "the address could not be screened")
            if sanctioned:
                return self._found("SANCTION_LIST", "address or owner is on a list")
        if beneficiary.beneficiary_persons and await self._name_differs(
            beneficiary.beneficiary_persons, numbers, wallets, policy
        ):
            return self._found("UNKNOWN", OTHER_NAME)
        return {
            "result": "valid",
            "reasonType": "",
            "reasonMsg": "",
            "beneficiaryVaspEntityId": self.deps.entity_id,
        }

    async def _sanctioned(self, beneficiary: Beneficiary, wallets: Sequence[WalletRecord]) -> bool | None:
        """Screen addresses, owners and the named persons: a hit counts even if another screening has no result."""
        screen = self.deps.screen
        sanctioned = await screen.sanctioned(beneficiary.account_number, wallets)
        if sanctioned or not beneficiary.beneficiary_persons:
            return sanctioned
        named = await screen.persons_sanctioned(beneficiary.beneficiary_persons)
        return named or (None if None in (sanctioned, named) else False)

    async def _name_differs(
        self,
        persons: Sequence[IvmsPerson],
        numbers: Sequence[str],
        wallets: Sequence[WalletRecord],
        policy: Policy,
    ) -> bool:
        """Compare with every owner and with the stored authorizations; any mismatch is a mismatch (D37)."""
        rule = policy.names.representatives
        party = named_party(persons)
        owners: list[Person | None] = []
        for wallet in wallets:
            if wallet.owner not in owners:
                owners.append(wallet.owner)
        for owner in owners:
            # An owner without a stored name cannot match (rule 8 of M2: a check starts at false).
            if owner is None or compare_party(party, owner, rule) == "different":
                return True
            await _yield_to_others()
        if self.deps.named_beneficiaries is None:
            return False
        for stored in await self.deps.named_beneficiaries(numbers):
            named = [IvmsPerson.model_validate(person) for person in stored]
            if compare_with_stored(party, named, rule) == "different":
                return True
            await _yield_to_others()
        return False

    def _found(self, reason: str, message: str) -> Answer:
        return _invalid(reason, message, self.deps.entity_id)


async def _yield_to_others() -> None:
    """Yield to other requests between two comparisons: there may be hundreds of stored authorizations."""
    await asyncio.sleep(0)


def _invalid(reason: str, message: str, entity_id: str = "") -> Answer:
    return {
        "result": "invalid",
        "reasonType": reason,
        "reasonMsg": message,
        "beneficiaryVaspEntityId": entity_id,
    }


def _beneficiary(ivms101: dict[str, Any]) -> Beneficiary:
    try:
        return Beneficiary.from_wire(ivms101.get("Beneficiary") or {})
    except ValidationError:
        raise Refused("INVALID_MSG_FIELD_VALUE", "payload", "Beneficiary is not as IVMS101 has it") from None
