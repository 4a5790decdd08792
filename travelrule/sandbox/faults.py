"""Faults that are put into a running sandbox; their seed decides which calls they hit, so a run can be repeated.

A fault hits calls of its ``operation`` (all, if none is named) to its ``member`` (for operations that the hub answers
itself: by that member). Of the calls it matches it disturbs the ``share``, at most ``count`` of them: whether the n-th
matching call is disturbed depends on the seed and n alone.

``txid-search`` and ``wallet-search`` are what a VASP asks the hub; ``txid-check`` and ``wallet-check`` what the hub
then asks each member; ``callback`` is how it tells the end of a search, of an analysis (``kyt-search``) or of a
session (``unhosted-token``).
"""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from schemas.operations import Operation
from travelrule.hub.operations import OPERATIONS
from travelrule.hub.spec_files import FileSpec

Pause = Callable[[float], Awaitable[None]]
"""Waits for so many seconds: ``asyncio.sleep``, or a test's own."""

Kind = Literal[
    "latency",
    "status",
    "drop-before",
    "drop-after",
    "garbage",
    "missing-field",
    "hang",
    "duplicate-callback",
    "lose-callback",
]
CALLBACK_KINDS = frozenset({"duplicate-callback", "lose-callback"})
DROPS = frozenset({"drop-before", "drop-after"})

NAMES = frozenset(operation.label for operation in OPERATIONS.values())

CUT_OFF = 0
"""``status`` of a drop that closes the caller's connection instead of answering 408."""


class FaultSpec(FileSpec):
    """A fault as it is asked for (contract section 5).

    - ``latency``: the call waits ``delaySeconds`` first. Every other kind waits as well if ``delaySeconds``
    is given.
    - ``status``: the hub answers ``status`` (with ``errorType``, if given) and forwards nothing.
    - ``drop-before``, ``drop-after``: the call is lost before, or its answer after the member acted. The
    caller reads 408, or with ``"status": 0`` its connection is closed; operations that the hub answers itself are
    always closed.
    - ``garbage``, ``missing-field``: the member acts, its answer is spoiled on the way.
    - ``hang``: nothing is forwarded and nobody answers until the hub's limit.
    - ``duplicate-callback``, ``lose-callback``: a callback is sent twice, or not at all. ``operation`` may be
    ``callback`` or the search that ended, ``member`` is who would be told.
    """

    operation: str = ""
    member: str = ""
    fault: Kind
    status: int | None = None
    error_type: Annotated[str, Field(pattern=r"^[A-Z_]{0,60}$")] = ""
    delay_seconds: Annotated[float, Field(ge=0, le=3600, allow_inf_nan=False)] = 0
    share: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] = 1
    count: Annotated[int, Field(ge=1)] | None = None
    seed: int = 0

    @model_validator(mode="after")
    def _parts_fit(self) -> Self:
        if self.operation and self.operation not in NAMES:
            raise ValueError(f"operation must be one of {', '.join(sorted(NAMES))}")
        if self.fault == "latency" and not self.delay_seconds:
            raise ValueError("latency needs delaySeconds above 0")
        if self.fault == "status" and not (self.status and 400 <= self.status <= 599):  # noqa: PLR2004 -- HTTP
            raise ValueError("the fault status needs a status from 400 to 599")
        if self.fault in DROPS and self.status not in (None, CUT_OFF, 408):
            raise ValueError("a drop has status 408, or 0 to close the connection")
        return self


@dataclass(slots=True)
class Fault:
    """A fault at work: how many calls it matched and how many it disturbed."""

    id: int
    spec: FaultSpec
    matched: int = 0
    used: int = 0
    _draws: random.Random = field(init=False)

    def __post_init__(self) -> None:
        """Start the row of draws that the seed stands for."""
        self._draws = random.Random(self.spec.seed)  # noqa: S311 -- repeatable on purpose

    def strikes(self, operation: str, member: str) -> bool:
        """Say whether this call is disturbed, and count it."""
        if self.spec.operation not in ("", operation) or self.spec.member not in ("", member):
            return False
        if self.spec.count is not None and self.used >= self.spec.count:
            return False
        self.matched += 1
        struck = self._draws.random() < self.spec.share
        self.used += struck
        return struck

    def shown(self) -> dict[str, Any]:
        """Return the fault as ``GET /sandbox/faults`` lists it."""
        asked = self.spec.model_dump(by_alias=True, exclude_unset=True)
        return {"id": self.id, **asked, "matched": self.matched, "used": self.used}


@dataclass(frozen=True, slots=True)
class Plan:
    """What happens to one call: how long it waits, and then which fault (if any) befalls it."""

    delay_seconds: float
    fault: FaultSpec | None
    names: str


_UNDISTURBED = Plan(0, None, "")


class FaultBook:
    """The faults of a sandbox, in the order in which they were put in."""

    def __init__(self) -> None:
        self._faults: list[Fault] = []
        self._made = 0

    def add(self, spec: FaultSpec) -> Fault:
        """Put a fault in."""
        self._made += 1
        fault = Fault(self._made, spec)
        self._faults.append(fault)
        return fault

    def clear(self) -> int:
        """Take all faults out; returns how many there were."""
        count = len(self._faults)
        self._faults.clear()
        return count

    def shown(self) -> list[dict[str, Any]]:
        """Return all faults as they are listed."""
        return [fault.shown() for fault in self._faults]

    def plan(self, operation: str, member: str) -> Plan:
        """Decide about one call: delays add up, of the other faults the first that strikes counts."""
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
        return Plan(delay_seconds, chosen, "+".join(names))

    def callback_copies(self, operation: str, member: str) -> int:
        """Say how often the callback of a search is sent: once, unless a fault loses or duplicates it.

        ``operation`` is the search, ``member`` who is told.
        """
        for fault in self._faults:
            name = Operation.CALLBACK if fault.spec.operation == Operation.CALLBACK else operation
            if fault.spec.fault in CALLBACK_KINDS and fault.strikes(name, member):
                return 0 if fault.spec.fault == "lose-callback" else 2
        return 1
