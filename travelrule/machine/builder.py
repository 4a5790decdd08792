"""Decisions that change nothing."""

from __future__ import annotations

from typing import Any, TypeVar

from travelrule.machine.decision import Decision

State = TypeVar("State")


def ignored(state: State, rule: str) -> Decision[State]:
    """What came changes nothing: it came before, or too late."""
    return Decision(state, status="duplicate", rule=rule)


def rejected(state: Any, code: str, field: str, fix: str) -> Decision[Any]:
    """What came cannot be; it is not remembered and may be replayed."""
    return Decision(state, status="rejected", code=code, field=field, fix=fix, rule=code)
