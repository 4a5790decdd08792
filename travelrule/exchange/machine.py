"""The port between the engine and the pure machines: how to decide, read, write and project one kind of subject."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from travelrule.exchange.decision import Decision, Projection
from travelrule.exchange.inputs import Input
from travelrule.policy.policy import Policy


@dataclass(frozen=True, slots=True)
class Machine:
    """One kind of subject. ``decide(state or None, input, policy, now)`` is pure; ``state`` None means that no input
    has created the subject yet. ``dump``/``load`` turn a state into JSON bytes and back, loss-free.
    """

    kind: str
    decide: Callable[[Any, Input, Policy, datetime], Decision[Any]]
    dump: Callable[[Any], bytes]
    load: Callable[[bytes], Any]
    project: Callable[[Any], Projection]
