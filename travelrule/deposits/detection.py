"""The platform's events about a deposit: detected, confirmed, retracted, settled."""

from __future__ import annotations

from datetime import datetime

from schemas.events.deposits import DepositDetected, DepositSettled
from travelrule.deposits.builder import DepositBuilder
from travelrule.deposits.state import DepositState
from travelrule.deposits.table import REPORT, TABLE
from travelrule.machine.alert_codes import AlertCode
from travelrule.machine.case import Case
from travelrule.machine.decision import Decision, ignored, rejected
from travelrule.machine.input import Input
from travelrule.messages.arrival import ArrivalRetracted, ArrivalSeen, ExchangeSettled, arrival_subject
from travelrule.policy.policy import Policy


def create_deposit(item: Input, data: DepositDetected, policy: Policy, now: datetime) -> Decision[DepositState]:
    """Create a deposit from its ``deposit.detected.v1``."""
    builder = DepositBuilder(DepositState(data.deposit_id, item.fingerprint, data), item, policy, now)
    builder.move("detected")
    start(builder)
    return builder.done("detected: announced or not?")


def start(builder: DepositBuilder) -> None:
    """Register at the rendezvous and look for the sender."""
    address, tag = builder.state.address
    announce_at(builder, arrival_subject(builder.state.detected.txid, address, tag))
    start_sender_lookup(builder)


def start_sender_lookup(builder: DepositBuilder) -> None:
    """Look for the sender from the first step; meanwhile the report has its time."""
    builder.change(looked_up=False, candidates=(), asking_since=None, searches=0, missed=False, held_for=None)
    builder.request_lookup()
    builder.set_timer(REPORT, builder.policy.time_limits.status_search_after)


def announce_at(builder: DepositBuilder, place: str) -> None:
    """Register at a rendezvous, again if it is the same."""
    detected = builder.state.detected
    builder.change(place=place, sighting=builder.state.sighting + 1, unannounced=False, match=None, told="")
    seen = ArrivalSeen(
        deposit_id=builder.state.deposit_id,
        sighting=builder.state.sighting,
        currency=detected.currency,
        network=detected.network or "",
        amount=detected.amount,
        vout=detected.vout,
    )
    builder.send(place, "arrival.seen", seen)


def leave_rendezvous(builder: DepositBuilder) -> None:
    """Withdraw from the rendezvous."""
    builder.send(builder.state.place, "arrival.retracted", ArrivalRetracted(deposit_id=builder.state.deposit_id))


def relocate(builder: DepositBuilder) -> None:
    """Move to the rendezvous without tag where our wallet has none: an appended tag is ignored, by the exchange too."""
    address, tag = builder.state.address
    if tag is None or builder.state.wallet is None or builder.state.wallet.tag:
        return
    place = arrival_subject(builder.state.detected.txid, address, None)
    if place != builder.state.place:
        leave_rendezvous(builder)
        announce_at(builder, place)


def apply_repetition(builder: DepositBuilder) -> Decision[DepositState]:
    """Apply a repeated detection: a duplicate for equal data, else a conflict; a retracted deposit starts again."""
    if builder.state.fingerprint != builder.item.fingerprint:
        return rejected(builder.state, "CONFLICT", "depositId", "this deposit is known with other data: use a new id")
    if builder.state.status != "retracted":
        return ignored(builder.state, "detected again with equal data")
    restart_after_retraction(builder)
    return builder.done("detected again after a retraction")


def apply_confirmation(builder: DepositBuilder) -> Decision[DepositState]:
    """``deposit.confirmed.v1``: final on our node."""
    if builder.state.chain == "final":
        return ignored(builder.state, "final before")
    if builder.state.status == "retracted":
        restart_after_retraction(builder)
        builder.change(chain="final")
        return builder.done("final after a retraction")
    builder.change(chain="final")
    return builder.done("final")


def restart_after_retraction(builder: DepositBuilder) -> None:
    """Start again after a retraction; received data and an operator's deny stay valid.

    What the platform settled in between stays settled, with the verdict that it received.
    """
    builder.alert(AlertCode.DEPOSIT_BACK_ON_CHAIN, "warning")
    builder.move("back")
    builder.change(chain="mined", case=builder.state.case if builder.state.outcome else Case())
    start(builder)
    if builder.state.outcome:
        builder.move("settled")
        builder.stop_automatic()


def apply_retraction(builder: DepositBuilder) -> Decision[DepositState]:
    """``deposit.retracted.v1``: removed by a re-organisation. Its exchange may be finished again."""
    if builder.state.chain == "retracted":
        return ignored(builder.state, "retracted before")
    if builder.state.case.verdict == "allow" or builder.state.outcome == "credited":
        builder.alert(AlertCode.RETRACTED_AFTER_ALLOW, "critical")
    if builder.state.match is not None:
        gone = ExchangeSettled(deposit_id=builder.state.deposit_id, stage="retracted")
        builder.send(builder.state.match.exchange, "exchange.settled", gone)
    leave_rendezvous(builder)
    builder.move("retracted")
    builder.stop_automatic()
    builder.change(chain="retracted", outcome="", match=None, told="", unannounced=False, risks={})
    return builder.done("gone from the chain")


def apply_settlement(builder: DepositBuilder, data: DepositSettled) -> Decision[DepositState]:
    """``deposit.settled.v1``: the platform credited, returned or seized the coins."""
    state = builder.state
    if state.outcome:
        if state.outcome == data.outcome:
            return ignored(state, "settled before")
        return rejected(state, "CONFLICT", "outcome", "this deposit was settled with another outcome before")
    if data.outcome == "credited" and state.case.verdict != "allow":
        builder.alert(AlertCode.CREDITED_WITHOUT_ALLOW, "critical")
    builder.change(outcome=data.outcome)
    if TABLE.may(state.status, "settled"):
        builder.move("settled")
        builder.stop_automatic()
    return builder.done(f"settled: {data.outcome}")
