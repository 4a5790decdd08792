"""When a subject is concluded: nothing is awaited any more, and nobody who is still open needs what it knows.

Only such subjects are given up by retention. A subject that has a timer, a call or a message on its way is never
concluded, whatever its state says; that stands in its rows and is looked at there.
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
"""Where an exchange that we began can stand for ever."""


@dataclass(frozen=True, slots=True)
class RetentionEligibility:
    """``over(state)``: this subject awaits nothing. ``serves(state)``: the subjects that may still need it."""

    over: Callable[[Any], bool]
    serves: Callable[[Any], tuple[str, ...]] = lambda _: ()


def _withdrawal(state: WithdrawalState | RefusedRequestState) -> bool:
    """The chain is through, or it never went there. An allow without a broadcast may still become one."""
    if isinstance(state, RefusedRequestState):
        return state.case.final
    if any(attempt.status not in ENDED or owes_conclusion(attempt) for attempt in state.attempts):
        return False
    if state.recorded or state.chain in {"final", "failed"}:
        return True
    return state.txid is None and state.case.verdict == "deny"


def _exchange(state: ExchangeState) -> bool:
    """``confirmed`` says only that the txid is known (D40): the value itself must have come, or never will."""
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
    """What is known of a counterparty is company data, and needed as long as it may be dealt with. Of a customer whom a
    list named only the entries stand there, without which every new wallet of his would alert again. Who read
    personal data is kept for longer than the data.
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
"""By kind of subject. A kind that does not stand here is never given up."""
