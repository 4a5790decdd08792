"""Nothing waits indefinitely: whatever a state waits for has a call that is under way, or a timer."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from tests.simulation.engine_model import EngineModel
from travelrule.assessments.state import AssessmentState
from travelrule.assessments.table import WAITING
from travelrule.deposits.state import DepositState
from travelrule.deposits.table import WAITS
from travelrule.exchange.beneficiary.state import ExchangeState
from travelrule.exchange.originator.builder import OPEN_STATUSES
from travelrule.exchange.originator.refused_request import RefusedRequestState
from travelrule.exchange.originator.state import Attempt, WithdrawalState

LONGEST_OUTAGE = timedelta(hours=4)
"""Longer than all outages of a process together, should they fall upon each other."""


def waits_for_nothing(engine_model: EngineModel, subject: str, state: Any) -> str:
    """Say what the state waits for and nobody will bring; empty if there is no such thing."""
    return unattended(
        state, {(row.operation, row.transfer_id) for row in engine_model.calls_of.get(subject, {}).values()}
    )


def unattended(state: Any, calls: set[tuple[str, str]]) -> str:
    """The law of each machine: what waits has a timer of its own, or a call (operation, transferId) under way.

    The other machines wait for nothing: a wallet, an owner, a counterparty and a served data request are answered when
    they are decided, and at a meeting place it is the deposit that waits, and has the timer.
    """
    if isinstance(state, WithdrawalState):
        return _withdrawal(state, calls)
    if isinstance(state, RefusedRequestState) and state.case.verdict == "hold" and "held" not in state.timers:
        return "a refused request without a reminder"
    if isinstance(state, DepositState):
        return _deposit(state)
    if isinstance(state, ExchangeState) and state.status == "verified" and "open" not in state.timers:
        return "an open authorization without a timer"
    if isinstance(state, AssessmentState) and state.status in WAITING and "limit" not in state.timers:
        return f"an assessment {state.status} without a limit"
    return ""


def deferred_calls_are_watched(engine_model: EngineModel) -> None:
    """What waits for a VASP that is down waits without limit, so its subject must have a timer (invariant 7)."""
    for row in engine_model.calls.values():
        state = engine_model.state(row.subject)
        timers = getattr(state, "timers", None)
        assert timers or not row.deferred, f"{row.subject}: {row.operation} waits for {row.target} and nobody watches"


def _withdrawal(state: WithdrawalState, calls: set[tuple[str, str]]) -> str:
    for attempt in state.attempts:
        if reason := _attempt(attempt, calls, state.timers):
            return reason
    if state.case.verdict == "hold" and "held" not in state.timers:
        return "a hold that nobody is reminded of"
    if (state.gate is not None) != ("gate" in state.timers):
        return "an open gate without a timer, or a timer without a gate"
    if state.case.verdict == "open" and not state.recorded and not calls and not state.timers:
        return "a withdrawal without a verdict that nobody works on"
    search = state.search
    if search is not None and not search.over:
        operation = "wallet-search" if search.asks_at is None else "wallet-search-result"
        if (operation, search.request_id) not in calls:
            return "a search that nobody asks about"
    return ""


def _attempt(attempt: Attempt, calls: set[tuple[str, str]], timers: Mapping[str, datetime]) -> str:
    name = attempt.transfer_id
    watched = "conclude" in timers
    concluded = attempt.report in ("accepted", "failed")
    missing = {
        "an authorization that nobody sends": attempt.status == "wait"
        and ("transfer-authorization", name) not in calls,
        "a txid report that nobody sends": attempt.report == "owed" and ("txid-report", name) not in calls,
        "a txid report that nobody repeats": attempt.report == "missed" and "report-again" not in timers,
        "a finish that nobody sends": attempt.finish == "owed" and ("finish", name) not in calls,
        "a finish that nobody watches": attempt.finish == "owed" and not watched,
        "an exchange without conclusion that nobody watches": (
            attempt.status in OPEN_STATUSES and not concluded and not watched
        ),
    }
    return next((reason for reason, is_so in missing.items() if is_so), "")


def _deposit(state: DepositState) -> str:
    if (state.gate is not None) != ("gate" in state.timers):
        return "an open gate without a timer, or a timer without a gate"
    timer = WAITS.get(state.status)
    if timer is not None and timer not in state.timers:
        return f"a deposit {state.status} without its timer"
    if state.status not in ("settled", "retracted") and state.case.verdict != "deny" and not state.timers:
        return f"a deposit {state.status} without a timer"
    if state.case.verdict == "hold" and "held" not in state.timers and state.status not in ("settled", "retracted"):
        return "a hold that nobody is reminded of"
    return ""


def timers_are_kept(engine_model: EngineModel, now: datetime) -> None:
    """No timer of a subject is long past: the engine did not lose it."""
    for subject, slot in engine_model.slots.items():
        timers = getattr(slot.state, "timers", None)
        if timers:
            name, at = min(timers.items(), key=lambda one: one[1])
            assert now - at < LONGEST_OUTAGE, f"{subject}: timer {name} was lost, it was due at {at}"


def everything_is_settled(engine_model: EngineModel) -> None:
    """Two weeks after the last trouble nothing is under way: all has its end, or waits for a person who was told."""
    assert not engine_model.tells, "messages between subjects were left"
    left = [f"{row.subject}: {row.operation} was never ended" for row in engine_model.calls.values()]
    assert not left, left[0]
    for subject, slot in engine_model.slots.items():
        state = slot.state
        if isinstance(state, WithdrawalState) and not state.recorded:
            assert state.case.verdict != "open", f"{subject}: a withdrawal never got a verdict"
        if isinstance(state, DepositState):
            assert state.status not in WAITS, f"{subject}: a deposit is {state.status} for ever"
