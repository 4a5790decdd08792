"""``policy try``: which verdicts would differ if another policy had been in force.

Subjects are read and decided one at a time, so memory does not grow with their number. Nothing is written and no effect
is carried out. Withdrawals, deposits, screenings and the answers to inbound authorizations are compared.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from travelrule.engine.audit.history import HistoryReader, SubjectHistory
from travelrule.engine.policy.replay import (
    RecordedRun,
    ReplayRun,
    SubstituteInput,
    TrialConditions,
    recorded_run,
    trial_run,
)
from travelrule.engine.vault import Vault
from travelrule.machine.input import Input
from travelrule.machine.port import Machine
from travelrule.machine.sources import SUBJECTS
from travelrule.messages.assessment import AssessmentEnded, AssessmentSession
from travelrule.policy.policy import Policy

JUDGED = ("deposit", "exchange", "screening", "withdrawal")
PAGE = 200
OF_ANOTHER_VERSION = (
    "another version of the program decided it, and this one decides it otherwise under the same policy"
)
NOT_AS_RECORDED = "deciding again under the recorded policy gives another result: see audit verify"


@dataclass(frozen=True, slots=True)
class TrialResult:
    """One subject: its verdict and the one on trial (None: none yet), or why the latter is undetermined."""

    subject: str
    was: dict[str, Any] | None
    would: dict[str, Any] | None = None
    undetermined: str = ""

    @property
    def differs(self) -> bool:
        """Whether the verdict is known to differ."""
        return not self.undetermined and self.was != self.would


@dataclass(frozen=True, slots=True)
class _SubjectRuns:
    """The two runs of a subject, or the reason why there are none."""

    recorded: RecordedRun | None
    run: ReplayRun
    missing: str = ""


class PolicyTrial:
    """Tries one policy. Timers that only this policy sets come due up to ``now``."""

    def __init__(
        self, histories: HistoryReader, vault: Vault, machines: Mapping[str, Machine], policy: Policy, now: datetime
    ) -> None:
        self._histories = histories
        self._vault = vault
        self._machines = machines
        self._policy = policy
        self._now = now

    async def judge(self, since: datetime) -> AsyncIterator[TrialResult]:
        """Judge every subject that changed since ``since``, ordered by name."""
        after = ""
        while True:
            page = await self._histories.touched(since, JUDGED, after, PAGE)
            for subject in page:
                yield await self._judge(await self._histories.read(subject))
            if len(page) < PAGE:
                return
            after = page[-1]

    async def _judge(self, history: SubjectHistory) -> TrialResult:
        tellers = {} if history.missing else await self._tellers(history)
        both = self._both(history, tellers)
        if both.recorded is None:
            was = {"verdict": history.verdict} if history.verdict else None
            return TrialResult(history.subject, was, undetermined=both.missing)
        was, run = both.recorded.run.verdict, both.run
        if run.settled:
            return TrialResult(history.subject, was, run.verdict)
        return TrialResult(history.subject, was, undetermined=run.unknown)

    async def _tellers(self, history: SubjectHistory) -> dict[str, _SubjectRuns]:
        """The subjects that this one's inputs come from, decided both ways on their recorded inputs."""
        names = {name for step in history.steps if (name := _teller(step.item))}
        return {name: self._both(await self._histories.read(name), {}) for name in sorted(names)}

    def _both(self, history: SubjectHistory, tellers: Mapping[str, _SubjectRuns]) -> _SubjectRuns:
        machine = self._machines.get(history.subject.partition(":")[0])
        if history.missing or machine is None:
            return _SubjectRuns(None, ReplayRun(), history.missing or "this version has no rules for it")
        subject = history.subject.encode()
        recorded = recorded_run(
            machine, history.steps, lambda state: self._vault.index.fingerprint(subject, state).hex()
        )
        if recorded is None:
            return _SubjectRuns(None, ReplayRun(), NOT_AS_RECORDED)
        if not recorded.exact and not _leads_there(machine, recorded.run, history):
            return _SubjectRuns(None, ReplayRun(), OF_ANOTHER_VERSION)
        other = TrialConditions(self._policy, self._now, lambda item: _told(item, tellers))
        return _SubjectRuns(recorded, trial_run(machine, history.steps, recorded, other))


def _leads_there(machine: Machine, run: ReplayRun, history: SubjectHistory) -> bool:
    """Whether this version leads to the stored verdict and status. Then the two runs, both of this version, differ by
    the policy alone.
    """
    projected = None if run.state is None else machine.project(run.state)
    return projected is not None and (projected.verdict, projected.status) == (history.verdict, history.status)


def _teller(item: Input) -> str:
    """The subject that sent this input, if its decision depends on the policy; else empty."""
    if item.source != SUBJECTS:
        return ""
    data = item.data
    if isinstance(data, AssessmentEnded | AssessmentSession):
        return data.assessment
    exchange = getattr(data, "exchange", "")
    return str(exchange) if item.subject.startswith("deposit:") else ""


def _told(item: Input, tellers: Mapping[str, _SubjectRuns]) -> SubstituteInput | None:
    """The replacement of an input; None: the input itself."""
    name = _teller(item)
    both = tellers.get(name)
    if both is None:
        return None
    if both.recorded is None:
        return SubstituteInput(unknown=f"{name}: {both.missing}")
    then, run = both.recorded.run, both.run
    if isinstance(item.data, AssessmentEnded) and run.ended is not None:
        return None if run.ended == then.ended else SubstituteInput(run.ended)
    if run.unknown and not run.settled:
        return SubstituteInput(unknown=f"{name}: {run.unknown}")
    if isinstance(item.data, AssessmentEnded):
        return SubstituteInput(unknown=f"{name} would not have ended yet")
    if then.verdict != run.verdict:
        return SubstituteInput(unknown=f"{name} would be answered otherwise")
    return None
