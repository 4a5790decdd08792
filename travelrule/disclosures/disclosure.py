"""The disclosure machine: who read the content of a dead letter, which may be personal data. Pure.

The law
-------
Each disclosure is an input of the subject ``disclosure:<dead letter's id>`` and is only counted, so it has an audit
record that is chained, logged and proved like every other.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from schemas.wire_model import Wire
from travelrule.machine.decision import Decision, rejected
from travelrule.machine.input import Input
from travelrule.machine.port import Machine
from travelrule.machine.projection import Projection
from travelrule.machine.serialization import codec
from travelrule.policy.policy import Policy

VERSION = 2
"""See ``Machine.version``. Version 1 did not exist: its records belong to kinds that every release has."""


class DeadLetterShown(Wire):
    """The content of a dead letter was shown. ``actor`` is the reader, as far as known."""

    actor: str


DISCLOSURE_INPUTS: dict[str, type[Wire]] = {"dead-letter.shown": DeadLetterShown}
"""The model of each disclosure input."""


@dataclass(frozen=True, slots=True)
class DisclosureState:
    """How often it was shown, and when and to whom last."""

    times: int
    last_at: datetime
    last_actor: str = field(repr=False)


def decide(state: DisclosureState | None, item: Input, _policy: Policy, now: datetime) -> Decision[Any]:
    """Count the disclosure; it has no effects."""
    if not isinstance(item.data, DeadLetterShown):
        return rejected(state, "UNKNOWN_TYPE", "type", "this type says nothing about a disclosure")
    times = state.times if state is not None else 0
    return Decision(DisclosureState(times + 1, now, item.data.actor), rule="a dead letter was shown")


def project(_state: DisclosureState) -> Projection:
    """Project nothing: no column is searched."""
    return Projection()


_dump, _load = codec(DisclosureState)

MACHINE = Machine("disclosure", decide, _dump, _load, project, VERSION)
