"""One decision about a deposit in the making, as ``exchange.originator.builder`` is for a withdrawal.

The verdict is not set by whoever hears an input: it is derived from the new state when the turn is done
(``verdict_cause.cause_of``), and so are the word to the matched exchange and the reminders.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Any, Literal

from schemas.numbers import decimal_text
from schemas.wire_model import Wire
from travelrule.deposits.alert_codes import AlertCode
from travelrule.deposits.context import QUESTION
from travelrule.deposits.state import DepositState
from travelrule.deposits.table import AUTOMATIC, GATE, HELD, SETTLE, may, step
from travelrule.deposits.verdict_cause import cause_of, next_gate, originators
from travelrule.machine.alert_codes import AlertCode as SharedCode
from travelrule.machine.backoff import counterparty_retry_seconds, retry_seconds
from travelrule.machine.case import Case
from travelrule.machine.decision import Decision
from travelrule.machine.effects import Alert, CallHub, DropCalls, Effect, Emit, LookUp, SendMessage
from travelrule.machine.input import Input
from travelrule.messages.arrival import ExchangeSettled
from travelrule.messages.assessment import AssessmentDropped, AssessmentKind, AssessmentWanted, Gate, answer_limit
from travelrule.policy.causes import Cause
from travelrule.policy.policy import Policy
from travelrule.policy.verdicts import verdict_for

TOLD_OF: Mapping[Cause, AlertCode] = MappingProxyType(
    {
        Cause.AMOUNT_MISMATCH: AlertCode.DEPOSIT_MISMATCH,
        Cause.ASSET_MISMATCH: AlertCode.DEPOSIT_MISMATCH,
        Cause.NAME_MISMATCH: AlertCode.DEPOSIT_MISMATCH,
        Cause.ADDRESS_MISMATCH: AlertCode.DEPOSIT_MISMATCH,
        Cause.OWNER_UNKNOWN: AlertCode.DEPOSIT_OWNER_UNKNOWN,
        Cause.ORIGINATOR_AMBIGUOUS: AlertCode.ORIGINATOR_AMBIGUOUS,
    }
)
"""Verdicts that an operator is told of when they are said."""


class DepositTurn:
    """Collects one decision; lives for one call of ``decide`` and changes nothing that it was given."""

    __slots__ = ("effects", "item", "now", "policy", "state")

    def __init__(self, state: DepositState, item: Input, policy: Policy, now: datetime) -> None:
        self.state = state
        self.item = item
        self.policy = policy
        self.now = now
        self.effects: list[Effect] = []

    def change(self, **changes: Any) -> None:
        """Replace fields of the state."""
        self.state = replace(self.state, **changes)

    def move(self, trigger: str) -> None:
        """Step through the table."""
        self.change(status=step(self.state.status, trigger))

    def overrule(self, cause: Cause) -> None:
        """Give the case its verdict even if it was final; emitted if it says anything new."""
        verdict = verdict_for(cause, "deposit", self.policy)
        old = self.state.case
        case = Case(
            verdict.verdict,
            cause.value,
            verdict.reasons,
            verdict.needs,
            verdict.final,
            self.policy.version,
            missing=self.state.missing if cause is Cause.INFORMATION_INCOMPLETE else (),
        )
        if _said(old) == _said(case):
            return
        self.change(case=case)
        self.effects.append(self._verdict(case))
        if cause in TOLD_OF:
            self.alert(TOLD_OF[cause])

    def _verdict(self, case: Case) -> Emit:
        state = self.state
        data: dict[str, Any] = {
            "subject": f"deposit:{state.deposit_id}",
            "verdict": case.verdict,
            "reasons": list(case.reasons),
            "needs": list(case.needs),
            "final": case.final,
            "policyVersion": case.policy_version,
        }
        if case.missing:
            data["missing"] = list(case.missing)
        if state.counterparty:
            data["counterparty"] = state.counterparty
        if state.match is not None:
            data["transferId"] = state.match.transfer_id
        elif state.received is not None and state.found is not None:
            data["transferId"] = state.found.request_id
        return Emit("verdicts", state.deposit_id, "deposit.verdict.v1", data)

    def tell(self, subject: str, kind: str, data: Wire) -> None:
        """Say something to another subject of ours."""
        self.effects.append(SendMessage(subject, kind, data))

    def look_up(self) -> None:
        """Ask the own store whose address it is, and who announced a transfer to it."""
        address, tag = self.state.address
        parameters = {
            "address": address,
            "tag": tag,
            "currency": self.state.detected.currency,
            "amount": decimal_text(self.state.detected.amount),
        }
        self.effects.append(LookUp(QUESTION, parameters))

    def call(
        self,
        operation: Literal["status-search", "txid-search", "txid-search-result", "data-request"],
        target: str,
        transfer_id: str,
        clear: dict[str, Any],
        payload: dict[str, Any] | None = None,
        due_at: datetime | None = None,
    ) -> None:
        """Ask the hub (``target`` empty) or, through it, a VASP."""
        self.effects.append(CallHub(operation, target, transfer_id, clear, payload, due_at))

    def drop(self, *operations: str) -> None:
        """Take back calls that were not sent yet; without names all of them."""
        self.effects.append(DropCalls(operations))

    def stop(self) -> None:
        """End everything that was begun by itself."""
        self.drop()
        self.change(timers={}, search=None, unreachable=False, failing_since=None, failures=0)
        self.end_assessment()

    def end_assessment(self) -> None:
        """No assessment is waited for any more."""
        gate = self.state.gate
        if gate is not None:
            self.change(gate=None)
            dropped = AssessmentDropped(asker=f"deposit:{self.state.deposit_id}")
            self.tell(gate.subject, "assessment.dropped", dropped)

    def alert(
        self,
        code: AlertCode | SharedCode,
        severity: Literal["warning", "critical"] = "warning",
        attempts: int | None = None,
    ) -> None:
        """Tell an operator."""
        self.effects.append(Alert(code.value, severity, self.state.counterparty or None, attempts))

    def set_timer(self, name: str, seconds: float) -> None:
        """Start a timer, or start it anew."""
        self.change(timers={**self.state.timers, name: self.now + timedelta(seconds=seconds)})

    def clear_timer(self, name: str) -> None:
        """Drop a timer if it runs."""
        if name in self.state.timers:
            self.change(timers={key: due for key, due in self.state.timers.items() if key != name})

    def unreachable(self, timer: str, *, hub: bool = False) -> None:
        """Somebody could not be reached: try again later, ever more rarely; at the policy's limit tell an operator. The
        hub is tried again from seconds upward.
        """
        limits = self.policy.time_limits
        since = self.state.failing_since or self.now
        failures = self.state.failures + 1
        self.change(unreachable=True, hub_away=hub, failing_since=since, failures=failures)
        if (self.now - since).total_seconds() >= limits.unreachable_limit:
            code = SharedCode.HUB_UNREACHABLE if hub else SharedCode.COUNTERPARTY_UNREACHABLE
            self.alert(code, "critical", failures)
            self.change(failing_since=self.now)
        self.set_timer(timer, retry_seconds(failures, self.item.salt.int) if hub else self.backoff())

    def backoff(self) -> int:
        """Give the seconds to the next try: the policy's first wait, doubled with each failure, up to a limit."""
        return counterparty_retry_seconds(self.state.failures, self.policy.time_limits.unreachable_retry)

    def reached(self) -> None:
        """Whoever could not be reached answered."""
        self.change(unreachable=False, hub_away=False, failing_since=None, failures=0)

    def done(self, rule: str) -> Decision[DepositState]:
        """Finish: say the verdict that follows, tell the exchange, set the reminders, and hand over."""
        self._assess()
        self._judge()
        self._tell_exchange()
        gate = self.state.gate
        self._watch(GATE, answer_limit(gate.kind, self.policy.time_limits) if gate else 0, needed=gate is not None)
        held = self.state.case.verdict == "hold" and self.state.status not in ("settled", "retracted")
        self._watch(HELD, self.policy.time_limits.held_reminder, needed=held)
        unsettled = self.state.case.verdict == "allow" and self.state.status not in ("settled", "retracted")
        self._watch(SETTLE, self.policy.time_limits.settlement, needed=unsettled)
        return Decision(self.state, tuple(self.effects), rule=rule)

    def _assess(self) -> None:
        """Ask for what must be known of the transaction or its sender before it can be allowed."""
        kind = next_gate(self.state, self.policy)
        if kind is None:
            return
        self.ask_assessment(kind)

    def ask_assessment(self, kind: AssessmentKind, asked: int = 1) -> None:
        """Ask a fresh assessment."""
        self.change(gates=self.state.gates + 1)
        self.want(Gate(f"assessment:deposit:{self.state.deposit_id}/{self.state.gates}", kind, asked))

    def want(self, gate: Gate) -> None:
        """Wait for this assessment, and tell it what is wanted; one that has answered does so again."""
        self.change(gate=gate)
        self.set_timer(GATE, answer_limit(gate.kind, self.policy.time_limits))
        kind, detected = gate.kind, self.state.detected
        wanted = AssessmentWanted(
            asker=f"deposit:{self.state.deposit_id}",
            kind=kind,
            network=detected.network or "",
            # Two networks share a name (BNB, AVAX); the lists are not asked about our own customer's address.
            address=self.state.address[0] if kind != "lists" else None,
            txid=detected.txid,
            parties=originators(self.state) if kind == "lists" else (),
        )
        self.tell(gate.subject, "assessment.wanted", wanted)

    def _judge(self) -> None:
        cause = cause_of(self.state, self.policy)
        if cause is not None and (cause is Cause.RETRACTED or not self.state.case.final):
            self.overrule(cause)
        automatic = self.state.status in AUTOMATIC
        if self.state.case.final and automatic and may(self.state.status, "decided"):
            self.move("decided")
            self.stop()

    def _tell_exchange(self) -> None:
        """Tell the matched exchange how far its deposit came, once per stage."""
        match = self.state.match
        stage = self.state.outcome or ("final" if self.state.chain == "final" else None)
        if match is None or stage is None or self.state.told == stage:
            return
        self.change(told=stage)
        settled = ExchangeSettled(deposit_id=self.state.deposit_id, stage=stage)
        self.tell(match.exchange, "exchange.settled", settled)

    def _watch(self, name: str, seconds: int, *, needed: bool) -> None:
        if not needed:
            self.clear_timer(name)
        elif name not in self.state.timers:
            self.set_timer(name, seconds)


def _said(case: Case) -> tuple[object, ...]:
    return case.verdict, case.reasons, case.needs, case.final, case.missing


def ignored(state: DepositState, rule: str) -> Decision[DepositState]:
    """What came changes nothing: it came before, or too late."""
    return Decision(state, status="duplicate", rule=rule)


def rejected(state: DepositState | None, code: str, field: str, fix: str) -> Decision[Any]:
    """What came cannot be; it is not remembered and may be replayed."""
    return Decision(state, status="rejected", code=code, field=field, fix=fix, rule=code)
