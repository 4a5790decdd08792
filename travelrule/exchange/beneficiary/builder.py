"""Builder for one decision about an inbound exchange."""

from __future__ import annotations

from typing import Any

from schemas.operations import Operation
from travelrule.exchange.beneficiary.state import ExchangeState
from travelrule.exchange.table import BENEFICIARY
from travelrule.machine.decision_builder import DecisionBuilder

OPEN = "open"
"""The timer of an authorization that has neither txid nor finish."""


class InboundExchangeBuilder(DecisionBuilder[ExchangeState]):
    """Builds one decision about an inbound exchange."""

    __slots__ = ()

    @property
    def counterparty(self) -> str | None:
        """The originating VASP."""
        return self.state.counterparty

    def move(self, trigger: str) -> None:
        """Step through the table and emit the new status."""
        self.change(status=BENEFICIARY.step(self.state.status, trigger))
        self.publish()

    def publish(self) -> None:
        """Emit the status of the exchange."""
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
        self.emit("exchanges", self.state.subject, "exchange.changed.v1", data)

    def request_status(self) -> None:
        """Request the status of the transfer from the originator (4.A.8)."""
        self.change(asked=self.state.asked + 1, asking=True)
        state = self.state
        self.call(Operation.STATUS_SEARCH, state.counterparty, state.transfer_id, {"transferId": state.transfer_id})

    def stop_waiting(self) -> None:
        """Clear the timer, and withdraw a status search that was not sent (its originator was down)."""
        self.clear_timer(OPEN)
        if self.state.asking:
            self.change(asking=False)
            self.drop(Operation.STATUS_SEARCH)
