"""Who was shown the content of a dead letter, which may be personal data. Pure.

Each disclosure is an input of the subject ``disclosure:<dead letter's id>``, so it has an audit record that is chained,
logged and proved like every other.
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
"""See ``Machine.version``. There was no first one: records of version 1 belong to kinds that every release knows."""


class DeadLetterShown(Wire):
    """``actor`` is who read it, as far as that is known."""

    actor: str


DISCLOSURES: dict[str, type[Wire]] = {"dead-letter.shown": DeadLetterShown}
"""Which model an internal input's data are."""


@dataclass(frozen=True, slots=True)
class DisclosureState:
    """How often, when and to whom it was shown last."""

    times: int
    last_at: datetime
    last_actor: str = field(repr=False)


def decide(state: DisclosureState | None, item: Input, _policy: Policy, now: datetime) -> Decision[Any]:
    """Count; nothing follows from it."""
    if not isinstance(item.data, DeadLetterShown):
        return rejected(state, "UNKNOWN_TYPE", "type", "this type says nothing about a disclosure")
    times = state.times if state is not None else 0
    return Decision(DisclosureState(times + 1, now, item.data.actor), rule="a dead letter was shown")


def project(_state: DisclosureState) -> Projection:
    """Nothing is searched."""
    return Projection()


_dump, _load = codec(DisclosureState)

MACHINE = Machine("disclosure", decide, _dump, _load, project, VERSION)
