"""Builder for one decision about a deposit.

Handlers set no verdict: it is derived from the new state when the decision is complete (`verdict_cause.cause_of`), and
so are the message to the matched exchange and the reminders.
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

ALERTS: Mapping[Cause, AlertCode] = MappingProxyType(
    {
        Cause.AMOUNT_MISMATCH: AlertCode.DEPOSIT_MISMATCH,
        Cause.ASSET_MISMATCH: AlertCode.DEPOSIT_MISMATCH,
        Cause.NAME_MISMATCH: AlertCode.DEPOSIT_MISMATCH,
        Cause.ADDRESS_MISMATCH: AlertCode.DEPOSIT_MISMATCH,
        Cause.OWNER_UNKNOWN: AlertCode.DEPOSIT_OWNER_UNKNOWN,
        Cause.ORIGINATOR_AMBIGUOUS: AlertCode.ORIGINATOR_AMBIGUOUS,
    }
)
"""The alert that goes with a verdict."""


class DepositBuilder(DecisionBuilder[DepositState]):
    """Builds one decision about a deposit."""

    __slots__ = ()

    @property
    def counterparty(self) -> str | None:
        """The VASP that sent the deposit, if known."""
        return self.state.counterparty or None

    def move(self, trigger: str) -> None:
        """Step through the table."""
        self.change(status=TABLE.step(self.state.status, trigger))

    def set_verdict(self, cause: Cause) -> None:
        """Set the verdict of a cause, even over a final one; emit it if it differs."""
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
        if cause in ALERTS:
            self.alert(ALERTS[cause])

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

    def request_lookup(self) -> None:
        """Look up the wallet at the address, and the open authorizations for it."""
        address, tag = self.state.address
        parameters = {
            "address": address,
            "tag": tag,
            "currency": self.state.detected.currency,
            "amount": decimal_text(self.state.detected.amount),
        }
        self.effects.append(LookUp(QUESTION, parameters))

    def stop_automatic(self) -> None:
        """End every call, timer and assessment."""
        self.drop()
        self.change(timers={}, search=None, unreachable=False, failing_since=None, failures=0)
        self.end_assessment()

    def end_assessment(self) -> None:
        """Drop the pending assessment, if any."""
        gate = self.state.gate
        if gate is not None:
            self.change(gate=None)
            dropped = AssessmentDropped(asker=f"deposit:{self.state.deposit_id}")
            self.send(gate.subject, "assessment.dropped", dropped)

    def retry_later(self, timer: str, *, hub: bool = False) -> None:
        """Set the timer to the next try after a failure: waits grow, for the hub from seconds, for a VASP from the
        policy's first wait. At the policy's limit raise an alert.
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
        """Return the seconds to the next try: the policy's first wait, doubled with each failure, up to a limit."""
        return counterparty_retry_seconds(self.state.failures, self.policy.time_limits.unreachable_retry)

    def clear_failures(self) -> None:
        """Reset the failures after an answer."""
        self.change(unreachable=False, hub_away=False, failing_since=None, failures=0)

    def done(self, rule: str) -> Decision[DepositState]:
        """Derive the verdict, notify the exchange, set the reminders; return the decision."""
        self._start_next_assessment()
        self._derive_verdict()
        self._notify_exchange()
        gate = self.state.gate
        self.keep_timer(GATE, answer_limit(gate.kind, self.policy.time_limits) if gate else 0, needed=gate is not None)
        held = self.state.case.verdict == "hold" and self.state.status not in ("settled", "retracted")
        self.keep_timer(HELD, self.policy.time_limits.held_reminder, needed=held)
        unsettled = self.state.case.verdict == "allow" and self.state.status not in ("settled", "retracted")
        self.keep_timer(SETTLE, self.policy.time_limits.settlement, needed=unsettled)
        return super().done(rule)

    def _start_next_assessment(self) -> None:
        """Start the next assessment that an allow needs."""
        kind = next_gate(self.state, self.policy)
        if kind is None:
            return
        self.start_assessment(kind)

    def start_assessment(self, kind: AssessmentKind, asked: int = 1) -> None:
        """Start a new assessment."""
        self.change(gates=self.state.gates + 1)
        self.request_assessment(Gate(f"assessment:deposit:{self.state.deposit_id}/{self.state.gates}", kind, asked))

    def request_assessment(self, gate: Gate) -> None:
        """Request this assessment and wait for it; one that has ended sends its answer again."""
        self.change(gate=gate)
        self.set_timer(GATE, answer_limit(gate.kind, self.policy.time_limits))
        kind, detected = gate.kind, self.state.detected
        wanted = AssessmentWanted(
            asker=f"deposit:{self.state.deposit_id}",
            kind=kind,
            network=detected.network or "",
            # The address distinguishes networks of one name (BNB, AVAX); the lists do not screen our own address.
            address=self.state.address[0] if kind != "lists" else None,
            txid=detected.txid,
            parties=originators(self.state) if kind == "lists" else (),
        )
        self.send(gate.subject, "assessment.wanted", wanted)

    def _derive_verdict(self) -> None:
        cause = cause_of(self.state, self.policy)
        if cause is not None and (cause is Cause.RETRACTED or not self.state.case.final):
            self.set_verdict(cause)
        automatic = self.state.status in AUTOMATIC
        if self.state.case.final and automatic and TABLE.may(self.state.status, "decided"):
            self.move("decided")
            self.stop_automatic()

    def _notify_exchange(self) -> None:
        """Notify the matched exchange of the deposit's stage, once per stage."""
        match = self.state.match
        stage = self.state.outcome or ("final" if self.state.chain == "final" else None)
        if match is None or stage is None or self.state.told == stage:
            return
        self.change(told=stage)
        settled = ExchangeSettled(deposit_id=self.state.deposit_id, stage=stage)
        self.send(match.exchange, "exchange.settled", settled)
