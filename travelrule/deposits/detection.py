"""What the platform says about a deposit: detected, confirmed, retracted, settled."""

from __future__ import annotations

from datetime import datetime

from schemas.events.deposits import DepositDetected, DepositSettled
from travelrule.deposits.alert_codes import AlertCode
from travelrule.deposits.builder import DepositTurn, ignored, rejected
from travelrule.deposits.state import DepositState
from travelrule.deposits.table import REPORT, may
from travelrule.machine.case import Case
from travelrule.machine.decision import Decision
from travelrule.machine.input import Input
from travelrule.messages.arrival import ArrivalRetracted, ArrivalSeen, ExchangeSettled, arrival_subject
from travelrule.policy.policy import Policy


def detected(item: Input, data: DepositDetected, policy: Policy, now: datetime) -> Decision[DepositState]:
    """``machine.detected.v1`` for a new deposit."""
    turn = DepositTurn(DepositState(data.deposit_id, item.fingerprint, data), item, policy, now)
    turn.move("detected")
    begin(turn)
    return turn.done("detected: announced or not?")


def begin(turn: DepositTurn) -> None:
    """Say where the deposit stands, and ask whose it is."""
    address, tag = turn.state.address
    stand_at(turn, arrival_subject(turn.state.detected.txid, address, tag))
    look_for_sender(turn)


def look_for_sender(turn: DepositTurn) -> None:
    """Begin the way to the sender at its beginning; the report has its time meanwhile."""
    turn.change(looked_up=False, candidates=(), asking_since=None, searches=0, missed=False, held_for=None)
    turn.look_up()
    turn.set_timer(REPORT, turn.policy.time_limits.status_search_after)


def stand_at(turn: DepositTurn, place: str) -> None:
    """Go to a meeting place, once more if it is the same."""
    detected = turn.state.detected
    turn.change(place=place, sighting=turn.state.sighting + 1, unannounced=False, match=None, told="")
    seen = ArrivalSeen(
        deposit_id=turn.state.deposit_id,
        sighting=turn.state.sighting,
        currency=detected.currency,
        network=detected.network or "",
        amount=detected.amount,
        vout=detected.vout,
    )
    turn.tell(place, "arrival.seen", seen)


def leave(turn: DepositTurn) -> None:
    """Leave the meeting place."""
    turn.tell(turn.state.place, "arrival.retracted", ArrivalRetracted(deposit_id=turn.state.deposit_id))


def relocate(turn: DepositTurn) -> None:
    """Where the own wallet has no tag, an appended one means nobody: the exchange waits at the place without it."""
    address, tag = turn.state.address
    if tag is None or turn.state.wallet is None or turn.state.wallet.tag:
        return
    place = arrival_subject(turn.state.detected.txid, address, None)
    if place != turn.state.place:
        leave(turn)
        stand_at(turn, place)


def repeated(turn: DepositTurn) -> Decision[DepositState]:
    """A known deposit again: a duplicate if its data are equal, else a conflict; one that was retracted is back."""
    if turn.state.fingerprint != turn.item.fingerprint:
        return rejected(turn.state, "CONFLICT", "depositId", "this deposit is known with other data: use a new id")
    if turn.state.status != "retracted":
        return ignored(turn.state, "detected again with equal data")
    back(turn)
    return turn.done("detected again after a retraction")


def confirmed(turn: DepositTurn) -> Decision[DepositState]:
    """``machine.confirmed.v1``: final on the own node."""
    if turn.state.chain == "final":
        return ignored(turn.state, "final before")
    if turn.state.status == "retracted":
        back(turn)
        turn.change(chain="final")
        return turn.done("final after a retraction")
    turn.change(chain="final")
    return turn.done("final")


def back(turn: DepositTurn) -> None:
    """On chain again: begin anew, with what stays true (the data that were received, an operator's deny).

    What the platform settled in between stays settled, with the verdict that it knows.
    """
    turn.alert(AlertCode.DEPOSIT_BACK_ON_CHAIN, "warning")
    turn.move("back")
    turn.change(chain="mined", case=turn.state.case if turn.state.outcome else Case())
    begin(turn)
    if turn.state.outcome:
        turn.move("settled")
        turn.stop()


def retracted(turn: DepositTurn) -> Decision[DepositState]:
    """``machine.retracted.v1``: gone after a re-organisation. Its exchange may be finished again."""
    if turn.state.chain == "retracted":
        return ignored(turn.state, "retracted before")
    if turn.state.case.verdict == "allow" or turn.state.outcome == "credited":
        turn.alert(AlertCode.RETRACTED_AFTER_ALLOW, "critical")
    if turn.state.match is not None:
        gone = ExchangeSettled(deposit_id=turn.state.deposit_id, stage="retracted")
        turn.tell(turn.state.match.exchange, "exchange.settled", gone)
    leave(turn)
    turn.move("retracted")
    turn.stop()
    turn.change(chain="retracted", outcome="", match=None, told="", unannounced=False, risks={})
    return turn.done("gone from the chain")


def settled(turn: DepositTurn, data: DepositSettled) -> Decision[DepositState]:
    """``machine.settled.v1``: what the platform did with the coins."""
    state = turn.state
    if state.outcome:
        if state.outcome == data.outcome:
            return ignored(state, "settled before")
        return rejected(state, "CONFLICT", "outcome", "this deposit was settled with another outcome before")
    if data.outcome == "credited" and state.case.verdict != "allow":
        turn.alert(AlertCode.CREDITED_WITHOUT_ALLOW, "critical")
    turn.change(outcome=data.outcome)
    if may(state.status, "settled"):
        turn.move("settled")
        turn.stop()
    return turn.done(f"settled: {data.outcome}")
