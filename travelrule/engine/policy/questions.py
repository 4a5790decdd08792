"""The questions that a decision sends and waits for, compared between two runs over one history (``policy try``)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import orjson

from schemas.operations import Operation
from schemas.wire_model import Wire
from travelrule.crypto.fingerprint import fingerprint
from travelrule.machine.effects import CallHub, Effect, LookUp, SendMessage
from travelrule.machine.internal_inputs import CallResult
from travelrule.messages.assessment import AssessmentEnded, AssessmentSession, AssessmentWanted

REPORTING = frozenset({Operation.FINISH, Operation.TXID_REPORT})
"""Calls that only report: no verdict depends on their answer."""


@dataclass(frozen=True, slots=True)
class TrialQuestion:
    """One question. ``name`` identifies its answer: the operation and the question's id. ``key`` identifies its content
    without the id: two runs with the same question have the same key. ``words`` are for people.
    """

    name: tuple[str, str]
    key: tuple[str, str]
    words: str


def question_of(effect: Effect) -> TrialQuestion | None:
    """The question of an effect; None if the effect waits for no answer."""
    match effect:
        case CallHub() if effect.operation not in REPORTING:
            words = f"{effect.operation} to {effect.target}" if effect.target else effect.operation
            digest = _digest(effect.correlation_id, effect.target, effect.clear, effect.payload)
            return TrialQuestion((effect.operation, effect.correlation_id), (effect.operation, digest), words)
        case LookUp(question, parameters):
            key = LookUp.operation, _digest("", question, parameters)
            return TrialQuestion((LookUp.operation, question), key, f"the own store ({question})")
        case SendMessage(subject, _, AssessmentWanted() as data):
            digest = _digest("", data.model_dump(mode="json"))
            return TrialQuestion((data.kind, subject), (data.kind, digest), f"an assessment ({data.kind})")
    return None


def answered_question(data: Wire) -> tuple[str, str] | None:
    """The name of the question that an input answers; None if it is not an answer."""
    match data:
        case CallResult() if data.operation not in REPORTING:
            return data.operation, data.correlation_id
        case AssessmentEnded():
            return data.kind, data.assessment
        case AssessmentSession():
            return "ownership", data.assessment
    return None


def renamed(data: Wire, old: str, new: str) -> Wire:
    """The answer, to the same question under another id."""
    if old == new:
        return data
    if not isinstance(data, CallResult):
        return data.model_copy(update={"assessment": new})
    body = None if data.body is None else {name: new if value == old else value for name, value in data.body.items()}
    return data.model_copy(update={"correlation_id": new, "body": body})


def _digest(own_id: str, *parts: Any) -> str:
    said = orjson.dumps(parts, default=str, option=orjson.OPT_SORT_KEYS)
    if own_id:
        said = said.replace(orjson.dumps(own_id), b"*")
    return fingerprint(said)
