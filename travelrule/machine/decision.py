"""What a decision consists of: the next state and the effects, as data.

The engine turns effects into rows in the SQL transaction of the state (design section 2).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

from travelrule.machine.effects import Effect

State = TypeVar("State")

OutcomeStatus = Literal["applied", "duplicate", "rejected", "parked"]


@dataclass(frozen=True, slots=True)
class Decision(Generic[State]):
    """The result of ``decide``. ``status`` ``rejected`` leaves the state as it was and stores nothing, so that the
    message can be replayed; ``parked`` keeps the input until its subject arrives. ``rule`` names the line of the law
    that was applied, for ``travelrule explain``.
    """

    state: State
    effects: tuple[Effect, ...] = ()
    status: OutcomeStatus = "applied"
    code: str = ""
    field: str = ""
    fix: str = ""
    rule: str = ""


def ignored(state: State, rule: str, *effects: Effect) -> Decision[State]:
    """Return the decision on an input that changes nothing: it is a duplicate, or too late."""
    return Decision(state, effects, status="duplicate", rule=rule)


def rejected(state: Any, code: str, field: str, fix: str) -> Decision[Any]:
    """Return the decision on an invalid input; nothing is stored, so that it may be replayed."""
    return Decision(state, status="rejected", code=code, field=field, fix=fix, rule=code)
