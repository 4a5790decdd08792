"""The cause of a verdict that a risk is."""

from __future__ import annotations

from travelrule.messages.assessment import AssessmentKind
from travelrule.policy.causes import Cause, SubjectKind
from travelrule.policy.policy import Policy
from travelrule.policy.verdicts import verdict_for

RISKS: dict[str, Cause] = {
    "malicious": Cause.RISK_MALICIOUS,
    "suspicious": Cause.RISK_SUSPICIOUS,
    "unknown": Cause.RISK_UNKNOWN,
    "pending": Cause.RISK_PENDING,
}
"""The cause of each risk but ``clean``."""


UNCHECKED = frozenset({Cause.RISK_UNKNOWN, Cause.RISK_PENDING, Cause.LISTS_UNCHECKED})
"""The causes of a risk that is not known."""


def cause_of(kind: AssessmentKind, risk: str, *, sanctioned: bool) -> Cause | None:
    """Return the cause of a risk; None for one that was assessed as clean."""
    if sanctioned:
        return Cause.SANCTIONED
    if risk == "clean":
        return None
    cause = RISKS.get(risk, Cause.RISK_UNKNOWN)
    return Cause.LISTS_UNCHECKED if kind == "lists" and cause in UNCHECKED else cause


def accepted(cause: Cause, subject_kind: SubjectKind, policy: Policy) -> bool:
    """Whether the policy allows the subject although the risk is not known (fail open)."""
    return cause in UNCHECKED and verdict_for(cause, subject_kind, policy).verdict == "allow"
