"""What the platform says about a deposit: detected, confirmed, retracted, settled."""

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


def detected(item: Input, data: DepositDetected, policy: Policy, now: datetime) -> Decision[DepositState]:
    """``deposit.detected.v1`` for a new deposit."""
    builder = DepositBuilder(DepositState(data.deposit_id, item.fingerprint, data), item, policy, now)
    builder.move("detected")
    begin(builder)
    return builder.done("detected: announced or not?")


def begin(builder: DepositBuilder) -> None:
    """Say where the deposit stands, and ask whose it is."""
    address, tag = builder.state.address
    stand_at(builder, arrival_subject(builder.state.detected.txid, address, tag))
    look_for_sender(builder)


def look_for_sender(builder: DepositBuilder) -> None:
    """Begin the way to the sender at its beginning; the report has its time meanwhile."""
    builder.change(looked_up=False, candidates=(), asking_since=None, searches=0, missed=False, held_for=None)
    builder.look_up()
    builder.set_timer(REPORT, builder.policy.time_limits.status_search_after)


def stand_at(builder: DepositBuilder, place: str) -> None:
    """Go to a meeting place, once more if it is the same."""
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


def leave(builder: DepositBuilder) -> None:
    """Leave the meeting place."""
    builder.send(builder.state.place, "arrival.retracted", ArrivalRetracted(deposit_id=builder.state.deposit_id))


def relocate(builder: DepositBuilder) -> None:
    """Where the own wallet has no tag, an appended one means nobody: the exchange waits at the place without it."""
    address, tag = builder.state.address
    if tag is None or builder.state.wallet is None or builder.state.wallet.tag:
        return
    place = arrival_subject(builder.state.detected.txid, address, None)
    if place != builder.state.place:
        leave(builder)
        stand_at(builder, place)


def repeated(builder: DepositBuilder) -> Decision[DepositState]:
    """A known deposit again: a duplicate if its data are equal, else a conflict; one that was retracted is back."""
    if builder.state.fingerprint != builder.item.fingerprint:
        return rejected(builder.state, "CONFLICT", "depositId", "this deposit is known with other data: use a new id")
    if builder.state.status != "retracted":
        return ignored(builder.state, "detected again with equal data")
    back(builder)
    return builder.done("detected again after a retraction")


def confirmed(builder: DepositBuilder) -> Decision[DepositState]:
    """``deposit.confirmed.v1``: final on the own node."""
    if builder.state.chain == "final":
        return ignored(builder.state, "final before")
    if builder.state.status == "retracted":
        back(builder)
        builder.change(chain="final")
        return builder.done("final after a retraction")
    builder.change(chain="final")
    return builder.done("final")


def back(builder: DepositBuilder) -> None:
    """On chain again: begin anew, with what stays true (the data that were received, an operator's deny).

    What the platform settled in between stays settled, with the verdict that it knows.
    """
    builder.alert(AlertCode.DEPOSIT_BACK_ON_CHAIN, "warning")
    builder.move("back")
    builder.change(chain="mined", case=builder.state.case if builder.state.outcome else Case())
    begin(builder)
    if builder.state.outcome:
        builder.move("settled")
        builder.stop()


def retracted(builder: DepositBuilder) -> Decision[DepositState]:
    """``deposit.retracted.v1``: gone after a re-organisation. Its exchange may be finished again."""
    if builder.state.chain == "retracted":
        return ignored(builder.state, "retracted before")
    if builder.state.case.verdict == "allow" or builder.state.outcome == "credited":
        builder.alert(AlertCode.RETRACTED_AFTER_ALLOW, "critical")
    if builder.state.match is not None:
        gone = ExchangeSettled(deposit_id=builder.state.deposit_id, stage="retracted")
        builder.send(builder.state.match.exchange, "exchange.settled", gone)
    leave(builder)
    builder.move("retracted")
    builder.stop()
    builder.change(chain="retracted", outcome="", match=None, told="", unannounced=False, risks={})
    return builder.done("gone from the chain")


def settled(builder: DepositBuilder, data: DepositSettled) -> Decision[DepositState]:
    """``deposit.settled.v1``: what the platform did with the coins."""
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
        builder.stop()
    return builder.done(f"settled: {data.outcome}")
