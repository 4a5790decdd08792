"""One subject decided again on its stored inputs, under the recorded policies and under another one (``policy try``).

Pure: effects are inspected and never carried out. If the other policy asks a question that was never asked, or asks it
with other facts, no answer is stored: the run continues without it, and its verdict counts only if it is final. Timers
that only the other policy sets come due at their time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any
from uuid import UUID, uuid5

from travelrule.engine.audit.history import HistoryStep
from travelrule.engine.policy.questions import TrialQuestion, answered_question, question_of, renamed
from travelrule.machine.decision import Decision
from travelrule.machine.effects import Emit, Reply, SendMessage
from travelrule.machine.input import Input
from travelrule.machine.internal_inputs import TimerDue
from travelrule.machine.port import Machine
from travelrule.machine.sources import InternalSource, internal_input
from travelrule.messages.assessment import AssessmentEnded
from travelrule.messages.inbound_request import AuthorizationReceived
from travelrule.policy.policy import Policy

TIMERS_MAX = 1_000
"""The most timers of its own that a run fires for one subject; beyond that its result is unknown."""
SALTS = UUID("0d8e6c1a-52a4-4f0e-8d0b-7a1b6f2c9e44")

Timer = tuple[str, datetime | None]
Said = dict[str, Any]
Told = Callable[[Input], "SubstituteInput | None"]
"""The message that another subject would have sent instead; None: the one it sent."""


@dataclass(frozen=True, slots=True)
class SubstituteInput:
    """The replacement of an input: other data, or none because it is unknown (``unknown`` is the reason)."""

    data: AssessmentEnded | None = None
    unknown: str = ""


@dataclass(slots=True)
class ReplayRun:
    """The result of one run over the inputs. ``verdict`` is the last verdict, without personal data."""

    verdict: Said | None = None
    asked: list[TrialQuestion] = field(default_factory=list)
    ended: AssessmentEnded | None = None
    unknown: str = ""
    state: Any = None

    @property
    def settled(self) -> bool:
        """Whether the verdict cannot change through anything unknown."""
        return not self.unknown or bool(self.verdict and self.verdict.get("final"))

    def take(self, decision: Decision[Any]) -> list[TrialQuestion]:
        """Record a decision. Return the questions that it asks."""
        if decision.status in ("rejected", "parked"):
            return []
        self.state = decision.state
        asks = [ask for effect in decision.effects if (ask := question_of(effect)) is not None]
        self.asked += asks
        for effect in decision.effects:
            match effect:
                case Emit("verdicts", _, _, data):
                    self.verdict = _verdict(data)
                case Reply(body) if self.verdict is None and body.get("result") in ("verified", "denied"):
                    self.verdict = _answer(body)
                case SendMessage(_, _, AssessmentEnded() as ended):
                    self.ended = ended
        return asks


@dataclass(frozen=True, slots=True)
class RecordedRun:
    """The run under the recorded policies, with the timer that was next before each step and at the end.

    ``exact``: it led to the recorded state. It need not where another version of the machine decided.
    """

    run: ReplayRun
    timers: Sequence[Timer]
    exact: bool = True


def recorded_run(
    machine: Machine, steps: Sequence[HistoryStep], fingerprint: Callable[[bytes], str]
) -> RecordedRun | None:
    """Decide under the recorded policies. Return None if the result differs from the record although this version of
    the machine decided from the same state.
    """
    run = ReplayRun()
    timers: list[Timer] = []
    exact = True
    for step in steps:
        timers.append(_timer(machine, run.state))
        try:
            run.take(machine.decide(run.state, step.item, step.policy, step.at))
        except Exception:
            if exact and step.version == machine.version:
                raise
            # The boundary to another version: this one need not understand its inputs.
            run.state = None
            return RecordedRun(run, [*timers, ("", None)], exact=False)
        agrees = run.state is not None and fingerprint(machine.dump(run.state)) == step.state
        if exact and not agrees and step.version == machine.version:
            return None
        exact = agrees
    return RecordedRun(run, [*timers, _timer(machine, run.state)], exact)


def trial_run(
    machine: Machine, steps: Sequence[HistoryStep], recorded: RecordedRun, other: TrialConditions
) -> ReplayRun:
    """Decide under the policy on trial."""
    return _TrialReplay(machine, recorded, other).run(steps)


@dataclass(frozen=True, slots=True)
class TrialConditions:
    """The conditions of a trial: the policy, the end of its time, and the messages of other subjects."""

    policy: Policy
    until: datetime
    told: Told = lambda _: None


class _TrialReplay:
    def __init__(self, machine: Machine, recorded: RecordedRun, other: TrialConditions) -> None:
        self._machine = machine
        self._recorded = recorded
        self._other = other
        self._keys: dict[tuple[str, str], set[tuple[str, str]]] = {}
        for ask in recorded.run.asked:
            self._keys.setdefault(ask.name, set()).add(ask.key)
        self._known = {ask.key for ask in recorded.run.asked}
        self._early: dict[tuple[str, str], list[tuple[HistoryStep, Input]]] = {}
        self._fired = 0
        self._run = ReplayRun()

    def run(self, steps: Sequence[HistoryStep]) -> ReplayRun:
        for number, step in enumerate(steps):
            self._timers(self._recorded.timers[number], step.at, step.item)
            item = self._item(step)
            if item is not None:
                self._decide(step, self._instead_of(item))
        if steps:
            last = replace(steps[-1].item, data=TimerDue(name="", due_at=self._other.until))
            self._timers(self._recorded.timers[-1], self._other.until, last)
        return self._run

    def _timers(self, known: Timer, until: datetime, item: Input) -> None:
        """Fire the timers that only this run has."""
        while not self._run.unknown:
            timer = name, due_at = _timer(self._machine, self._run.state)
            if due_at is None or due_at > until or timer == known or _is_timer(item, timer):
                return
            self._fired += 1
            if self._fired > TIMERS_MAX:
                self._run.unknown = "too many timers would come due"
                return
            fired = _due(item.subject, name, due_at)
            self._ask(self._machine.decide(self._run.state, fired, self._other.policy, due_at))
            if _timer(self._machine, self._run.state) == timer:
                return  # it was refused and would never clear

    def _item(self, step: HistoryStep) -> Input | None:
        """The input, if this run would receive it too and its content is known. The answer to a question that this run
        has not asked yet is kept until it does.
        """
        item = step.item
        if self._run.unknown and isinstance(item.data, TimerDue):
            return None
        name = answered_question(item.data)
        if name in self._keys and not self._asks_of(item):
            if any(ask.name == name for ask in self._run.asked):
                return None  # asked with other facts; that was noted when it was asked
            for key in self._keys[name]:
                self._early.setdefault(key, []).append((step, item))
            return None
        return item

    def _asks_of(self, item: Input) -> list[TrialQuestion]:
        keys = self._keys.get(answered_question(item.data) or ("", ""), set())
        return [ask for ask in self._run.asked if ask.key in keys]

    def _instead_of(self, item: Input) -> Input | None:
        """The input as this run would receive it; None if that is unknown."""
        instead = self._other.told(item)
        if instead is not None and instead.data is None:
            self._unknown(instead.unknown)
            return None
        data = item.data if instead is None or instead.data is None else instead.data
        mine, name = self._asks_of(item), answered_question(item.data)
        if mine and name is not None:
            data = renamed(data, name[1], mine[-1].name[1])
        return replace(item, data=data)

    def _decide(self, step: HistoryStep, item: Input | None) -> None:
        policy = self._other.policy
        if item is None:
            return
        if not isinstance(item.data, AuthorizationReceived):
            self._ask(self._machine.decide(self._run.state, item, policy, step.at))
            return
        variants = [replace(item, data=data) for data in _screened(item.data, step.policy, policy)]
        decisions = [self._machine.decide(self._run.state, one, policy, step.at) for one in variants]
        if len({_answer_of(decision) for decision in decisions}) > 1:
            self._unknown("the originator and the owner would be looked for in the lists")
            return
        self._ask(decisions[0])

    def _ask(self, decision: Decision[Any]) -> None:
        """Record a decision, and apply the stored answers to its questions that arrived early."""
        asks = self._run.take(decision)
        for ask in asks:
            if ask.key not in self._known:
                self._unknown(f"{ask.words} would be asked{' with other facts' if ask.name in self._keys else ''}")
        for ask in asks:
            for step, item in self._early.pop(ask.key, ()):
                self._decide(step, self._instead_of(item))

    def _unknown(self, reason: str) -> None:
        """Mark the rest of the run as unknown, unless its verdict is final."""
        if not self._run.unknown and not (self._run.verdict and self._run.verdict.get("final")):
            self._run.unknown = reason


def _screened(data: AuthorizationReceived, then: Policy, other: Policy) -> tuple[AuthorizationReceived, ...]:
    """The findings that the gateway could have made under the other policy."""
    rules = [(one.sanctions, one.screening.name_threshold) for one in (then, other)]
    if rules[0] == rules[1] or {one.sanctions for one in (then, other)} == {"off"}:
        return (data,)
    clean = {"wallets": tuple(wallet.model_copy(update={"sanctioned": False}) for wallet in data.wallets)}
    if other.sanctions == "off":
        return (data.model_copy(update={**clean, "originator_sanctioned": None}),)
    return tuple(data.model_copy(update={**clean, "originator_sanctioned": found}) for found in (False, True))


def _answer_of(decision: Decision[Any]) -> tuple[Any, ...] | None:
    bodies = [effect.body for effect in decision.effects if isinstance(effect, Reply)]
    return (bodies[-1].get("result"), bodies[-1].get("reasonType")) if bodies else None


def _timer(machine: Machine, state: Any) -> Timer:
    if state is None:
        return "", None
    projected = machine.project(state)
    return projected.due_timer, projected.due_at


def _is_timer(item: Input, timer: Timer) -> bool:
    return isinstance(item.data, TimerDue) and (item.data.name, item.data.due_at) == timer


def _due(subject: str, name: str, due_at: datetime) -> Input:
    data = TimerDue(name=name, due_at=due_at)
    key = f"{subject}/{name}/{due_at.isoformat()}"
    return internal_input(InternalSource.TIMERS, key, "timer.due", subject, data, at=due_at, salt=uuid5(SALTS, key))


def _verdict(data: dict[str, Any]) -> Said:
    said = {name: data[name] for name in ("verdict", "reasons", "needs", "final")}
    return {**said, "risk": data["risk"]} if "risk" in data else said


def _answer(body: dict[str, Any]) -> Said:
    """An answer to an authorization, in the form of a verdict."""
    reason = body.get("reasonType")
    return {"verdict": body["result"], "reasons": [reason] if reason else [], "needs": [], "final": True}
