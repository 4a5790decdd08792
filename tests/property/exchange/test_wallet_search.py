"""A withdrawal that searches its VASP, against a hub that forgets, loses, repeats and is late.

The hub here does not lie about its members; everybody else may: callbacks come twice, never, too early, or from
strangers. Whatever happens, the truth is found or an operator is alerted to what is missing, each search is told to
the platform once, and the hub is never asked in a tight loop.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from schemas.wire_model import Wire
from tests.property.exchange.laws import check
from tests.support import events
from tests.support.events import UNKNOWN
from tests.support.scene import Scene
from tests.support.vasps import NORTH, NOW, policy
from travelrule.engine.registry import MACHINES
from travelrule.exchange.originator.builder import SEARCH_AGAIN, TRY_AGAIN
from travelrule.machine.effects import Alert, CallHub, DropCalls, Emit
from travelrule.machine.internal_inputs import CallResult, TimerDue
from travelrule.machine.retry_policy import RawResult, Retry, next_action
from travelrule.messages.arrival import SearchCalledBack

MEMBERS = ("south", "east", "west")
FAN_OUT_SECONDS = 3
LOST = RawResult("no-answer", code="NO_ANSWER")


@dataclass
class Hub:
    """Searches its members: who owns the address, and who is away."""

    owners: tuple[str, ...] = ()
    away: set[str] = field(default_factory=set)
    searches: dict[str, tuple[datetime, dict[str, Any]]] = field(default_factory=dict)

    def search(self, request_id: str, now: datetime) -> dict[str, Any]:
        if request_id not in self.searches:
            self.searches[request_id] = (now + timedelta(seconds=FAN_OUT_SECONDS), self._ask())
        return {"result": "SUCCESS", "requestId": request_id}

    def result(self, request_id: str, now: datetime) -> dict[str, Any]:
        if request_id not in self.searches:
            return {"result": "invalid", "reasonType": "LACK_OF_INFORMATION"}
        ready_at, result = self.searches[request_id]
        return result if now >= ready_at else {"result": "invalid", "reasonType": "PROCESSING"}

    def _ask(self) -> dict[str, Any]:
        rows = {}
        for member in MEMBERS:
            owns = "FOUND" if member in self.owners else "NOT_FOUND_ADDRESS"
            rows[member] = "SYSTEM_NOT_AVAILABLE" if member in self.away else owns
        found = [member for member, row in rows.items() if row == "FOUND"]
        analysis = [{"entityId": member, "result": row} for member, row in rows.items()]
        if len(found) == 1:
            return {"result": "valid", "beneficiaryVaspEntityId": found[0], "analysisResult": analysis}
        reason = "ALLIANCE_DATA_NON_UNIQUE_RESULT" if found else "NOT_FOUND_ADDRESS"
        return {"result": "invalid", "reasonType": reason, "analysisResult": analysis}


@dataclass
class Pending:
    """A call that is not over."""

    call: CallHub
    due_at: datetime
    first_at: datetime
    tries: int = 0
    note: str = ""


class Searching(RuleBasedStateMachine):
    """One withdrawal of ``north`` to an address with an unknown owner."""

    def __init__(self) -> None:
        super().__init__()
        self.now = NOW
        self.origin = Scene(rules=policy("", NORTH))
        self.hub = Hub()
        self.pending: list[Pending] = []
        self.late: list[CallResult] = []
        self.begun: list[str] = []
        self.told: list[dict[str, Any]] = []
        self.answered: dict[str, list[datetime]] = {}
        self.alerts: list[str] = []
        self.over = False

    @initialize(
        owners=st.sampled_from([("south",), ("south",), ("south", "east"), ()]),
        away=st.sets(st.sampled_from(MEMBERS), max_size=2),
        accept=st.booleans(),
    )
    def request(self, owners: tuple[str, ...], away: set[str], accept: bool) -> None:
        self.hub = Hub(owners, set(away))
        self.origin.rules = policy("accept_found_vasp = true" if accept else "", NORTH)
        self.submit(events.requested(destination=UNKNOWN))

    # The wire

    @precondition(lambda self: self.pending)
    @rule(number=st.integers(0, 9), fate=st.sampled_from(["fine", "twice", "twice", "lost", "half", "late", "error"]))
    def try_call(self, number: int, fate: str) -> None:
        """One try: answered, once or twice; lost on the way there or back; answered much too late; refused."""
        pending = self.pending[number % len(self.pending)]
        self.now = max(self.now, pending.due_at)
        attempted = LOST
        if fate == "error":
            attempted = RawResult("error", 500, "CODE_SERVER_INTERNAL_ERROR")
        elif fate != "lost":
            heard = self.deliver(pending.call)
            attempted = heard if fate in ("fine", "twice") else LOST
            if fate in ("late", "twice") and pending.call.operation != "address-search":
                self.late.append(self.report_of(pending.call, "answered", body=heard.body))
        self.judge(pending, attempted)

    @precondition(lambda self: self.late)
    @rule(number=st.integers(0, 9), again=st.booleans())
    def hear_late(self, number: int, again: bool) -> None:
        """An answer that everybody thought lost, perhaps more than once."""
        report = self.late[number % len(self.late)]
        if not again:
            self.late.remove(report)
        self.submit(report)

    @precondition(lambda self: self.begun)
    @rule(number=st.integers(0, 9))
    def call_back(self, number: int) -> None:
        """A callback about any search of ours, at any time, any number of times."""
        self.submit(SearchCalledBack(operation="wallet-search", request_id=self.begun[number % len(self.begun)]))

    @rule(request_id=st.sampled_from(["no-such-id", events.WITHDRAWAL_ID]))
    def forge(self, request_id: str) -> None:
        before = self.origin.state
        self.submit(SearchCalledBack(operation="wallet-search", request_id=request_id))
        assert self.origin.state == before

    @rule()
    def restart_the_hub(self) -> None:
        self.hub.searches.clear()

    @rule(member=st.sampled_from(MEMBERS), away=st.booleans())
    def come_and_go(self, member: str, away: bool) -> None:
        (self.hub.away.add if away else self.hub.away.discard)(member)

    @rule(seconds=st.sampled_from([1, 5, 13, 300, 4000]))
    def pass_time(self, seconds: int) -> None:
        self.now += timedelta(seconds=seconds)
        self.fire_due()

    # The platform and its operator

    @rule(kind=st.sampled_from(["cancel", "deny", "name", "south"]), sure=st.integers(0, 3))
    def interfere(self, kind: str, sure: int) -> None:
        """Seldom, because it mostly ends the search."""
        if sure:
            return
        destination = {**UNKNOWN, "kind": "vasp", "vaspEntityId": "south"}
        self.submit(
            {
                "cancel": events.cancelled(),
                "deny": events.decided("deny"),
                "name": events.amended(),
                "south": events.amended(destination=destination),
            }[kind]
        )

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
                    due_at = effect.due_at or self.now
                    self.pending.append(Pending(effect, due_at, due_at))
                    if effect.operation == "wallet-search":
                        self.begun.append(effect.correlation_id)
                case DropCalls(operations):
                    self.pending = [one for one in self.pending if one.call.operation not in operations]
                case Alert():
                    self.alerts.append(effect.code)
                case Emit(topic="callbacks"):
                    self.told.append(effect.data)
                case _:
                    pass

    def deliver(self, call: CallHub) -> RawResult:
        if call.operation == "wallet-search":
            return RawResult("answer", 200, body=self.hub.search(call.correlation_id, self.now))
        if call.operation == "wallet-search-result":
            return RawResult("answer", 200, body=self.hub.result(call.correlation_id, self.now))
        assert call.operation == "address-search"
        known = call.target in self.hub.owners
        return RawResult("answer", 200, body={"result": "valid" if known else "invalid", "reasonType": "UNKNOWN"})

    def judge(self, pending: Pending, attempted: RawResult) -> None:
        if attempted.kind == "answer" and pending.call.operation == "wallet-search-result":
            self.answered.setdefault(pending.call.correlation_id, []).append(self.now)
        pending.tries += 1
        operation = pending.call.operation
        step = next_action(
            operation,
            attempted,
            pending.tries,
            pending.first_at,
            self.now,
            key_refreshed=False,
            jitter=0.5,
            note=pending.note,
        )
        if isinstance(step, Retry):
            pending.due_at, pending.note = step.at, step.note
            return
        self.pending.remove(pending)
        if operation == "address-search" and step.outcome == "answered":
            self.over = True
            return
        report = self.report_of(pending.call, step.outcome, code=step.code, body=attempted.body)
        self.submit(report.model_copy(update={"status": attempted.status, "attempts": pending.tries}))

    def report_of(self, call: CallHub, outcome: Any, **facts: Any) -> CallResult:
        return CallResult(
            operation=call.operation, correlation_id=call.correlation_id, target=call.target, outcome=outcome, **facts
        )

    def fire_due(self) -> None:
        for name, due_at in list(self.origin.state.timers.items()):
            if due_at <= self.now and self.origin.state.timers.get(name) == due_at:
                self.submit(TimerDue(name=name, due_at=due_at))

    # What must hold

    @invariant()
    def each_search_is_told_once(self) -> None:
        told = [data["requestId"] for data in self.told]
        assert len(told) == len(set(told))
        assert set(told) <= set(self.begun)

    @invariant()
    def only_the_truth_was_found(self) -> None:
        for data in self.told:
            if data["outcome"] == "found":
                assert data["counterparty"] in self.hub.owners
            if data["outcome"] == "ambiguous":
                assert len(self.hub.owners) > 1

    @invariant()
    def the_hub_is_not_asked_in_a_tight_loop(self) -> None:
        for answered in self.answered.values():
            assert all((later - earlier).total_seconds() > 10 for earlier, later in pairwise(answered))

    @invariant()
    def whatever_waits_has_a_call_or_a_timer(self) -> None:
        state = self.origin.state
        if state is None or state.case.final or self.over:
            return
        assert self.pending or state.timers

    def teardown(self) -> None:
        """The wire is restored and every member is back: the owner is found, or the verdict names what is missing."""
        if self.origin.state is None:
            return
        self.hub.away.clear()
        for _ in range(300):
            again = [name for name in (SEARCH_AGAIN, TRY_AGAIN) if name in self.origin.state.timers]
            if not self.pending and not again:
                break
            if self.pending:
                pending = min(self.pending, key=lambda one: one.due_at)
                self.now = max(self.now, pending.due_at)
                self.judge(pending, self.deliver(pending.call))
                continue
            due_at = self.origin.state.timers[again[0]]
            self.now = max(self.now, due_at)
            self.submit(TimerDue(name=again[0], due_at=due_at))
        assert not self.pending
        state = self.origin.state
        assert state.case.verdict != "open" or self.over
        if state.case.verdict == "hold" and state.request.destination.kind == "unknown":
            self._held()

    def _held(self) -> None:
        """The last search finds the truth, unless all permitted searches failed."""
        state = self.origin.state
        (reason,) = state.case.reasons
        assert "held" in state.timers
        in_vain = state.search.searches == 3
        if reason == "COUNTERPARTY_FOUND":
            assert state.case.counterparty in self.hub.owners
        elif reason == "COUNTERPARTY_AMBIGUOUS":
            assert len(self.hub.owners) == 2
        elif reason == "COUNTERPARTY_UNKNOWN":
            assert in_vain or not self.hub.owners
        else:
            assert reason == "COUNTERPARTY_UNREACHABLE"
            assert "COUNTERPARTY_UNREACHABLE" in self.alerts


Searching.TestCase.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)
TestSearching = Searching.TestCase
