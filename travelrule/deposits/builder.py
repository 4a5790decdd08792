"""Builder for one decision about a deposit.

The verdict is not set by whoever hears an input: it is derived from the new state when the decision is complete
(``verdict_cause.cause_of``), and so are the word to the matched exchange and the reminders.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from schemas.numbers import decimal_text
from travelrule.deposits.deposit_context import QUESTION
from travelrule.deposits.state import DepositState
from travelrule.deposits.table import AUTOMATIC, GATE, HELD, SETTLE, TABLE
from travelrule.deposits.verdict_cause import cause_of, next_gate, originators
from travelrule.machine.alert_codes import AlertCode
from travelrule.machine.backoff import counterparty_retry_seconds, retry_seconds
from travelrule.machine.case import case_for, is_same_verdict, verdict_data
from travelrule.machine.decision import Decision
from travelrule.machine.decision_builder import DecisionBuilder
from travelrule.machine.effects import LookUp
from travelrule.messages.arrival import ExchangeSettled
from travelrule.messages.assessment import AssessmentDropped, AssessmentKind, AssessmentWanted, Gate, answer_limit
from travelrule.policy.causes import Cause

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


class DepositBuilder(DecisionBuilder[DepositState]):
    """Builds one decision about a deposit."""

    __slots__ = ()

    @property
    def counterparty(self) -> str | None:
        """The VASP that sent the deposit, as far as it is known."""
        return self.state.counterparty or None

    def move(self, trigger: str) -> None:
        """Step through the table."""
        self.change(status=TABLE.step(self.state.status, trigger))

    def overrule(self, cause: Cause) -> None:
        """Give the case its verdict even if it was final; emitted if it says anything new."""
        case = case_for(
            cause,
            "deposit",
            self.policy,
            missing=self.state.missing if cause is Cause.INFORMATION_INCOMPLETE else (),
        )
        if is_same_verdict(self.state.case, case):
            return
        self.change(case=case)
        self._publish_verdict()
        if cause in TOLD_OF:
            self.alert(TOLD_OF[cause])

    def _publish_verdict(self) -> None:
        state = self.state
        data = verdict_data("deposit", state.deposit_id, state.case)
        if state.counterparty:
            data["counterparty"] = state.counterparty
        if state.match is not None:
            data["transferId"] = state.match.transfer_id
        elif state.received is not None and state.found is not None:
            data["transferId"] = state.found.request_id
        self.emit("verdicts", state.deposit_id, "deposit.verdict.v1", data)

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
            self.send(gate.subject, "assessment.dropped", dropped)

    def unreachable(self, timer: str, *, hub: bool = False) -> None:
        """Somebody could not be reached: try again later, ever more rarely; at the policy's limit tell an operator. The
        hub is tried again from seconds upward.
        """
        limits = self.policy.time_limits
        since = self.state.failing_since or self.now
        failures = self.state.failures + 1
        self.change(unreachable=True, hub_away=hub, failing_since=since, failures=failures)
        if (self.now - since).total_seconds() >= limits.unreachable_limit:
            code = AlertCode.HUB_UNREACHABLE if hub else AlertCode.COUNTERPARTY_UNREACHABLE
            self.alert(code, "critical", attempts=failures)
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
        self.keep_timer(GATE, answer_limit(gate.kind, self.policy.time_limits) if gate else 0, needed=gate is not None)
        held = self.state.case.verdict == "hold" and self.state.status not in ("settled", "retracted")
        self.keep_timer(HELD, self.policy.time_limits.held_reminder, needed=held)
        unsettled = self.state.case.verdict == "allow" and self.state.status not in ("settled", "retracted")
        self.keep_timer(SETTLE, self.policy.time_limits.settlement, needed=unsettled)
        return super().done(rule)

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
        self.send(gate.subject, "assessment.wanted", wanted)

    def _judge(self) -> None:
        cause = cause_of(self.state, self.policy)
        if cause is not None and (cause is Cause.RETRACTED or not self.state.case.final):
            self.overrule(cause)
        automatic = self.state.status in AUTOMATIC
        if self.state.case.final and automatic and TABLE.may(self.state.status, "decided"):
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
        self.send(match.exchange, "exchange.settled", settled)
