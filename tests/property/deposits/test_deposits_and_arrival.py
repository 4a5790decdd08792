"""Deposits, their meeting place and the exchanges that announce them, with messages on their way in any order.

Between two subjects messages keep their order; between different ones anything may overtake anything; each may be
delivered twice. The exchanges are played here by what they tell (``travelrule.exchange.beneficiary.arrival`` has its
own tests).
"""

from __future__ import annotations

from collections import defaultdict, deque
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from schemas.events.deposits import DepositConfirmed, DepositDetected, DepositRetracted, DepositSettled
from schemas.wire_model import Wire
from tests.property.deposits.laws import check
from tests.support.deposit_scenes import DepositScene, context
from tests.support.events import ADDRESS, TAG, TXID
from travelrule.deposits.machine import MACHINE
from travelrule.machine.effects import SendMessage
from travelrule.messages.arrival import (
    ArrivalReported,
    ArrivalWithdrawn,
    ExchangeArrived,
    ExchangeSettled,
    arrival_subject,
)

PLACE = arrival_subject(TXID, ADDRESS, TAG)
DEPOSITS = ("d1", "d2", "d3")
EXCHANGES = ("exchange:north/1", "exchange:north/2", "exchange:east/3")
FORMS = (TXID, TXID.lower(), "0x" + TXID.lower())
amounts = st.sampled_from(["5", "5.0", "7"])
outputs = st.sampled_from([None, None, "0", "1"])


class Meeting(RuleBasedStateMachine):
    """One transaction with several outputs to one address."""

    def __init__(self) -> None:
        super().__init__()
        self.deposits = {name: DepositScene(subject=f"deposit:{name}") for name in DEPOSITS}
        self.place = DepositScene(subject=PLACE)
        self.channels: dict[tuple[str, str], deque[Wire]] = defaultdict(deque)
        self.reports: dict[str, ArrivalReported] = {}
        self.withdrawn: set[str] = set()
        self.heard: dict[str, dict[str, str]] = {name: {} for name in EXCHANGES}
        self.arrived: dict[str, str] = {}

    def scene(self, subject: str) -> DepositScene:
        return self.place if subject == PLACE else self.deposits[subject.partition(":")[2]]

    def decide(self, subject: str, data: Wire) -> None:
        scene = self.scene(subject)
        before = scene.state
        scene.submit(data)
        if subject != PLACE:
            item = scene.input(data)
            check(before, item, MACHINE.decide(before, item, scene.rules, scene.now), scene.rules)
        for effect in scene.last.effects:
            if isinstance(effect, SendMessage):
                self.channels[subject, effect.subject].append(effect.data)

    def deliver(self, channel: tuple[str, str], *, twice: bool = False) -> None:
        data = self.channels[channel].popleft()
        subject = channel[1]
        if subject.startswith("exchange:"):
            if isinstance(data, ExchangeArrived):
                self.arrived[subject] = data.deposit_id
            if isinstance(data, ExchangeSettled):
                self.heard[subject][data.deposit_id] = data.stage
            return
        for _ in range(2 if twice else 1):
            self.decide(subject, data)

    def waiting(self) -> list[tuple[str, str]]:
        return sorted(channel for channel, queue in self.channels.items() if queue)

    @rule(name=st.sampled_from(DEPOSITS), form=st.sampled_from(FORMS), amount=amounts, vout=outputs)
    def detect(self, name: str, form: str, amount: str, vout: str | None) -> None:
        if self.deposits[name].state is not None:
            return
        facts: dict[str, Any] = {"depositId": name, "txid": form, "currency": "XRP", "network": "XRP", "vout": vout}
        tagged = {"address": ADDRESS, "tag": TAG} if amount == "5" else {"address": f"{ADDRESS}:{TAG}"}
        self.decide(f"deposit:{name}", DepositDetected.model_validate({**facts, **tagged, "amount": amount}))

    @rule(name=st.sampled_from(DEPOSITS), what=st.sampled_from(["final", "gone", "credited", "context"]))
    def happen(self, name: str, what: str) -> None:
        if self.deposits[name].state is None:
            return
        data: Wire = {
            "final": DepositConfirmed(deposit_id=name),
            "gone": DepositRetracted(deposit_id=name),
            "credited": DepositSettled(deposit_id=name, outcome="credited"),
            "context": context(),
        }[what]
        self.decide(f"deposit:{name}", data)

    @rule(name=st.sampled_from(EXCHANGES), amount=amounts, vout=outputs)
    def report(self, name: str, amount: str, vout: str | None) -> None:
        if name in self.withdrawn:
            return
        known = self.reports.get(name)
        if known is not None:  # the same again, or its output index filled in
            told = known if known.vout is not None else known.model_copy(update={"vout": vout})
        else:
            entity, _, transfer_id = name.removeprefix("exchange:").partition("/")
            told = ArrivalReported.model_validate(
                {"exchange": name, "counterparty": entity, "transferId": transfer_id, "currency": "XRP",
                 "amount": amount, "vout": vout}
            )  # fmt: skip
        self.reports[name] = told
        self.channels[name, PLACE].append(told)

    @rule(name=st.sampled_from(EXCHANGES))
    def withdraw(self, name: str) -> None:
        if name in self.reports and name not in self.withdrawn:
            self.withdrawn.add(name)
            self.channels[name, PLACE].append(ArrivalWithdrawn(exchange=name))

    @precondition(lambda self: self.waiting())
    @rule(number=st.integers(0, 99), twice=st.booleans())
    def message(self, number: int, *, twice: bool) -> None:
        waiting = self.waiting()
        self.deliver(waiting[number % len(waiting)], twice=twice)

    @rule()
    def everything_arrives(self) -> None:
        while waiting := self.waiting():
            self.deliver(waiting[0])
        self.settled()

    def settled(self) -> None:
        """When no message is left, all subjects have the same state."""
        pairs = {deposit: exchange for exchange, deposit in self.place.state.pairs} if self.place.state else {}
        for name, scene in self.deposits.items():
            state = scene.state
            if state is None:
                continue
            match = state.match.exchange if state.match is not None else None
            assert match == (pairs.get(name) if state.chain != "retracted" else None)
            if match is None:
                continue
            assert self.arrived[match] == name
            if state.chain == "final" or state.outcome:
                assert self.heard[match][name] == (state.outcome or "final"), "the door is closed"
            if state.status == "matched" and state.chain == "final" and state.match.amount == state.detected.amount:
                assert state.case.verdict == "allow"
        for name in EXCHANGES:
            strangers = [stage for one, stage in self.heard[name].items() if pairs.get(one) != name]
            assert set(strangers) <= {"retracted"}, "the door is open again"

    @invariant()
    def nobody_is_paired_twice(self) -> None:
        pairs = self.place.state.pairs if self.place.state is not None else ()
        assert len({one for one, _ in pairs}) == len({two for _, two in pairs}) == len(pairs)

    @invariant()
    def never_two_allowed_for_one_exchange(self) -> None:
        states = [scene.state for scene in self.deposits.values() if scene.state is not None]
        allowed = [
            state.match.exchange
            for state in states
            if state.case.reasons == ("MATCHED",) and state.match is not None and state.status == "matched"
        ]
        assert len(allowed) == len(set(allowed))


TestMeeting = Meeting.TestCase
TestMeeting.settings = settings(max_examples=80, stateful_step_count=40, deadline=None)
