"""One decision about a withdrawal in the making: the next state and the effects, collected in order.

A turn lives for one call of ``decide`` and changes nothing that it was given. Every change of status goes through
``move`` and the transition table; every such change, and every change of chain or txid, is emitted once, so that the
``exchanges`` topic shows each status in turn, ``verified`` as well as the ``pending`` that follows at once.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Literal

from schemas.base import Wire
from travelrule.exchange.originator.state import Attempt, WithdrawalState
from travelrule.exchange.table import step
from travelrule.machine.alert_codes import AlertCode
from travelrule.machine.case import Case
from travelrule.machine.decision import Decision
from travelrule.machine.effects import AcceptAnswer, Alert, CallHub, DropCalls, Effect, Emit, EndUnsent, SendMessage
from travelrule.machine.input import Input
from travelrule.machine.internal_inputs import CallResult
from travelrule.machine.transition_table import NEW
from travelrule.messages.assessment import AssessmentDropped, answer_limit
from travelrule.policy.causes import Cause
from travelrule.policy.policy import Policy
from travelrule.policy.verdicts import verdict_for

TRY_AGAIN = "try-again"
CONCLUDE = "conclude"
HELD = "held"
SEARCH_AGAIN = "search-again"
REPORT_AGAIN = "report-again"
GATE = "gate"
WAKE = "wake"
"""Set by a migration, for states of a build that gave an open gate no timer."""


OPEN_STATUSES = frozenset({"verified", "pending", "processing", "wait-confirm", "confirmed"})


class Turn:
    """Collects one decision."""

    __slots__ = ("before", "effects", "item", "now", "policy", "state")

    def __init__(self, state: WithdrawalState, item: Input, policy: Policy, now: datetime) -> None:
        self.before = state
        self.state = state
        self.item = item
        self.policy = policy
        self.now = now
        self.effects: list[Effect] = []

    def change(self, **changes: Any) -> None:
        """Replace fields of the state."""
        self.state = replace(self.state, **changes)

    def change_attempt(self, transfer_id: str, **changes: Any) -> Attempt:
        """Replace fields of one attempt and give the new one."""
        attempts = tuple(
            replace(one, **changes) if one.transfer_id == transfer_id else one for one in self.state.attempts
        )
        self.change(attempts=attempts)
        return next(one for one in attempts if one.transfer_id == transfer_id)

    def move(self, transfer_id: str, *triggers: str) -> Attempt:
        """Step an attempt through the table and emit each status it passes."""
        attempt = next(one for one in self.state.attempts if one.transfer_id == transfer_id)
        for trigger in triggers:
            attempt = self.change_attempt(transfer_id, status=step("originating", attempt.status, trigger))
            self.publish(attempt)
        return attempt

    def publish(self, attempt: Attempt) -> None:
        """Emit how far an exchange is. Only the attempt that counts has the withdrawal's transaction."""
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
        self.effects.append(Emit("exchanges", attempt.transfer_id, "exchange.changed.v1", data))

    def decide(
        self,
        cause: Cause,
        *,
        reason: str = "UNKNOWN",
        rule: str = "",
        counterparty: str = "",
        missing: tuple[str, ...] = (),
    ) -> None:
        """Give the case its verdict; emitted if it says anything new. A final case is not touched by this."""
        if self.state.case.final:
            return
        self.overrule(cause, reason=reason, rule=rule, counterparty=counterparty, missing=missing)

    def overrule(
        self,
        cause: Cause,
        *,
        reason: str = "UNKNOWN",
        rule: str = "",
        counterparty: str = "",
        missing: tuple[str, ...] = (),
    ) -> None:
        """Give the case its verdict even if it was final: the platform and the operator may do that."""
        verdict = verdict_for(cause, "withdrawal", self.policy, reason=reason, rule=rule)
        old = self.state.case
        case = Case(
            verdict.verdict,
            cause.value,
            verdict.reasons,
            verdict.needs,
            verdict.final,
            self.policy.version,
            counterparty=counterparty,
            missing=missing,
        )
        if _said(old) == _said(case) and not old.asked_anew:
            return
        self.change(case=case)
        self.say_verdict()

    def say_verdict(self) -> None:
        """Emit the verdict as it stands."""
        self.effects.append(self._verdict(self.state.case))

    def _verdict(self, case: Case) -> Emit:
        attempt = self.state.attempt
        data: dict[str, Any] = {
            "subject": f"withdrawal:{self.state.withdrawal_id}",
            "verdict": case.verdict,
            "reasons": list(case.reasons),
            "needs": list(case.needs),
            "final": case.final,
            "policyVersion": case.policy_version,
        }
        if case.missing:
            data["missing"] = list(case.missing)
        destination = self.state.request.destination
        counterparty = case.counterparty or (destination.vasp_entity_id or "" if destination.kind == "vasp" else "")
        if counterparty:
            data["counterparty"] = counterparty
        if attempt is not None and attempt.status != NEW:
            data["transferId"] = attempt.transfer_id
            data["exchangeStatus"] = attempt.status
        return Emit("verdicts", self.state.withdrawal_id, "withdrawal.verdict.v1", data)

    def call(
        self,
        operation: Literal["address-search", "transfer-authorization", "txid-report", "finish"],
        attempt: Attempt,
        clear: dict[str, Any],
        payload: dict[str, Any] | None = None,
        seconds: float = 0.0,
    ) -> None:
        """Ask the hub, on behalf of this attempt, after some seconds."""
        due_at = self.now + timedelta(seconds=seconds) if seconds else None
        self.effects.append(CallHub(operation, attempt.counterparty, attempt.transfer_id, clear, payload, due_at))

    def accept_answer(self, report: CallResult) -> None:
        """Remember that the sealed answer was acted on."""
        if report.answer_seal and not report.accepted_for:
            self.effects.append(AcceptAnswer(report.answer_seal, report.transfer_id))

    def ask(
        self,
        operation: Literal["wallet-search", "wallet-search-result"],
        request_id: str,
        clear: dict[str, Any],
        seconds: float = 0.0,
    ) -> None:
        """Ask the hub itself, after some seconds."""
        self.effects.append(CallHub(operation, "", request_id, clear, due_at=self.now + timedelta(seconds=seconds)))

    def tell(self, subject: str, kind: str, data: Wire) -> None:
        """Say something to another subject of ours."""
        self.effects.append(SendMessage(subject, kind, data))

    def end_assessment(self) -> None:
        """Nobody waits for an assessment any more."""
        gate = self.state.gate
        if gate is not None:
            self.change(gate=None)
            dropped = AssessmentDropped(asker=f"withdrawal:{self.state.withdrawal_id}")
            self.tell(gate.subject, "assessment.dropped", dropped)

    def end_search(self) -> None:
        """No search is of use any more: nothing more is asked, and no answer is waited for."""
        self.clear_timer(SEARCH_AGAIN)
        search = self.state.search
        if search is None:
            return
        if not search.over:
            self.drop("wallet-search", "wallet-search-result")
        self.change(search=None)

    def drop(self, *operations: str) -> None:
        """Take back calls that were not sent yet."""
        self.effects.append(DropCalls(operations))

    def end_unsent(self, operation: str) -> None:
        """Let a call that the counterparty cannot have yet end unsent."""
        self.effects.append(EndUnsent(operation))

    def alert(
        self,
        code: AlertCode,
        severity: Literal["warning", "critical"] = "warning",
        counterparty: str | None = None,
        attempts: int | None = None,
    ) -> None:
        """Tell an operator."""
        self.effects.append(Alert(code.value, severity, counterparty, attempts))

    def set_timer(self, name: str, seconds: float) -> None:
        """Start a timer, or start it anew."""
        self.change(timers={**self.state.timers, name: self.now + timedelta(seconds=seconds)})

    def clear_timer(self, name: str) -> None:
        """Drop a timer if it runs."""
        if name in self.state.timers:
            self.change(timers={key: due for key, due in self.state.timers.items() if key != name})

    def done(self, rule: str) -> Decision[WithdrawalState]:
        """Finish: set the watchdogs that the state calls for, and hand over."""
        if self.state.case.final:
            self.clear_timer(TRY_AGAIN)
            self.end_search()
            self.end_assessment()
        gate = self.state.gate
        self._watch(GATE, answer_limit(gate.kind, self.policy.time_limits) if gate else 0, needed=gate is not None)
        self._watch(CONCLUDE, self.policy.time_limits.conclusion, needed=unconcluded(self.state))
        # Half of the limit each: the platform is reminded first, an operator is told at the limit.
        self._watch(HELD, self.policy.time_limits.held_reminder / 2, needed=self.state.case.verdict == "hold")
        return Decision(self.state, tuple(self.effects), rule=rule)

    def _watch(self, name: str, seconds: float, *, needed: bool) -> None:
        if not needed:
            self.clear_timer(name)
        elif name not in self.state.timers:
            self.set_timer(name, seconds)


def _said(case: Case) -> tuple[object, ...]:
    """What a verdict tells the platform: said again only if it differs."""
    return case.verdict, case.reasons, case.needs, case.final, case.counterparty, case.missing


def unconcluded(state: WithdrawalState) -> bool:
    """Whether any exchange still owes its counterparty a conclusion (D46)."""
    return any(owes(one) for one in state.attempts)


def owes(attempt: Attempt) -> bool:
    """Whether this exchange owes a conclusion: nothing was accepted, and nothing failed for good with an alert.

    One that was given up while its answer is on the way will owe a finish when the answer is there.
    """
    if attempt.finish == "owed" or (attempt.give_up and attempt.status == "wait"):
        return True
    return attempt.status in OPEN_STATUSES and attempt.report in ("none", "owed", "missed", "dropped")
