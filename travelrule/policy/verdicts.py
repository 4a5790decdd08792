"""The verdict of a cause under the operator's policy."""

from __future__ import annotations

from dataclasses import dataclass

from travelrule.policy.causes import CORRECTABLE, OPERATOR, VERDICTS, Cause, SubjectKind, VerdictValue
from travelrule.policy.policy import Policy


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict about a subject. ``final``: nothing automatic follows, except a retraction."""

    verdict: VerdictValue
    reasons: tuple[str, ...]
    needs: tuple[str, ...] = ()
    final: bool = False


def verdict_for(
    cause: Cause, subject_kind: SubjectKind, policy: Policy, *, reason: str = "UNKNOWN", rule: str = ""
) -> Verdict:
    """Return a cause's verdict. ``reason`` is the counterparty's ``reasonType``, ``rule`` the exemption that applies.

    A row moved to ``hold`` needs an operator; one moved to ``deny`` or ``allow`` is final and needs nothing.
    """
    row = VERDICTS[cause]
    usual = row.deposit if row.deposit and subject_kind == "deposit" else row.verdict
    chosen = policy.verdicts | policy.deposit_verdicts if subject_kind == "deposit" else policy.verdicts
    word = chosen.get(cause, usual)
    needs: tuple[str, ...] = ()
    if word == "hold":
        needs = row.needs if usual == "hold" or row.needs else OPERATOR
        if cause is Cause.DENIED_CORRECTABLE:
            needs = (CORRECTABLE.get(reason, "information"),)
    return Verdict(word, (row.reason.format(reason=reason, rule=rule),), needs, final=word != "hold")


def denied_cause(reason: str) -> Cause:
    """Return the cause of a refusal: one that the customer can correct, or not."""
    return Cause.DENIED_CORRECTABLE if reason in CORRECTABLE else Cause.DENIED
