"""Judges every step of a simulation by the invariants of the design (section 5), from what can be seen outside.

1 single effect per input; 2 no allow without its ground; 3 verified only for what is stored; 4 conclusion or alert
(``obligations``); 5 a stored txid stays; 6 to 8 what is sent (``disclosure_laws``); 9 verdicts with reasons, policy and
an unbroken sequence, and decisions that can be computed again; and each pending step has a call or a timer
(``liveness_laws``).
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from schemas.events.callbacks import SearchResultBody
from schemas.events.decisions import DecisionRecorded
from schemas.events.exchanges import ExchangeBody
from schemas.events.verdicts import VerdictBody
from schemas.events.withdrawals import WithdrawalAmended
from tests.simulation.clock import Clock
from tests.simulation.disclosure_laws import DisclosureLaws
from tests.simulation.engine_model import EngineModel, Event, ModelSubject
from tests.simulation.liveness_laws import waits_for_nothing
from tests.simulation.network import Answer, Request
from tests.simulation.obligations import Obligations
from travelrule.deposits.state import DepositState
from travelrule.exchange.originator.state import WithdrawalState
from travelrule.machine.decision import Decision
from travelrule.machine.effects import Alert
from travelrule.machine.input import Input
from travelrule.machine.internal_inputs import CallResult, TimerDue
from travelrule.policy.causes import Cause
from travelrule.policy.policy import Policy

BODIES: dict[str, Any] = {"exchanges": ExchangeBody, "verdicts": VerdictBody, "callbacks": SearchResultBody}
EXPECTED_REFUSALS = frozenset(
    {
        "ALREADY_BROADCAST",
        "ALREADY_FINAL",
        "ALREADY_SETTLED",
        "CONFLICT",
        "NOT_BROADCAST",
        "NOT_ON_HOLD",
        "NOT_VERIFIED",
        "REQUEST_REFUSED",
        "TXID_ALREADY_STORED",
    }
)
"""What a platform that makes mistakes is told; anything else would be a fault of ours."""
RECOMPUTED_SHARE = 0.05
READ_BACK_SHARE = 0.1


@dataclass(slots=True)
class SubjectHistory:
    """What was seen of one subject."""

    txid: str | None = None
    verified: set[str] = field(default_factory=set)
    data_received: bool = False
    last_verdict: tuple[Any, ...] | None = None
    final: bool = False
    log: list[tuple[Input, Policy, datetime, bytes, int]] = field(default_factory=list)
    trace: list[str] = field(default_factory=list)


class Oracle:
    """The judge of one VASP. An ``AssertionError`` is the verdict."""

    def __init__(
        self, engine_model: EngineModel, clock: Clock, vasp_directory: Any, crashed: set[str], dice: random.Random
    ) -> None:
        self.engine_model = engine_model
        self.obligations = Obligations(engine_model, clock)
        self.secrecy = DisclosureLaws(engine_model, vasp_directory, crashed)
        self.stories: dict[str, SubjectHistory] = {}
        self.truly_verified: set[str] = set()
        """The transfers that a counterparty verified, whatever the network made of its answers."""
        self.decisions = 0
        self.counts: Counter[str] = Counter()
        self._clock = clock
        self._dice = dice
        self._sequences: dict[tuple[str, str], int] = {}
        self._effects: set[tuple[str, str]] = set()
        self._said = 0

    def story(self, subject: str) -> SubjectHistory:
        return self.stories.setdefault(subject, SubjectHistory())

    # Decisions

    def decided(
        self, engine_model: EngineModel, slot: ModelSubject, before: Any, item: Input, decision: Decision[Any]
    ) -> None:
        self.decisions += 1
        story = self.story(item.subject)
        outcome = getattr(item.data, "outcome", "") or getattr(item.data, "name", "")
        story.trace.append(f"{self._clock.now} {item.type} {outcome}: {decision.status} {decision.rule}")
        said, self._said = self._said, 0
        if decision.status == "rejected":
            assert before is slot.state, "a refused input changed something"
            if item.raw is not None:
                assert decision.code in EXPECTED_REFUSALS, f"{item.type} was refused: {decision.code}"
            return
        assert said <= 1, f"{item.subject}: {said} verdicts in one decision"
        self._once(item)
        self._txid(story, item.subject, slot.state)
        if isinstance(item.data, CallResult):
            self._heard(story, item.subject, item.data)
        if isinstance(slot.state, WithdrawalState) and slot.state.request.destination.vasp_entity_id:
            self._means(before, slot.state, item)
        if isinstance(slot.state, DepositState) and isinstance(before, DepositState):
            self._gives_up(before, slot.state, decision)
        reason = waits_for_nothing(engine_model, item.subject, slot.state)
        assert not reason, f"{item.subject}: {reason}"
        self._keep(engine_model, story, slot, item, decision)

    def _once(self, item: Input) -> None:
        assert (item.source, item.id) not in self._effects, f"{item.type} for {item.subject} was decided on twice"
        self._effects.add((item.source, item.id))

    def _txid(self, story: SubjectHistory, subject: str, state: Any) -> None:
        txid = getattr(state, "txid", None)
        assert story.txid in (None, txid), f"{subject}: a stored txid was replaced"
        story.txid = txid

    def _heard(self, story: SubjectHistory, subject: str, report: CallResult) -> None:
        word = str((report.body or {}).get("result", "")).strip().lower()
        heard = (report.operation, word) if report.outcome == "answered" else ("", "")
        if heard == ("transfer-authorization", "verified") and report.payload:
            story.verified.add(report.correlation_id)
        if heard == ("data-request", "normal"):
            story.data_received = True
        if report.operation in ("txid-report", "finish"):
            self.obligations.heard(subject, report)

    def _means(self, before: Any, after: WithdrawalState, item: Input) -> None:
        """The destination may be named by the platform; a found one only if the policy takes it."""
        named = after.request.destination.vasp_entity_id or ""
        old = before.request.destination.vasp_entity_id if isinstance(before, WithdrawalState) else None
        if named == old:
            return
        by_platform = item.source == "/platform"
        assert by_platform or self.engine_model.policy().accept_found_vasp, "a VASP was taken that nobody confirmed"
        self.secrecy.means(item.subject, named)

    def _gives_up(self, before: DepositState, after: DepositState, decision: Decision[Any]) -> None:
        """The search for the sender has ended: then no VASP sent it, or an operator is alerted that it failed."""
        if (before.status, after.status, after.held_for) != ("searching", "held", Cause.ORIGINATOR_UNKNOWN):
            return
        told = any(isinstance(effect, Alert) for effect in decision.effects)
        request_id = before.search.request_id if before.search is not None else ""
        senders = self.secrecy.senders.get((self.engine_model.vasp, request_id), set())
        assert told or not senders, f"deposit:{after.deposit_id}: held for ever, though {senders} sent it"

    def _keep(
        self, engine_model: EngineModel, story: SubjectHistory, slot: ModelSubject, item: Input, decision: Decision[Any]
    ) -> None:
        machine = engine_model.machines[item.subject.partition(":")[0]]
        first = not story.log and len(story.trace) == 1
        if (first and self._dice.random() < RECOMPUTED_SHARE) or story.log:
            dumped = machine.dump(slot.state)
            story.log.append((item, engine_model.policy(), self._clock.now, dumped, len(decision.effects)))
        elif self._dice.random() < READ_BACK_SHARE:
            assert machine.load(machine.dump(slot.state)) == slot.state, "a state does not read back as it was"

    def recompute(self) -> int:
        """Decide again, from the stored inputs, what is kept of the decisions (invariant 9)."""
        count = 0
        for subject, story in self.stories.items():
            machine = self.engine_model.machines[subject.partition(":")[0]]
            state = None
            for item, policy, now, dumped, effects in story.log:
                decision = machine.decide(state, item, policy, now)
                assert machine.dump(decision.state) == dumped, f"{subject}: decided otherwise the second time"
                assert len(decision.effects) == effects
                state = machine.load(dumped)
                count += 1
        return count

    # Events

    def published(self, engine_model: EngineModel, event: Event, item: Input | None) -> None:
        key = (event.topic, event.key)
        assert event.data["sequence"] == self._sequences.get(key, 0) + 1, f"{event.subject}: a gap in {event.topic}"
        self._sequences[key] = event.data["sequence"]
        self.counts[event.data.get("code") or event.topic] += 1
        if event.topic in BODIES:
            BODIES[event.topic].model_validate(event.data)
        self.obligations.published(event)
        if event.topic == "verdicts":
            assert item is not None
            self._said += 1
            self._verdict(engine_model, event, item)

    def _verdict(self, engine_model: EngineModel, event: Event, item: Input) -> None:
        data, story = event.data, self.story(event.subject)
        assert data["reasons"], "a verdict without a reason"
        self.counts[f"{event.type} {data['verdict']} {data['reasons'][0]}"] += 1
        reminder = isinstance(item.data, TimerDue) and item.data.name == "held"
        # A reminder names the policy that decided, which may be an older one.
        in_force = data["policyVersion"] == engine_model.policy().version
        assert in_force or reminder, f"{event.subject}: a verdict of a policy that is not in force"
        told = tuple(str(data[name]) for name in ("verdict", "reasons", "needs", "final"))
        whole = (told, data.get("counterparty"), data.get("deadLetterId"))
        again = whole == story.last_verdict
        # An amendment is answered even if nothing changes, by what follows from it.
        amended = any("withdrawal.amended" in line for line in story.trace) or isinstance(item.data, WithdrawalAmended)
        assert not again or reminder or amended, f"{event.subject}: the same verdict twice"
        if story.final:
            kinds = ("withdrawal.cancelled.v1", "deposit.retracted.v1", "deposit.detected.v1", "deposit.confirmed.v1")
            back = event.type == "deposit.verdict.v1" and "'RETRACTED'" in str(story.last_verdict)
            assert item.type in kinds or back, f"{event.subject}: {item.type} overruled a final verdict"
        story.last_verdict, story.final = whole, data["final"]
        if data["verdict"] == "allow":
            self._allow(engine_model, event, item, story)

    def _allow(self, engine_model: EngineModel, event: Event, item: Input, story: SubjectHistory) -> None:
        """Invariant 2, and its likes for deposits."""
        reason, policy, state = event.data["reasons"][0], engine_model.policy(), engine_model.state(event.subject)
        if reason == "OPERATOR":
            assert isinstance(item.data, DecisionRecorded)
            assert item.data.decision == "allow"
            assert policy.operator_override or event.type == "deposit.verdict.v1"
        elif reason == "VERIFIED":
            assert event.data["transferId"] in story.verified or _verified_by(item, event), "allowed without verified"
            assert event.data["transferId"] in self.truly_verified, "allowed on an answer that was given to another"
        elif reason in ("EXEMPT_BELOW_THRESHOLD", "EXEMPT_OWN_ENTITY"):
            assert policy.exemptions.below_threshold or reason == "EXEMPT_OWN_ENTITY"
        elif reason == "MATCHED":
            assert isinstance(state, DepositState)
            assert state.chain == "final", "credited before it is final"
            assert state.match is not None, "matched with nothing"
            announced = engine_model.state(state.match.exchange)
            assert announced.txid.lower() == state.detected.txid.lower(), "joined to another transaction"
            assert announced.answer["result"] == "verified"
            assert state.match.amount == state.detected.amount
        else:
            assert reason == "DATA_RECEIVED", f"{event.subject}: allowed for {reason}"
            assert isinstance(state, DepositState)
            assert story.data_received or _normal(item), "allowed without data"
            assert state.chain == "final", "credited before it is final"

    # Network

    def served(self, origin: str, operation: str, body: dict[str, Any], answer: Answer) -> None:
        """Invariant 3: when ``verified`` arrives, the transfer is stored."""
        status, said = answer
        if operation != "transfer-authorization" or status != 200 or said.get("result") != "verified":
            return
        stored = self.engine_model.state(f"exchange:{origin}/{body['transferId']}")
        assert stored is not None, "verified was answered for a transfer that is not stored"
        assert stored.answer["result"] == "verified"

    def sent(self, request: Request) -> None:
        self.secrecy.sent(request)

    def answered(self, request: Request, status: int, body: dict[str, Any]) -> None:
        self.secrecy.answered(request, status, body)


def _verified_by(item: Input, event: Event) -> bool:
    """Whether this very input is the verified answer (events are seen before their decision is)."""
    report = item.data
    if not isinstance(report, CallResult) or report.operation != "transfer-authorization":
        return False
    word = str((report.body or {}).get("result", "")).strip().lower()
    return word == "verified" and bool(report.payload) and report.correlation_id == event.data["transferId"]


def _normal(item: Input) -> bool:
    report = item.data
    if not isinstance(report, CallResult) or report.operation != "data-request":
        return False
    return str((report.body or {}).get("result", "")).strip().lower() == "normal"
