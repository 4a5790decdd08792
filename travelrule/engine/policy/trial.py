"""``policy try``: which verdicts would differ if another policy had been in force.

Subjects are read and decided one after the other, so memory does not grow with their number; nothing is written and no
effect is carried out. Judged are withdrawals, deposits, screenings, and on the beneficiary side the answers to
authorizations.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from travelrule.engine.audit.history import Histories, History
from travelrule.engine.policy.replay import Other, Recorded, Run, Substitute, as_recorded, otherwise
from travelrule.engine.vault import Vault
from travelrule.machine.input import Input
from travelrule.machine.machine import Machine
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
class Judged:
    """One subject: what was said and what would be said (None: nothing yet), or why that cannot be told."""

    subject: str
    was: dict[str, Any] | None
    would: dict[str, Any] | None = None
    undetermined: str = ""

    @property
    def differs(self) -> bool:
        """Whether another verdict is known to come out."""
        return not self.undetermined and self.was != self.would


@dataclass(frozen=True, slots=True)
class _Both:
    """A subject's two runs, or why there are none."""

    recorded: Recorded | None
    run: Run
    missing: str = ""


class PolicyTrial:
    """Tries one policy. ``now`` is up to when timers that only this policy sets would have come due."""

    def __init__(
        self, histories: Histories, vault: Vault, machines: Mapping[str, Machine], policy: Policy, now: datetime
    ) -> None:
        self._histories = histories
        self._vault = vault
        self._machines = machines
        self._policy = policy
        self._now = now

    async def judge(self, since: datetime) -> AsyncIterator[Judged]:
        """Every subject that anything happened to since then, in the order of their names."""
        after = ""
        while True:
            page = await self._histories.touched(since, JUDGED, after, PAGE)
            for subject in page:
                yield await self._judge(await self._histories.read(subject))
            if len(page) < PAGE:
                return
            after = page[-1]

    async def _judge(self, history: History) -> Judged:
        tellers = {} if history.missing else await self._tellers(history)
        both = self._both(history, tellers)
        if both.recorded is None:
            was = {"verdict": history.word} if history.word else None
            return Judged(history.subject, was, undetermined=both.missing)
        was, run = both.recorded.run.verdict, both.run
        if run.settled:
            return Judged(history.subject, was, run.verdict)
        return Judged(history.subject, was, undetermined=run.unknown)

    async def _tellers(self, history: History) -> dict[str, _Both]:
        """The subjects that this one's inputs come from, decided both ways. What they were told is taken as it was."""
        names = {name for step in history.steps if (name := _teller(step.item))}
        return {name: self._both(await self._histories.read(name), {}) for name in sorted(names)}

    def _both(self, history: History, tellers: Mapping[str, _Both]) -> _Both:
        machine = self._machines.get(history.subject.partition(":")[0])
        if history.missing or machine is None:
            return _Both(None, Run(), history.missing or "this version has no rules for it")
        subject = history.subject.encode()
        recorded = as_recorded(
            machine, history.steps, lambda state: self._vault.index.fingerprint(subject, state).hex()
        )
        if recorded is None:
            return _Both(None, Run(), NOT_AS_RECORDED)
        if not recorded.exact and not _leads_there(machine, recorded.run, history):
            return _Both(None, Run(), OF_ANOTHER_VERSION)
        other = Other(self._policy, self._now, lambda item: _told(item, tellers))
        return _Both(recorded, otherwise(machine, history.steps, recorded, other))


def _leads_there(machine: Machine, run: Run, history: History) -> bool:
    """Whether this version leads to the verdict and the status that another one led to. Then the two runs, both of this
    version, differ by the policy alone.
    """
    projected = None if run.state is None else machine.project(run.state)
    return projected is not None and (projected.verdict, projected.status) == (history.word, history.status)


def _teller(item: Input) -> str:
    """The subject whose decision stands behind this input, as far as a policy bears on it; else empty."""
    if item.source != SUBJECTS:
        return ""
    data = item.data
    if isinstance(data, AssessmentEnded | AssessmentSession):
        return data.assessment
    exchange = getattr(data, "exchange", "")
    return str(exchange) if item.subject.startswith("deposit:") else ""


def _told(item: Input, tellers: Mapping[str, _Both]) -> Substitute | None:
    """What would come in place of this input; None: the same."""
    name = _teller(item)
    both = tellers.get(name)
    if both is None:
        return None
    if both.recorded is None:
        return Substitute(unknown=f"{name}: {both.missing}")
    then, run = both.recorded.run, both.run
    if isinstance(item.data, AssessmentEnded) and run.ended is not None:
        return None if run.ended == then.ended else Substitute(run.ended)
    if run.unknown and not run.settled:
        return Substitute(unknown=f"{name}: {run.unknown}")
    if isinstance(item.data, AssessmentEnded):
        return Substitute(unknown=f"{name} would not have ended yet")
    if then.verdict != run.verdict:
        return Substitute(unknown=f"{name} would be answered otherwise")
    return None
