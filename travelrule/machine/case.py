"""The case of a subject: whether the value may move."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from travelrule.policy.causes import Cause, SubjectKind
from travelrule.policy.policy import Policy
from travelrule.policy.verdicts import verdict_for


@dataclass(frozen=True, slots=True)
class Case:
    """May the value move? ``open`` until the first verdict. ``policy_version`` decided.

    ``asked_anew``: the withdrawal was amended since, so the next verdict is emitted even if it is the same.
    ``counterparty``: the VASP that the verdict names, if that is not the destination; ``reminders`` counts how often
    the hold was repeated or an alert raised about it; ``missing`` are the fields of the event that must be filled.
    """

    verdict: Literal["open", "allow", "hold", "deny"] = "open"
    cause: str = ""
    reasons: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    final: bool = False
    policy_version: str = ""
    asked_anew: bool = False
    counterparty: str = ""
    reminders: int = 0
    missing: tuple[str, ...] = ()


def case_for(
    cause: Cause,
    kind: SubjectKind,
    policy: Policy,
    *,
    reason: str = "UNKNOWN",
    rule: str = "",
    counterparty: str = "",
    missing: tuple[str, ...] = (),
) -> Case:
    """Return the case with the verdict of a cause."""
    verdict = verdict_for(cause, kind, policy, reason=reason, rule=rule)
    return Case(
        verdict.verdict,
        cause.value,
        verdict.reasons,
        verdict.needs,
        verdict.final,
        policy.version,
        counterparty=counterparty,
        missing=missing,
    )


def is_same_verdict(one: Case, other: Case) -> bool:
    """Whether both cases have the same verdict for the platform, whatever the cause and the policy's version."""
    return _published(one) == _published(other)


def verdict_data(kind: SubjectKind, subject_id: str, case: Case) -> dict[str, Any]:
    """Return what the verdict events of all subjects have in common."""
    data: dict[str, Any] = {
        "subject": f"{kind}:{subject_id}",
        "verdict": case.verdict,
        "reasons": list(case.reasons),
        "needs": list(case.needs),
        "final": case.final,
        "policyVersion": case.policy_version,
    }
    return {**data, "missing": list(case.missing)} if case.missing else data


def _published(case: Case) -> tuple[object, ...]:
    return case.verdict, case.reasons, case.needs, case.final, case.counterparty, case.missing
