"""What the meeting place and the own store say: announced by whom, or by nobody, and whose address it is."""

from __future__ import annotations

from travelrule.deposits.alert_codes import AlertCode
from travelrule.deposits.builder import DepositTurn, ignored
from travelrule.deposits.context import DepositContext, read_context
from travelrule.deposits.data_request import CORRECTED_BY_OTHERS, owner_looked_up
from travelrule.deposits.detection import look_for_sender, relocate
from travelrule.deposits.state import Candidate, DepositState
from travelrule.deposits.table import REPORT, may
from travelrule.deposits.txid_search import begin_search
from travelrule.machine.decision import Decision
from travelrule.machine.internal_inputs import CallResult
from travelrule.messages.arrival import DepositMatched, DepositUnannounced, DepositUnmatched, ExchangeSettled


def matched(turn: DepositTurn, data: DepositMatched) -> Decision[DepositState]:
    """An exchange announced the deposit. Whatever was begun to find the sender ends."""
    state = turn.state
    if data.sighting != state.sighting or state.status == "retracted":
        return ignored(state, "an answer to an earlier sighting")
    if state.match is not None and state.match.exchange == data.exchange:
        return ignored(state, "matched before")
    if state.match is not None:
        _lose(turn, state.match)
    turn.change(match=data, unannounced=False)
    if may(state.status, "matched") and not state.case.final:
        turn.move("matched")
        turn.stop()
    return turn.done("announced by an exchange")


def unmatched(turn: DepositTurn, data: DepositUnmatched) -> Decision[DepositState]:
    """The exchange was canceled, or means another deposit: treat this one as unannounced (member-api.md M5)."""
    state = turn.state
    if data.sighting != state.sighting or state.match is None or state.match.exchange != data.exchange:
        return ignored(state, "no match to lose")
    _lose(turn, state.match)
    turn.change(unannounced=True)
    if may(state.status, "unmatched") and not state.case.final:
        turn.move("unmatched")
        look_for_sender(turn)
    return turn.done("its exchange does not announce it any more")


def _lose(turn: DepositTurn, match: DepositMatched) -> None:
    """The exchange is not its exchange any more: what it heard of this deposit does not hold for it.

    An allow that rested on the match stands, because the platform may have credited: an operator must look at it.
    """
    if turn.state.told:
        gone = ExchangeSettled(deposit_id=turn.state.deposit_id, stage="retracted")
        turn.tell(match.exchange, "exchange.settled", gone)
    if turn.state.case.verdict == "allow" and turn.state.status == "matched":
        turn.alert(AlertCode.DEPOSIT_MATCH_LOST, "critical")
    turn.change(match=None, told="")


def unannounced(turn: DepositTurn, data: DepositUnannounced) -> Decision[DepositState]:
    """The meeting place knows no exchange for it."""
    if data.sighting != turn.state.sighting or turn.state.match is not None or turn.state.status != "awaiting":
        return ignored(turn.state, "an answer that nothing waits for")
    turn.change(unannounced=True)
    return turn.done(go_on(turn))


def looked_up(turn: DepositTurn, report: CallResult) -> Decision[DepositState]:
    """The own store answered."""
    context = read_context(report)
    if context is None:
        return ignored(turn.state, "no readable answer: the timer asks again")
    if turn.state.status == "awaiting" and not turn.state.looked_up:
        _keep(turn, context)
        relocate(turn)
        return turn.done(go_on(turn))
    asked_in_vain = turn.state.status == "requesting" and turn.state.wallet is None
    if asked_in_vain or (turn.state.status == "held" and turn.state.held_for in CORRECTED_BY_OTHERS):
        return turn.done(owner_looked_up(turn, context.wallet))
    return ignored(turn.state, "an answer that nothing waits for")


def _keep(turn: DepositTurn, context: DepositContext) -> None:
    candidates = tuple(
        Candidate(one.subject, one.entity_id, one.transfer_id) for one in context.authorizations if one.txid is None
    )
    turn.change(looked_up=True, wallet=context.wallet, candidates=candidates)


def go_on(turn: DepositTurn) -> str:
    """Leave ``awaiting`` as soon as both are known and nobody can be waited for."""
    state = turn.state
    if not state.looked_up or not state.unannounced:
        return "not known yet who announced it"
    if state.received is not None:
        turn.move("data-known")
        turn.clear_timer(REPORT)
        return "the data were received before"
    if any(not one.gone for one in state.candidates):
        return "an authorization is open: the report has its time"
    turn.clear_timer(REPORT)
    turn.move("not-announced")
    begin_search(turn)
    return "announced by nobody: search the sender"
