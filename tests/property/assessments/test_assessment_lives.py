"""Long random lives of an assessment: a hub that loses, repeats and reorders answers, and answers that are none."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from schemas.wire_model import Wire
from tests.property.assessments.catalogue import BODIES, FAILURES, for_assessment, ids, requests
from tests.property.assessments.laws import check
from tests.property.exchange.test_sequences import bodies, texts
from tests.support.assessment_scenes import ASSESSMENT, HIT, SCREENING, AssessmentScene, lists, reported
from travelrule.assessments.state import AssessmentState
from travelrule.assessments.table import WAITING
from travelrule.engine.registry import MACHINES
from travelrule.machine.effects import CallHub, DropCalls, Emit, LookUp, SendMessage
from travelrule.machine.internal_inputs import CallResult, TimerDue
from travelrule.messages.arrival import SearchCalledBack

SUBJECTS = (SCREENING, ASSESSMENT)
FIRING_MAX = 4


def live(scene: AssessmentScene, data: Wire) -> None:
    """Decide one more input and hold every law to it."""
    item = scene.input(data)
    decision = MACHINES[scene.subject.partition(":")[0]].decide(scene.state, item, scene.rules, scene.now)
    check(scene.state, item, decision, scene.rules)
    scene.state, scene.last = decision.state, decision
    scene.history += decision.effects


def run_out(scene: AssessmentScene) -> None:
    """With nothing but its timers an assessment ends, soon."""
    for _ in range(FIRING_MAX):
        if not scene.state.timers:
            break
        name = min(scene.state.timers, key=lambda one: (scene.state.timers[one], one))
        due_at = scene.state.timers[name]
        scene.now = max(scene.now, due_at)
        live(scene, TimerDue(name=name, due_at=due_at))
    assert scene.state.status in ("ended", "dropped")


@st.composite
def odd_reports(draw: st.DrawFn, names: Sequence[str]) -> CallResult:
    """A result of a call whose every part may be nonsense."""
    return CallResult(
        operation=draw(st.sampled_from([*BODIES, "look-up", "finish", ""])),
        correlation_id=draw(st.sampled_from([*names, "screening", ""])),
        target="",
        outcome=draw(st.sampled_from(["answered", "failed", "troubled", "deferred"])),
        status=draw(st.sampled_from([0, 200, 302, 400, 404, 408, 422, 429, 500, 503, 599])),
        code=draw(texts | st.sampled_from(["NO_ANSWER", "NOT_FOUND", "INVALID_ORIGIN", "HTTP_500"])),
        body=draw(bodies),
        attempts=draw(st.integers(0, 99)),
    )


@settings(max_examples=60, deadline=None)
@given(data=st.data(), subject=st.sampled_from(SUBJECTS))
def test_the_life_of_an_assessment(data: Any, subject: str) -> None:
    scene = AssessmentScene(subject=subject)
    live(scene, data.draw(st.sampled_from(list(requests(subject)))))
    for _ in range(data.draw(st.integers(0, 20))):
        scene.wait(data.draw(st.sampled_from([0, 1, 5, 40, 90_000])))
        usual = st.sampled_from(list(for_assessment(subject, scene.state)))
        live(scene, data.draw(usual | odd_reports(ids(scene.state))))
    run_out(scene)


class Hub(RuleBasedStateMachine):
    """An assessment and a hub between which anything may be lost, come twice, or come late."""

    scene: AssessmentScene

    @initialize(subject=st.sampled_from(SUBJECTS), number=st.integers(0, 99))
    def begin(self, subject: str, number: int) -> None:
        self.scene = AssessmentScene(subject=subject)
        self.out: list[CallHub | LookUp] = []
        self.answers: list[CallResult] = []
        wishes = list(requests(subject))
        self.decide(wishes[number % len(wishes)])

    @property
    def state(self) -> AssessmentState:
        state: AssessmentState = self.scene.state
        return state

    def decide(self, data: Wire) -> None:
        live(self.scene, data)
        for effect in self.scene.last.effects:
            if isinstance(effect, CallHub | LookUp):
                self.out.append(effect)
            elif isinstance(effect, DropCalls):
                self.out = [one for one in self.out if isinstance(one, LookUp) or not _dropped(one, effect)]

    @precondition(lambda self: self.out)
    @rule(number=st.integers(0, 99), how=st.integers(0, 99), lost=st.booleans())
    def the_hub_works(self, number: int, how: int, *, lost: bool) -> None:
        """One call is made; its answer is on its way, or lost on it."""
        call = self.out.pop(number % len(self.out))
        if isinstance(call, LookUp):
            self.answers.append([lists(), lists(), lists(HIT), lists(checked=False)][how % 4])
            return
        self.scene.now = max(self.scene.now, call.due_at or self.scene.now)
        choices = [*BODIES[call.operation], *FAILURES]
        chosen = choices[how % len(choices)]
        failed = "code" in chosen or lost
        facts = ({"code": "NO_ANSWER"} if lost else chosen) if failed else {"body": chosen}
        self.answers.append(reported(call.operation, call.correlation_id, "failed" if failed else "answered", **facts))

    @precondition(lambda self: self.answers)
    @rule(number=st.integers(0, 99), keep=st.booleans())
    def an_answer_arrives(self, number: int, *, keep: bool) -> None:
        """In any order; kept, it comes again."""
        place = number % len(self.answers)
        report = self.answers[place] if keep else self.answers.pop(place)
        self.decide(report)

    @rule(operation=st.sampled_from(["kyt-search", "unhosted-token"]), number=st.integers(0, 9))
    def somebody_calls_back(self, operation: str, number: int) -> None:
        names = ids(self.state)
        self.decide(SearchCalledBack.model_validate({"operation": operation, "requestId": names[number % len(names)]}))

    @rule(seconds=st.sampled_from([1, 7, 30]))
    def time_passes(self, seconds: int) -> None:
        self.scene.now += timedelta(seconds=seconds)
        for name, due_at in sorted(self.state.timers.items()):
            if due_at <= self.scene.now:
                self.decide(TimerDue(name=name, due_at=due_at))

    @invariant()
    def it_ends_at_most_once(self) -> None:
        said = [effect for effect in self.scene.history if isinstance(effect, Emit) and effect.topic == "verdicts"]
        said += [effect for effect in self.scene.history if isinstance(effect, SendMessage) and "ended" in effect.type]
        assert len(said) == (self.state.ended is not None)

    @invariant()
    def whoever_waits_has_a_limit(self) -> None:
        assert (self.state.status in WAITING) == bool(self.state.timers)

    def teardown(self) -> None:
        if hasattr(self, "scene"):
            run_out(self.scene)
            self.it_ends_at_most_once()


def _dropped(call: CallHub, drop: DropCalls) -> bool:
    return not drop.operations or call.operation in drop.operations


TestHub = Hub.TestCase
TestHub.settings = settings(max_examples=80, stateful_step_count=40, deadline=None)
