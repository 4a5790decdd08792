"""A refused ``withdrawal.requested.v1`` becomes an input of its withdrawal, in the transaction of its dead letter.

The id of the input names the event and its fault: the same event sent again is another dead letter and the same input.
Without a readable event id, the id of the dead letter takes its place; a record that is delivered again has the same.
"""

from __future__ import annotations

from datetime import datetime
from typing import TypeGuard
from uuid import UUID

import orjson

from travelrule.engine.input_outcome import InputOutcome
from travelrule.engine.messages.message_record import is_message
from travelrule.engine.stable_ids import stable_id
from travelrule.exchange.originator.refused_request import RequestRefused
from travelrule.machine.input import Input, Rejected
from travelrule.machine.sources import InternalSource, internal_input

REQUESTED = "withdrawal.requested.v1"
TYPE = "request.refused"


def is_refused_request(item: Input | Rejected) -> TypeGuard[Rejected]:
    """Whether the item is a refused request whose withdrawal is known."""
    return isinstance(item, Rejected) and item.type == REQUESTED and bool(item.subject) and not is_message(item.raw)


def refused_input(item: Input, outcome: InputOutcome) -> Rejected | None:
    """Return the refusal of a readable request; None for every other input or outcome."""
    if outcome.status != "rejected" or item.type != REQUESTED or item.raw is None:
        return None
    return Rejected(item.raw, outcome.code, outcome.field, outcome.fix, item.subject, item.type, item.event)


def refusal_of(rejected: Rejected, letter_id: str, now: datetime) -> Input:
    """Return the input that notifies the withdrawal."""
    facts = [rejected.subject, rejected.event or letter_id, rejected.code, rejected.field]
    return internal_input(
        InternalSource.KAFKA,
        stable_id(TYPE, *facts),
        TYPE,
        rejected.subject,
        RequestRefused(dead_letter_id=letter_id, code=rejected.code, field=rejected.field),
        path="dead-letters",
        at=now,
        salt=UUID(letter_id),
        content=orjson.dumps(facts),
    )
