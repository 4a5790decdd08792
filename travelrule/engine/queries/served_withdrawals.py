"""Our withdrawals for M6 and M7: whether we sent a payment, and for whom (member-api.md sections 7, 8).

The store finds withdrawals by transaction and address. The tag and the sender's data are in the sealed state, which
only the withdrawal machine can read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from schemas.events.persons import Person
from schemas.events.withdrawals import OriginatorData
from travelrule.deposits.served_requests.received_request import WithdrawalFacts
from travelrule.exchange.originator.machine import MACHINE
from travelrule.exchange.originator.state import WithdrawalState
from travelrule.exchange.wire_bodies import split_destination
from travelrule.identity.account_numbers import tag_fits, whole_first
from travelrule.store.search_rows import Payment, SearchRepository, WalletRecord, WithdrawalRecord


@dataclass(frozen=True, slots=True)
class SentWithdrawal:
    """A withdrawal that matches a question by transaction, address and tag."""

    asked: Payment = field(repr=False)
    facts: WithdrawalFacts


class ServedWithdrawals:
    """All our withdrawals, recorded ones included, whatever their outcome."""

    def __init__(self, reads: SearchRepository) -> None:
        self._reads = reads

    async def sent(self, asked: Sequence[Payment]) -> list[SentWithdrawal]:
        """The withdrawals that match the payments, oldest first.

        Algorithm A (ivms101.md section 6): a match of the whole text precedes a match of the part left of its colon. If
        the withdrawal has a tag, the right part must equal it. An erased tag excludes nothing: the payment to this
        address in this transaction is still known.
        """
        found = [
            (record, facts)
            for record in await self._reads.withdrawals_in(asked)
            if (facts := _meant(record)) is not None
        ]
        chosen = whole_first(found, lambda one: (one[0].asked, one[0].found_tag))
        return [SentWithdrawal(record.asked, facts) for record, facts in chosen]

    async def facts(self, payment: Payment) -> tuple[WithdrawalFacts, ...]:
        """The facts for one payment, with each sender's KYC status from the wallet registrations."""
        found = [one.facts for one in await self.sent([payment])]
        asked = {facts.request.originator.wallet_address for facts in found if facts.request is not None}
        wallets = await self._reads.wallets_at(sorted(address for address in asked if address))
        return tuple(_with_kyc(facts, wallets) for facts in found)


def _with_kyc(facts: WithdrawalFacts, wallets: Sequence[WalletRecord]) -> WithdrawalFacts:
    if facts.request is None:
        return facts
    kyc, owner = _kyc(facts.request.originator, wallets)
    return facts.model_copy(update={"kyc": kyc, "owner": owner})


def _kyc(originator: OriginatorData, found: Sequence[WalletRecord]) -> tuple[bool | None, Person | None]:
    """Whether a wallet of this customer has finished KYC, and the owner it names."""
    wallets = [
        wallet
        for wallet in found
        if wallet.asked == originator.wallet_address
        and wallet.customer_id == originator.customer_id
        and tag_fits(wallet.found_tag, wallet.tag)
    ]
    known = [wallet for wallet in wallets if wallet.kyc]
    if known:
        return True, next((wallet.owner for wallet in known if wallet.owner is not None), None)
    return (False if wallets else None), None


def _meant(record: WithdrawalRecord) -> WithdrawalFacts | None:
    if record.state is None:
        return WithdrawalFacts(subject=record.subject, vout=record.vout)
    state: WithdrawalState = MACHINE.load(record.state)
    if not tag_fits(record.found_tag, split_destination(state.request.destination)[1]):
        return None
    return WithdrawalFacts(subject=record.subject, request=state.request, vout=record.vout)
