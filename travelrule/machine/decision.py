"""What a decision consists of: the next state and the effects, as data. Nothing here does anything.

The engine turns effects into rows in the same SQL transaction as the state (design section 2): ``Emit`` and ``Alert``
become outbox rows, ``CallHub`` becomes a call row, ``Reply`` is stored with the input and returned to whoever waits.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

from travelrule.machine.effects import Effect

State = TypeVar("State")


OutcomeStatus = Literal["applied", "duplicate", "rejected", "parked"]


@dataclass(frozen=True, slots=True)
class Decision(Generic[State]):
    """The result of ``decide``. ``status`` ``rejected`` leaves the state as it was and remembers nothing, so that the
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
