"""Which subjects retention may erase: those that are concluded, and that no open subject needs.

A subject is concluded if its state awaits nothing. One with a timer, a pending call or a pending message is open
whatever its state is; that is checked on its rows (``store.expired_rows``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from travelrule.assessments.state import AssessmentState
from travelrule.assessments.table import WAITING
from travelrule.customers.owner import OwnerState
from travelrule.customers.wallet import WalletState
from travelrule.deposits.rendezvous.machine import ArrivalState
from travelrule.deposits.served_requests.state import DataRequestState
from travelrule.deposits.state import DepositState
from travelrule.directory.vasp import VaspState
from travelrule.disclosures.disclosure import DisclosureState
from travelrule.exchange.beneficiary.state import ExchangeState
from travelrule.exchange.originator.builder import owes_conclusion
from travelrule.exchange.originator.refused_request import RefusedRequestState
from travelrule.exchange.originator.state import WithdrawalState
from travelrule.machine.transition_table import NEW

ENDED = frozenset({NEW, "denied", "canceled", "confirmed"})
"""The statuses in which an outbound exchange may remain indefinitely."""


@dataclass(frozen=True, slots=True)
class RetentionEligibility:
    """``is_concluded(state)``: the subject awaits nothing. ``needed_by(state)``: the subjects that may need it."""

    is_concluded: Callable[[Any], bool]
    needed_by: Callable[[Any], tuple[str, ...]] = lambda _: ()


def _withdrawal(state: WithdrawalState | RefusedRequestState) -> bool:
    """The transaction is final, or was never sent. An allowed withdrawal without a broadcast may still be sent."""
    if isinstance(state, RefusedRequestState):
        return state.case.final
    if any(attempt.status not in ENDED or owes_conclusion(attempt) for attempt in state.attempts):
        return False
    if state.recorded or state.chain in {"final", "failed"}:
        return True
    return state.txid is None and state.case.verdict == "deny"


def _exchange(state: ExchangeState) -> bool:
    """``confirmed`` means only that the txid is known (D40): the value must have arrived, or can no longer arrive."""
    if state.status == "confirmed":
        return state.credited or state.chain in {"final", "failed"}
    return state.status in {"denied", "canceled"}


def _deposit(state: DepositState) -> bool:
    return state.status in {"settled", "retracted"}


def _assessment(state: AssessmentState) -> bool:
    return state.status not in WAITING


def _of_exchange(state: ExchangeState) -> tuple[str, ...]:
    return (f"deposit:{state.deposit_id}",) if state.deposit_id else ()


def _of_arrival(state: ArrivalState) -> tuple[str, ...]:
    return (
        *(report.exchange for report in state.reports),
        *(f"deposit:{seen.deposit_id}" for seen in state.deposits),
    )


def _of_assessment(state: AssessmentState) -> tuple[str, ...]:
    return (state.wanted.asker,) if state.wanted.asker else ()


def _answered(_state: DataRequestState) -> bool:
    return True


def _removed(state: WalletState) -> bool:
    return state.registered is None


def _never(_state: VaspState | OwnerState | DisclosureState) -> bool:
    """The kinds that are kept.

    A counterparty's state is company data and is needed while transfers with it are possible. A listed customer's state
    holds only the list entries; without them each new wallet would raise the alert again. The record of who read
    personal data is kept longer than the data.
    """
    return False


ELIGIBILITY: dict[str, RetentionEligibility] = {
    "withdrawal": RetentionEligibility(_withdrawal),
    "exchange": RetentionEligibility(_exchange, _of_exchange),
    "wallet": RetentionEligibility(_removed),
    "vasp": RetentionEligibility(_never),
    "owner": RetentionEligibility(_never),
    "disclosure": RetentionEligibility(_never),
    "deposit": RetentionEligibility(_deposit),
    "arrival": RetentionEligibility(lambda _: True, _of_arrival),
    "data-request": RetentionEligibility(_answered),
    "screening": RetentionEligibility(_assessment, _of_assessment),
    "assessment": RetentionEligibility(_assessment, _of_assessment),
}
"""By kind of subject. A kind that is not in this table is never erased."""
