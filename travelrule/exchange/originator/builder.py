"""Builder for one decision about a withdrawal.

Every change of status goes through ``move`` and the transition table. Every such change, and every change of chain or
txid, is emitted once: the ``exchanges`` topic shows each status in turn, ``verified`` as well as the ``pending`` that
follows at once.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

from schemas.operations import Operation
from travelrule.exchange.originator.state import Attempt, WithdrawalState
from travelrule.exchange.originator.verdict_cause import CauseFound, cause_of
from travelrule.exchange.table import ORIGINATING
from travelrule.machine.case import case_for, is_same_verdict, verdict_data
from travelrule.machine.decision import Decision
from travelrule.machine.decision_builder import DecisionBuilder
from travelrule.machine.effects import EndUnsent
from travelrule.machine.input import Input
from travelrule.machine.transition_table import NEW
from travelrule.messages.assessment import AssessmentDropped, answer_limit
from travelrule.policy.causes import Cause
from travelrule.policy.policy import Policy

TRY_AGAIN = "try-again"
CONCLUDE = "conclude"
HELD = "held"
SEARCH_AGAIN = "search-again"
REPORT_AGAIN = "report-again"
GATE = "gate"
WAKE = "wake"
"""Set by a migration, for states of a build that gave an open gate no timer."""


OPEN_STATUSES = frozenset({"verified", "pending", "processing", "wait-confirm", "confirmed"})


class WithdrawalBuilder(DecisionBuilder[WithdrawalState]):
    """Builds one decision about a withdrawal. ``before`` is the state that the input found."""

    __slots__ = ("before",)

    def __init__(self, state: WithdrawalState, item: Input, policy: Policy, now: datetime) -> None:
        super().__init__(state, item, policy, now)
        self.before = state

    def change_attempt(self, transfer_id: str, **changes: Any) -> Attempt:
        """Replace fields of one attempt and return the new one."""
        attempts = tuple(
            replace(one, **changes) if one.transfer_id == transfer_id else one for one in self.state.attempts
        )
        self.change(attempts=attempts)
        return next(one for one in attempts if one.transfer_id == transfer_id)

    def move(self, transfer_id: str, *triggers: str) -> Attempt:
        """Step an attempt through the table and emit each status it passes."""
        attempt = next(one for one in self.state.attempts if one.transfer_id == transfer_id)
        for trigger in triggers:
            attempt = self.change_attempt(transfer_id, status=ORIGINATING.step(attempt.status, trigger))
            self.publish(attempt)
        return attempt

    def publish(self, attempt: Attempt) -> None:
        """Emit how far an exchange is. Only the newest attempt has the withdrawal's transaction."""
        if attempt.status == NEW:
            return
        counts = attempt is self.state.attempt
        data: dict[str, Any] = {
            "transferId": attempt.transfer_id,
            "side": "originating",
            "status": attempt.status,
            "chain": self.state.chain if counts else "none",
            "counterparty": attempt.counterparty,
            "withdrawalId": self.state.withdrawal_id,
        }
        if counts and self.state.txid is not None:
            data["txid"] = self.state.txid
        self.emit("exchanges", attempt.transfer_id, "exchange.changed.v1", data)

    def decide(
        self,
        cause: Cause,
        *,
        reason: str = "UNKNOWN",
        rule: str = "",
        counterparty: str = "",
        missing: tuple[str, ...] = (),
    ) -> None:
        """Set the verdict; it is emitted if it differs from the last one. A final case stays as it is."""
        if self.state.case.final:
            return
        self.overrule(cause, reason=reason, rule=rule, counterparty=counterparty, missing=missing)

    def apply(self, found: CauseFound) -> str:
        """Set the verdict of a cause that follows from the state; return its line of the law."""
        self.decide(found.cause, rule=found.exemption, missing=found.missing)
        return found.law

    def judge(self) -> None:
        """Set the verdict that the state calls for, if any."""
        if (found := cause_of(self.state, self.policy)) is not None:
            self.apply(found)

    def overrule(
        self,
        cause: Cause,
        *,
        reason: str = "UNKNOWN",
        rule: str = "",
        counterparty: str = "",
        missing: tuple[str, ...] = (),
    ) -> None:
        """Set the verdict even if the case was final: the platform and the operator may do that."""
        old = self.state.case
        case = case_for(
            cause, "withdrawal", self.policy, reason=reason, rule=rule, counterparty=counterparty, missing=missing
        )
        if is_same_verdict(old, case) and not old.asked_anew:
            return
        self.change(case=case)
        self.publish_verdict()

    def publish_verdict(self) -> None:
        """Emit the verdict as it is."""
        state = self.state
        data = verdict_data("withdrawal", state.withdrawal_id, state.case)
        destination = state.request.destination
        target = destination.vasp_entity_id or "" if destination.kind == "vasp" else ""
        if counterparty := state.case.counterparty or target:
            data["counterparty"] = counterparty
        attempt = state.attempt
        if attempt is not None and attempt.status != NEW:
            data["transferId"] = attempt.transfer_id
            data["exchangeStatus"] = attempt.status
        self.emit("verdicts", state.withdrawal_id, "withdrawal.verdict.v1", data)

    def call_counterparty(
        self,
        operation: Operation,
        attempt: Attempt,
        clear: dict[str, Any],
        payload: dict[str, Any] | None = None,
        *,
        seconds: float | None = None,
    ) -> None:
        """Call the counterparty of an attempt, under its ``transferId``; after some seconds, if given."""
        self.call(operation, attempt.counterparty, attempt.transfer_id, clear, payload, seconds=seconds)

    def end_assessment(self) -> None:
        """Drop the assessment that is waited for, if any."""
        gate = self.state.gate
        if gate is not None:
            self.change(gate=None)
            dropped = AssessmentDropped(asker=f"withdrawal:{self.state.withdrawal_id}")
            self.send(gate.subject, "assessment.dropped", dropped)

    def end_search(self) -> None:
        """End the wallet search: no further call is made, and no answer is awaited."""
        self.clear_timer(SEARCH_AGAIN)
        search = self.state.search
        if search is None:
            return
        if not search.over:
            self.drop(Operation.WALLET_SEARCH, Operation.WALLET_SEARCH_RESULT)
        self.change(search=None)

    def end_unsent(self, operation: str) -> None:
        """Let a call that the counterparty cannot have yet end unsent."""
        self.effects.append(EndUnsent(operation))

    def done(self, rule: str) -> Decision[WithdrawalState]:
        """Set the timers that the state calls for and return the decision."""
        if self.state.case.final:
            self.clear_timer(TRY_AGAIN)
            self.end_search()
            self.end_assessment()
        gate = self.state.gate
        limits = self.policy.time_limits
        self.keep_timer(GATE, answer_limit(gate.kind, limits) if gate else 0, needed=gate is not None)
        self.keep_timer(CONCLUDE, limits.conclusion, needed=is_unconcluded(self.state))
        # Half of the limit each: the platform is reminded first, an alert is raised at the limit.
        self.keep_timer(HELD, limits.held_reminder / 2, needed=self.state.case.verdict == "hold")
        return super().done(rule)


def is_unconcluded(state: WithdrawalState) -> bool:
    """Whether any exchange still owes its counterparty a conclusion (D46)."""
    return any(owes_conclusion(one) for one in state.attempts)


def owes_conclusion(attempt: Attempt) -> bool:
    """Whether this exchange owes a conclusion: nothing was accepted, and nothing failed for good with an alert.

    One that was given up while its answer is on the way will owe a finish when the answer is there.
    """
    if attempt.finish == "owed" or (attempt.give_up and attempt.status == "wait"):
        return True
    return attempt.status in OPEN_STATUSES and attempt.report in ("none", "owed", "missed", "dropped")
