"""Did we send this, and for whom? What M6 and M7 ask of our own withdrawals (member-api.md sections 7 and 8).

The store finds withdrawals by transaction and address; the tag and everything about the sender stand in the sealed
state, which only the machine of the withdrawals can read.
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
    """A withdrawal that a question means: its transaction, its address, its tag."""

    asked: Payment = field(repr=False)
    facts: WithdrawalFacts


class ServedWithdrawals:
    """All own withdrawals, recorded ones included, whatever became of them."""

    def __init__(self, reads: SearchRepository) -> None:
        self._reads = reads

    async def sent(self, asked: Sequence[Payment]) -> list[SentWithdrawal]:
        """The withdrawals that the payments mean, the oldest first.

        Algorithm A (ivms101.md section 6): what is found for the whole text goes before what is found left of its
        colon. Where the withdrawal has a tag, the right part must be that tag. A tag that was erased refuses nothing:
        that value went to this address in this transaction is still known.
        """
        found = [
            (record, facts)
            for record in await self._reads.withdrawals_in(asked)
            if (facts := _meant(record)) is not None
        ]
        chosen = whole_first(found, lambda one: (one[0].asked, one[0].found_tag))
        return [SentWithdrawal(record.asked, facts) for record, facts in chosen]

    async def facts(self, payment: Payment) -> tuple[WithdrawalFacts, ...]:
        """The same for one payment, with what the wallet registrations tell about each sender's KYC."""
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
    """Whether a wallet of this very customer says that KYC is finished, and who it says he is."""
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
