"""One decision about an inbound exchange in the making, as ``builder`` is for a withdrawal."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from travelrule.exchange.beneficiary.state import ExchangeState
from travelrule.exchange.table import step
from travelrule.machine.alert_codes import AlertCode
from travelrule.machine.decision import Decision
from travelrule.machine.effects import Alert, CallHub, DropCalls, Effect, Emit, Reply
from travelrule.policy.policy import Policy

OPEN = "open"
"""The timer of an authorization that has neither txid nor finish."""


class ExchangeTurn:
    """Collects one decision; lives for one call of ``decide`` and changes nothing that it was given."""

    __slots__ = ("effects", "now", "policy", "state")

    def __init__(self, state: ExchangeState, policy: Policy, now: datetime) -> None:
        self.state = state
        self.policy = policy
        self.now = now
        self.effects: list[Effect] = []

    def move(self, trigger: str) -> None:
        """Step through the table and emit the new status."""
        self.state = replace(self.state, status=step("beneficiary", self.state.status, trigger))
        self.publish()

    def publish(self) -> None:
        """Emit how far the exchange is."""
        data: dict[str, Any] = {
            "transferId": self.state.transfer_id,
            "side": "beneficiary",
            "status": self.state.status,
            "chain": self.state.chain,
            "counterparty": self.state.counterparty,
        }
        if self.state.txid is not None:
            data["txid"] = self.state.txid
        if self.state.deposit_id is not None:
            data["depositId"] = self.state.deposit_id
        self.effects.append(Emit("exchanges", self.state.subject, "exchange.changed.v1", data))

    def reply(self, body: dict[str, Any]) -> None:
        """Answer the one who waits."""
        self.effects.append(Reply(body))

    def ask_status(self) -> None:
        """Ask the originator how far the transfer is (4.A.8)."""
        self.state = replace(self.state, asked=self.state.asked + 1, asking=True)
        clear = {"transferId": self.state.transfer_id}
        self.effects.append(CallHub("status-search", self.state.counterparty, self.state.transfer_id, clear))

    def stop_waiting(self) -> None:
        """Txid or finish came: the timer ends, and a question not put yet as well (its originator was down)."""
        self.clear_timer(OPEN)
        if self.state.asking:
            self.state = replace(self.state, asking=False)
            self.effects.append(DropCalls(("status-search",)))

    def alert(self, code: AlertCode, attempts: int | None = None) -> None:
        """Tell an operator."""
        self.effects.append(Alert(code.value, "warning", self.state.counterparty, attempts))

    def set_timer(self, name: str, seconds: float) -> None:
        """Start a timer, or start it anew."""
        timers = {**self.state.timers, name: self.now + timedelta(seconds=seconds)}
        self.state = replace(self.state, timers=timers)

    def clear_timer(self, name: str) -> None:
        """Drop a timer if it runs."""
        timers = {key: due for key, due in self.state.timers.items() if key != name}
        self.state = replace(self.state, timers=timers)

    def done(self, rule: str) -> Decision[ExchangeState]:
        """Hand over."""
        return Decision(self.state, tuple(self.effects), rule=rule)
