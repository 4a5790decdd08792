"""The faults of a running sandbox, in the order in which they were added."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

from schemas.operations import Operation
from travelrule.sandbox.faults.fault_spec import CALLBACK_KINDS, FaultSpec


@dataclass(slots=True)
class ActiveFault:
    """An active fault, with the numbers of calls that it matched and that it disturbed."""

    id: int
    spec: FaultSpec
    matched: int = 0
    used: int = 0
    _draws: random.Random = field(init=False)

    def __post_init__(self) -> None:
        """Seed the draws."""
        self._draws = random.Random(self.spec.seed)  # noqa: S311 -- repeatable on purpose

    def strikes(self, operation: str, member: str) -> bool:
        """Count this call and return whether it is disturbed."""
        if self.spec.operation not in ("", operation) or self.spec.member not in ("", member):
            return False
        if self.spec.count is not None and self.used >= self.spec.count:
            return False
        self.matched += 1
        struck = self._draws.random() < self.spec.share
        self.used += struck
        return struck

    def shown(self) -> dict[str, Any]:
        """Return the fault in the form of ``GET /sandbox/faults``."""
        asked = self.spec.model_dump(by_alias=True, exclude_unset=True)
        return {"id": self.id, **asked, "matched": self.matched, "used": self.used}


@dataclass(frozen=True, slots=True)
class CallDisturbance:
    """What happens to one call: how long it waits, and then its fault, if any."""

    delay_seconds: float
    fault: FaultSpec | None
    names: str


_UNDISTURBED = CallDisturbance(0, None, "")


class FaultBook:
    """The faults of a sandbox, in the order in which they were added."""

    def __init__(self) -> None:
        self._faults: list[ActiveFault] = []
        self._made = 0

    def add(self, spec: FaultSpec) -> ActiveFault:
        """Add a fault."""
        self._made += 1
        fault = ActiveFault(self._made, spec)
        self._faults.append(fault)
        return fault

    def clear(self) -> int:
        """Remove all faults and return how many there were."""
        count = len(self._faults)
        self._faults.clear()
        return count

    def shown(self) -> list[dict[str, Any]]:
        """Return all faults in the form of ``GET /sandbox/faults``."""
        return [fault.shown() for fault in self._faults]

    def plan(self, operation: str, member: str) -> CallDisturbance:
        """Return the disturbance of one call: delays add up, of the other faults the first that matches counts."""
        if not self._faults:
            return _UNDISTURBED
        delay_seconds = 0.0
        chosen: FaultSpec | None = None
        names: list[str] = []
        for fault in self._faults:
            spec = fault.spec
            disturbs = spec.fault != "latency"
            if spec.fault in CALLBACK_KINDS or (disturbs and chosen is not None):
                continue
            if not fault.strikes(operation, member):
                continue
            delay_seconds += spec.delay_seconds
            names.append(spec.fault)
            if disturbs:
                chosen = spec
        return CallDisturbance(delay_seconds, chosen, "+".join(names))

    def callback_copies(self, operation: str, member: str) -> int:
        """Return how often the callback of a search is sent: once, unless a fault loses or duplicates it.

        ``operation`` is the search, ``member`` the receiver.
        """
        for fault in self._faults:
            name = Operation.CALLBACK if fault.spec.operation == Operation.CALLBACK else operation
            if fault.spec.fault in CALLBACK_KINDS and fault.strikes(name, member):
                return 0 if fault.spec.fault == "lose-callback" else 2
        return 1
