"""The port between the engine and the machines: how to decide, read, write and project one kind of subject."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from travelrule.machine.decision import Decision
from travelrule.machine.input import Input
from travelrule.machine.projection import Projection
from travelrule.policy.policy import Policy

FIRST_VERSION = 1
"""The version of audit records that name none."""


@dataclass(frozen=True, slots=True)
class Machine:
    """One kind of subject. ``decide(state or None, input, policy, now)`` is pure; ``state`` None means that no input
    has created the subject yet. ``dump``/``load`` turn a state into JSON bytes and back, loss-free.

    ``version`` rises whenever the same state, input, policy and time lead to another state, other effects or another
    projection than before, or the same state is written as other bytes: every audit record names the version that
    decided it, and only that version can recompute it. ``tests/golden`` fails if the version did not rise.

    ``arrived(state or None)``: what was parked for the subject can be decided now.
    """

    kind: str
    decide: Callable[[Any, Input, Policy, datetime], Decision[Any]]
    dump: Callable[[Any], bytes]
    load: Callable[[bytes], Any]
    project: Callable[[Any], Projection]
    version: int
    arrived: Callable[[Any], bool] = lambda state: state is not None
