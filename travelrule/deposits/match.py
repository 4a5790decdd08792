"""The answers of the rendezvous and of the local look-up: the announcing exchange, and the wallet at the address."""

from __future__ import annotations

from travelrule.deposits.builder import DepositBuilder
from travelrule.deposits.data_request import CORRECTED_BY_OTHERS, apply_owner_lookup
from travelrule.deposits.deposit_context import DepositContext, read_context
from travelrule.deposits.detection import relocate, start_sender_lookup
from travelrule.deposits.state import Candidate, DepositState
from travelrule.deposits.table import REPORT, TABLE
from travelrule.deposits.txid_search import start_search
from travelrule.machine.alert_codes import AlertCode
from travelrule.machine.decision import Decision, ignored
from travelrule.machine.look_up import LookUpResult
from travelrule.messages.arrival import DepositMatched, DepositUnannounced, DepositUnmatched, ExchangeSettled


def apply_match(builder: DepositBuilder, data: DepositMatched) -> Decision[DepositState]:
    """Apply the match with an exchange; the search for the sender ends."""
    state = builder.state
    if data.sighting != state.sighting or state.status == "retracted":
        return ignored(state, "an answer to an earlier sighting")
    if state.match is not None and state.match.exchange == data.exchange:
        return ignored(state, "matched before")
    if state.match is not None:
        _lose(builder, state.match)
    builder.change(match=data, unannounced=False)
    if TABLE.may(state.status, "matched") and not state.case.final:
        builder.move("matched")
        builder.stop_automatic()
    return builder.done("announced by an exchange")


def apply_match_loss(builder: DepositBuilder, data: DepositUnmatched) -> Decision[DepositState]:
    """Apply the loss of a match: the exchange was canceled, or belongs to another deposit (member-api.md M5)."""
    state = builder.state
    if data.sighting != state.sighting or state.match is None or state.match.exchange != data.exchange:
        return ignored(state, "no match to lose")
    _lose(builder, state.match)
    builder.change(unannounced=True)
    if TABLE.may(state.status, "unmatched") and not state.case.final:
        builder.move("unmatched")
        start_sender_lookup(builder)
    return builder.done("its exchange does not announce it any more")


def _lose(builder: DepositBuilder, match: DepositMatched) -> None:
    """Remove the match, and revoke the stages that the exchange was notified of.

    An allow that rests on the match stays, because the platform may have credited: an alert is raised.
    """
    if builder.state.told:
        gone = ExchangeSettled(deposit_id=builder.state.deposit_id, stage="retracted")
        builder.send(match.exchange, "exchange.settled", gone)
    if builder.state.case.verdict == "allow" and builder.state.status == "matched":
        builder.alert(AlertCode.DEPOSIT_MATCH_LOST, "critical")
    builder.change(match=None, told="")


def apply_no_match(builder: DepositBuilder, data: DepositUnannounced) -> Decision[DepositState]:
    """Apply the answer that no exchange is at the rendezvous."""
    if data.sighting != builder.state.sighting or builder.state.match is not None or builder.state.status != "awaiting":
        return ignored(builder.state, "an answer that nothing waits for")
    builder.change(unannounced=True)
    return builder.done(advance(builder))


def apply_lookup(builder: DepositBuilder, result: LookUpResult) -> Decision[DepositState]:
    """Apply the answer of the local look-up."""
    context = read_context(result)
    if context is None:
        return ignored(builder.state, "no readable answer: the timer asks again")
    if builder.state.status == "awaiting" and not builder.state.looked_up:
        _keep(builder, context)
        relocate(builder)
        return builder.done(advance(builder))
    no_owner_yet = builder.state.status == "requesting" and builder.state.wallet is None
    if no_owner_yet or (builder.state.status == "held" and builder.state.held_for in CORRECTED_BY_OTHERS):
        return builder.done(apply_owner_lookup(builder, context.wallet))
    return ignored(builder.state, "an answer that nothing waits for")


def _keep(builder: DepositBuilder, context: DepositContext) -> None:
    candidates = tuple(
        Candidate(one.subject, one.entity_id, one.transfer_id) for one in context.authorizations if one.txid is None
    )
    builder.change(looked_up=True, wallet=context.wallet, candidates=candidates)


def advance(builder: DepositBuilder) -> str:
    """Leave ``awaiting`` once both answers are known and no report can come."""
    state = builder.state
    if not state.looked_up or not state.unannounced:
        return "not known yet who announced it"
    if state.received is not None:
        builder.move("data-known")
        builder.clear_timer(REPORT)
        return "the data were received before"
    if any(not one.gone for one in state.candidates):
        return "an authorization is open: the report has its time"
    builder.clear_timer(REPORT)
    builder.move("not-announced")
    start_search(builder)
    return "announced by nobody: search the sender"
