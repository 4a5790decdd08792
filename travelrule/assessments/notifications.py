"""The output of an assessment: verdicts and results as events to the platform, messages to an asker."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from schemas.events.verdicts import Risk
from schemas.moments import time_text
from travelrule.assessments.state import AssessmentState
from travelrule.machine.effects import Effect, Emit, SendMessage
from travelrule.messages.assessment import AssessmentEnded, AssessmentSession
from travelrule.policy.causes import Cause

REASONS: dict[Risk, Cause] = {
    "malicious": Cause.RISK_MALICIOUS,
    "suspicious": Cause.RISK_SUSPICIOUS,
    "unknown": Cause.RISK_UNKNOWN,
    "pending": Cause.RISK_PENDING,
}
"""The reason of a screening's verdict besides its risk; none for ``clean``."""

OPERATOR = "OPERATOR"


def publish_session(state: AssessmentState, effects: list[Effect]) -> None:
    """Publish the session for the customer's widget."""
    session = state.session
    if session is None:
        return
    if state.wanted.asker:
        effects.append(SendMessage(state.wanted.asker, "assessment.session", session))
        return
    effects.append(Emit("callbacks", state.request_id, "ownership.session.v1", _session(state, session)))


def _session(state: AssessmentState, session: AssessmentSession) -> dict[str, Any]:
    data: dict[str, Any] = {
        **_named(state),
        "token": session.token,
        "walletVerificationId": session.wallet_verification_id,
    }
    return _with_time(data, "expiresAt", session.expires_at)


def publish_end(state: AssessmentState, policy_version: str, effects: list[Effect]) -> None:
    """Publish the answer: to the asker, or as a verdict with the result of the hub."""
    ended = state.ended
    if ended is None:
        return
    if state.wanted.asker:
        effects.append(SendMessage(state.wanted.asker, "assessment.ended", ended))
        return
    if ended.kind == "ownership":
        effects.extend(_proof(state, ended, policy_version))
    else:
        effects.extend(_rating(state, ended, policy_version))


def _rating(state: AssessmentState, ended: AssessmentEnded, policy_version: str) -> list[Effect]:
    said: list[Effect] = []
    if ended.kind == "kyt" and ended.hub_request_id:
        said.append(Emit("callbacks", state.request_id, "kyt.result.v1", _analysis(state, ended)))
    reasons = [cause.value] if (cause := REASONS.get(ended.risk)) is not None else []
    if ended.sanctioned:
        reasons = [Cause.SANCTIONED.value]
    elif ended.reason:
        reasons.append(ended.reason)
    data = {**_verdict(state, policy_version), "verdict": ended.risk, "reasons": reasons, "risk": ended.risk}
    return [*said, Emit("verdicts", state.request_id, "screening.verdict.v1", data)]


def _analysis(state: AssessmentState, ended: AssessmentEnded) -> dict[str, Any]:
    data: dict[str, Any] = {
        **_named(state),
        "hubRequestId": ended.hub_request_id,
        "status": "released" if ended.status == "RELEASED" else "failed",
        "risk": ended.risk,
        "facts": ended.facts,
    }
    return {**data, "error": ended.error} if ended.error else data


def _proof(state: AssessmentState, ended: AssessmentEnded, policy_version: str) -> list[Effect]:
    said: list[Effect] = []
    if state.session is not None:
        data: dict[str, Any] = {**_named(state), "status": ended.status, "checkedByUs": ended.checked_by_us}
        data = _with_time(data, "verifiedAt", ended.verified_at)
        said.append(Emit("callbacks", state.request_id, "ownership.result.v1", data))
    cause = Cause.OWNERSHIP_PROVEN if ended.proven else Cause.OWNERSHIP_NOT_PROVEN
    reasons = [cause.value, ended.reason] if ended.reason else [cause.value]
    if ended.reason == OPERATOR:
        reasons = [OPERATOR]
    verdict = "allow" if ended.proven else "deny"
    body = {**_verdict(state, policy_version), "verdict": verdict, "reasons": reasons}
    return [*said, Emit("verdicts", state.request_id, "ownership.verdict.v1", body)]


def _named(state: AssessmentState) -> dict[str, Any]:
    return {"subject": state.subject, "requestId": state.request_id}


def _verdict(state: AssessmentState, policy_version: str) -> dict[str, Any]:
    return {"subject": state.subject, "needs": [], "final": True, "policyVersion": policy_version}


def _with_time(data: dict[str, Any], name: str, moment: datetime | None) -> dict[str, Any]:
    return {**data, name: time_text(moment)} if moment is not None else data
