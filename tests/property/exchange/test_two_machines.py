"""An originating and a beneficiary machine against each other, over a wire that loses, repeats and reorders.

The wire is what hub and caller are to the machines: a call is delivered to the other side any number of times, its
answer arrives or is lost, and the retry rules decide when it is over. Whatever happens on the way, in the end both
sides agree, or an operator was alerted.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from schemas.wire_model import Wire
from tests.property.exchange.laws import check
from tests.support import events, inbound_messages
from tests.support.scene import Scene
from tests.support.vasps import NORTH, NOW, SOUTH, policy
from travelrule.engine.registry import MACHINES
from travelrule.exchange.originator.builder import REPORT_AGAIN, TRY_AGAIN
from travelrule.machine.effects import Alert, CallHub, DropCalls, EndUnsent, Reply
from travelrule.machine.internal_inputs import CallResult, TimerDue
from travelrule.machine.retry_policy import Complete, RawResult, Retry, may_have_acted, next_action
from travelrule.messages.inbound_request import AuthorizationReceived, FinishReceived, TxidReportReceived

FAR = timedelta(days=400)


@dataclass
class Pending:
    """A call that is not over."""

    call: CallHub
    first_at: datetime
    due_at: datetime
    tries: int = 0
    note: str = ""
    refreshed: bool = False
    told: bool = False
    ends_unsent: bool = False


class TwoMachines(RuleBasedStateMachine):
    """One withdrawal of ``north`` to a customer of ``south``."""

    def __init__(self) -> None:
        super().__init__()
        self.now = NOW
        self.origin = Scene(rules=policy("operator_override = true", NORTH))
        self.inbound: dict[str, Scene] = {}
        self.pending: list[Pending] = []
        self.late: list[CallHub] = []
        self.alerts: list[str] = []
        self.personal_to: set[str] = set()

    @initialize(name=st.sampled_from(["Lind", "Lundh"]), moment=st.sampled_from(["broadcast", "mined", "final"]))
    def request(self, name: str, moment: str) -> None:
        self.origin.rules = policy(f'operator_override = true\nreport_moment = "{moment}"', NORTH)
        self.submit(events.requested(beneficiary={"natural": {"lastName": name, "firstName": "Erik"}}))

    # The platform and its operator

    @rule()
    def broadcast(self) -> None:
        """The platform keeps to the verdict."""
        if self.origin.state.case.verdict == "allow" and self.origin.state.chain == "none":
            self.submit(events.broadcast())

    @rule()
    def broadcast_whatever_was_said(self) -> None:
        self.submit(events.broadcast())

    @rule(outcome=st.sampled_from(["confirmed", "failed"]), between=st.booleans())
    def settle(self, outcome: str, between: bool) -> None:
        if between:
            self.submit(events.mined())
        self.submit(events.settled(outcome))

    @rule()
    def cancel(self) -> None:
        self.submit(events.cancelled("NOT_KYC_USER"))

    @rule(name=st.sampled_from(["Lind", "Lundh"]))
    def amend(self, name: str) -> None:
        self.submit(events.amended(beneficiary={"natural": {"lastName": name, "firstName": "Erik"}}))

    @rule(decision=st.sampled_from(["allow", "deny"]))
    def operate(self, decision: str) -> None:
        self.submit(events.decided(decision))

    # The wire

    @precondition(lambda self: self.pending)
    @rule(number=st.integers(0, 20), fate=st.sampled_from(["fine", "fine", "fine", "lost", "half", "late", "error"]))
    def try_call(self, number: int, fate: str) -> None:
        """One try: answered, lost before or after the other side acted, delivered much later, or refused by the hub."""
        pending = self.pending[number % len(self.pending)]
        self.now = max(self.now, pending.due_at)
        if pending.ends_unsent and not may_have_acted(pending.note, pending.tries, pending.first_at):
            self.pending.remove(pending)
            self.report(pending.call, "failed", code="CALL_ENDED", maybe_acted=True)
            return
        pending.tries += 1
        attempted = RawResult("no-answer", code="NO_ANSWER")
        if fate in ("fine", "half"):
            heard = self.deliver(pending.call)
            attempted = heard if fate == "fine" else attempted
        elif fate == "late":
            self.late.append(pending.call)
        elif fate == "error":
            attempted = RawResult("error", 500, "CODE_SERVER_INTERNAL_ERROR")
        self.judge(pending, attempted)

    @precondition(lambda self: self.late)
    @rule(number=st.integers(0, 20), again=st.booleans())
    def arrive_late(self, number: int, again: bool) -> None:
        """A request that everybody thought lost reaches the other side; its answer reaches nobody."""
        call = self.late[number % len(self.late)]
        if not again:
            self.late.remove(call)
        self.deliver(call)

    @precondition(lambda self: self.pending)
    @rule(number=st.integers(0, 20))
    def counterparty_down(self, number: int) -> None:
        pending = self.pending[number % len(self.pending)]
        if not pending.told:
            pending.told = True
            self.report(pending.call, "deferred", code="COUNTERPARTY_DOWN")

    @rule(seconds=st.sampled_from([1, 60, 4000, 90_000]))
    def pass_time(self, seconds: int) -> None:
        self.now += timedelta(seconds=seconds)
        self.fire_due()

    # How the rules above do it

    def submit(self, data: Wire) -> None:
        self.origin.now = self.now
        item = self.origin.input(data)
        decision = MACHINES["withdrawal"].decide(self.origin.state, item, self.origin.rules, self.now)
        check(self.origin.state, item, decision, self.origin.rules)
        self.origin.state = decision.state
        for effect in decision.effects:
            match effect:
                case CallHub():
                    self.pending.append(Pending(effect, self.now, self.now))
                    if effect.operation == "transfer-authorization":
                        self.personal_to.add(effect.target)
                case DropCalls(operations):
                    self.pending = [one for one in self.pending if one.call.operation not in operations]
                case EndUnsent(operation):
                    for one in self.pending:
                        one.ends_unsent |= one.call.operation == operation
                case Alert():
                    self.alerts.append(effect.code)

    def deliver(self, call: CallHub) -> RawResult:
        """Let the other side decide, as its gateway would, and give its answer."""
        if call.operation == "address-search":
            return RawResult("answer", 200, body={"result": "valid", "beneficiaryVaspEntityId": "south"})
        other = self.inbound.setdefault(
            call.correlation_id,
            Scene(subject=f"exchange:north/{call.correlation_id}", rules=policy("", SOUTH)),
        )
        item = other.input(self.received(call))
        decision = MACHINES["exchange"].decide(other.state, item, other.rules, self.now)
        check(other.state, item, decision, other.rules)
        other.state = decision.state
        bodies = [effect.body for effect in decision.effects if isinstance(effect, Reply)]
        if not bodies:
            return RawResult("error", 503, decision.code)
        body = dict(bodies[0])
        payload = body.pop("payload", None)
        return RawResult("answer", 200, body=body, payload=payload)

    def received(self, call: CallHub) -> Wire:
        clear: dict[str, Any] = call.clear
        sender = {"origin": "code:north", "entity_id": "north", "transfer_id": call.correlation_id}
        if call.operation == "txid-report":
            return TxidReportReceived(**sender, txid=clear["txid"], vout=clear.get("vout"))
        if call.operation == "finish":
            return FinishReceived(**sender, status=clear["status"], reason_type=clear["reasonType"])
        facts = inbound_messages.authorization().model_dump(include={"sender", "wallets"})
        return AuthorizationReceived.model_validate(
            {
                **sender,
                **facts,
                "currency": clear["currency"],
                "amount": clear["amount"],
                "trade_price": clear["tradePrice"],
                "trade_currency": clear["tradeCurrency"],
                "is_exceeding_threshold": clear["isExceedingThreshold"] == "true",
                "ivms101": call.payload,
            }
        )

    def judge(self, pending: Pending, attempted: RawResult) -> None:
        step = next_action(
            pending.call.operation,
            attempted,
            pending.tries,
            pending.first_at,
            self.now,
            key_refreshed=pending.refreshed,
            jitter=0.5,
            note=pending.note,
        )
        if isinstance(step, Retry):
            pending.due_at, pending.note = step.at, step.note
            pending.refreshed |= step.refresh_key
            if step.trouble:
                self.report(pending.call, "troubled", code=step.code, attempts=pending.tries)
            return
        self.pending.remove(pending)
        self.finish(pending, attempted, step)

    def finish(self, pending: Pending, attempted: RawResult, end: Complete) -> None:
        body = attempted.body or {}
        self.report(
            pending.call,
            end.outcome,
            status=attempted.status,
            code=end.code,
            body=attempted.body,
            payload=attempted.payload,
            attempts=pending.tries,
            maybe_acted=end.maybe_acted,
            message_code=str(body.get("reasonType", "")),
        )

    def report(self, call: CallHub, outcome: str, **facts: Any) -> None:
        self.submit(
            CallResult(
                operation=call.operation,
                correlation_id=call.correlation_id,
                target=call.target,
                outcome=outcome,
                **facts,
            )
        )

    def fire_due(self) -> None:
        for name, due_at in list(self.origin.state.timers.items()):
            if due_at <= self.now and self.origin.state.timers.get(name) == due_at:
                self.submit(TimerDue(name=name, due_at=due_at))

    # What must hold

    @invariant()
    def an_allow_is_backed_by_the_other_side_or_an_operator(self) -> None:
        state = self.origin.state
        if state is None or state.case.reasons != ("VERIFIED",):
            return
        assert self.inbound[state.attempt.transfer_id].state.answer["result"] == "verified"

    @invariant()
    def personal_data_went_to_one_counterparty(self) -> None:
        assert self.personal_to <= {"south"}

    @invariant()
    def nobody_ever_stores_another_txid(self) -> None:
        known = {one.state.txid for one in self.inbound.values() if one.state is not None} - {None}
        assert known <= {events.TXID}

    def teardown(self) -> None:
        """Restore the wire: everything pending is delivered, and both sides agree or an operator was alerted."""
        if self.origin.state is None:
            return
        for call in self.late:
            self.deliver(call)
        for _ in range(200):
            again = [name for name in (TRY_AGAIN, REPORT_AGAIN) if name in self.origin.state.timers]
            if not self.pending and not again:
                break
            if not self.pending:
                due_at = self.origin.state.timers[again[0]]
                self.now = max(self.now, due_at)
                self.submit(TimerDue(name=again[0], due_at=due_at))
                continue
            pending = self.pending[0]
            self.now = max(self.now, pending.due_at)
            pending.tries += 1
            self.judge(pending, self.deliver(pending.call))
        assert not self.pending
        self.agree()

    def agree(self) -> None:
        for attempt in self.origin.state.attempts:
            other = self.inbound.get(attempt.transfer_id)
            theirs = other.state.status if other is not None and other.state is not None else None
            if attempt.finish == "accepted":
                assert theirs == "canceled"
            if attempt.finish == "failed":
                assert "FINISH_FAILED" in self.alerts
            if attempt.report == "accepted":
                assert other is not None
                assert other.state.txid == events.TXID
            if attempt.report == "failed":
                assert "TXID_REPORT_FAILED" in self.alerts
            if attempt.status in ("processing", "wait-confirm", "confirmed") and attempt.report == "accepted":
                assert theirs == "confirmed"
            assert attempt.finish != "owed"
            assert attempt.report not in ("owed", "missed")


TwoMachines.TestCase.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)
TestTwoMachines = TwoMachines.TestCase
