"""The request of a withdrawal: requested, amended, recorded, and the steps before its first call."""

from __future__ import annotations

from dataclasses import replace

from schemas.events.withdrawals import WithdrawalAmended, WithdrawalRecorded, WithdrawalRequested
from travelrule.exchange.originator import gates
from travelrule.exchange.originator.authorization import search_address
from travelrule.exchange.originator.builder import TRY_AGAIN, WithdrawalBuilder
from travelrule.exchange.originator.conclusion import give_up
from travelrule.exchange.originator.state import Attempt, WithdrawalState
from travelrule.exchange.originator.verdict_cause import cause_of, next_gate
from travelrule.exchange.originator.wallet_search import start_search
from travelrule.machine.decision import Decision, ignored, rejected
from travelrule.machine.ids import next_transfer_id
from travelrule.machine.input import Input
from travelrule.messages.assessment import AssessmentKind

GATE_LAWS: dict[AssessmentKind, str] = {
    "lists": "parties and address are looked for in the lists",
    "wallet": "the destination's wallet is rated",
}
"""The line of the law of each gate that leaves the last verdict as it is."""


def fresh_state(item: Input, data: WithdrawalRequested) -> WithdrawalState:
    """Return the state before the first decision."""
    request = WithdrawalRequested.model_construct(
        _fields_set=None, **{name: getattr(data, name) for name in WithdrawalRequested.model_fields}
    )
    return WithdrawalState(data.withdrawal_id, item.fingerprint, request)


def check_repetition(state: WithdrawalState, item: Input) -> Decision[WithdrawalState]:
    """Decide a repeated request: a duplicate if its data are equal, else a conflict."""
    if state.fingerprint == item.fingerprint:
        return ignored(state, "requested again with equal data")
    return rejected(
        state, "CONFLICT", "withdrawalId", "this withdrawal is known with other data: amend it, or use a new id"
    )


def start(builder: WithdrawalBuilder) -> Decision[WithdrawalState]:
    """``withdrawal.requested.v1`` for a new withdrawal."""
    return builder.done(proceed(builder))


def record(state: WithdrawalState, data: WithdrawalRecorded) -> Decision[WithdrawalState]:
    """``withdrawal.recorded.v1``: sent without an exchange. No verdict; only searches need it."""
    kept = replace(state, recorded=True, chain="broadcast", txid=data.txid, vout=data.vout)
    return Decision(kept, rule="recorded: no exchange, no verdict")


def amend(builder: WithdrawalBuilder, data: WithdrawalAmended) -> Decision[WithdrawalState]:
    """``withdrawal.amended.v1``: a new attempt with new facts, only while the last verdict is ``hold``."""
    if builder.state.case.verdict != "hold":
        return rejected(
            builder.state, "NOT_ON_HOLD", "withdrawalId", "only a withdrawal whose last verdict is hold can be amended"
        )
    given = {
        name: value
        for name in ("destination", "originator", "beneficiary")
        if (value := getattr(data, name)) is not None
    }
    give_up(builder, "UNKNOWN")
    builder.end_search()
    builder.end_assessment()
    builder.clear_timer(TRY_AGAIN)
    builder.change(
        passed=(),
        request=builder.state.request.model_copy(update=given),
        case=replace(builder.state.case, asked_anew=True),
        failing_since=None,
        failures=0,
        restarts=0,
    )
    return builder.done("amended: " + proceed(builder))


def proceed(builder: WithdrawalBuilder) -> str:
    """Go on to the next answer that the withdrawal waits for; return the line of the law that was applied.

    What the request itself calls for comes first (``verdict_cause``), then the assessments, then the counterparty.
    """
    if (found := cause_of(builder.state, builder.policy)) is not None:
        return builder.apply(found)
    kind = next_gate(builder.state, builder.policy)
    if kind is not None:
        gates.require_assessment(builder, kind)
        found = cause_of(builder.state, builder.policy)
        return GATE_LAWS[kind] if found is None else builder.apply(found)
    destination = builder.state.request.destination
    if destination.kind == "unknown":
        start_search(builder)
        return "destination unknown: wallet search"
    first = not builder.state.attempts
    transfer_id = next_transfer_id(builder.state.withdrawal_id, builder.item.salt, first=first)
    attempt = Attempt(transfer_id, destination.vasp_entity_id or "")
    builder.change(attempts=(*builder.state.attempts, attempt))
    search_address(builder, attempt)
    return "address search"
