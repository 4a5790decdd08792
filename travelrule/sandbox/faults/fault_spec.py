"""Faults that are added to a running sandbox. Their seed determines which calls they hit, so a run can be repeated.

A fault matches calls of its ``operation`` (all, if none is named) to its ``member``; for operations that the hub itself
answers, calls by that member. Of the matching calls it disturbs the ``share``, at most ``count`` of them: whether the
n-th matching call is disturbed depends on the seed and n alone.

A VASP calls ``txid-search`` and ``wallet-search`` at the hub; the hub then calls ``txid-check`` and ``wallet-check`` at
each member. ``callback`` reports the end of a search, of an analysis (``kyt-search``) or of a session
(``unhosted-token``).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from travelrule.hub.operations import OPERATIONS
from travelrule.hub.spec_files import FileSpec

Pause = Callable[[float], Awaitable[None]]
"""Waits for so many seconds: ``asyncio.sleep``, or the function of a test."""

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
    """A fault as requested (contract section 5).

    - ``latency``: the call waits ``delaySeconds`` first. Every other kind waits as well if ``delaySeconds``
    is given.
    - ``status``: the hub answers ``status`` (with ``errorType``, if given) and forwards nothing.
    - ``drop-before``, ``drop-after``: the call is lost before, or its answer after the member acted. The
    caller reads 408, or with ``"status": 0`` its connection is closed; operations that the hub answers itself are
    always closed.
    - ``garbage``, ``missing-field``: the member acts, its answer is spoiled on the way.
    - ``hang``: nothing is forwarded or answered until the hub's limit.
    - ``duplicate-callback``, ``lose-callback``: a callback is sent twice, or not at all. ``operation`` may be
    ``callback`` or the search that ended, ``member`` is the receiver.
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
