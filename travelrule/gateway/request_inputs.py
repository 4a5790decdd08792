"""The input of an inbound request, and the reply of its outcome (design section 2)."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import orjson

from schemas.wire_model import Wire
from travelrule.engine.input_outcome import InputOutcome
from travelrule.gateway.dependencies import GatewayDeps
from travelrule.gateway.refusals import Refused, internal
from travelrule.gateway.request_origin import RequestOrigin
from travelrule.machine.input import Input
from travelrule.machine.sources import InternalSource, internal_input

ERASED = "ERASED"
SALT_BYTES = 16
TAKEN = {"CONFLICT", "DUPLICATED_TRANSFER_ID", ERASED}
"""The codes for a transferId that is in use: of the engine, of the machine, and after an erasure."""


def input_of(
    deps: GatewayDeps,
    caller: RequestOrigin,
    kind: str,
    transfer_id: str,
    data: Wire,
    *,
    content: dict[str, Any],
    once: bool,
    subject: str = "exchange",
) -> Input:
    """Make the input of a request.

    ``once``: a transfer has one such input, so a repetition has the same id and is answered from the store; otherwise
    each request is an input, decided on the present state, and an unknown transfer is answered at once. ``subject`` is
    the kind of the subject.
    """
    salt = UUID(bytes=deps.randomness(SALT_BYTES), version=4)
    name = kind.removesuffix(".received")
    return internal_input(
        InternalSource.GATEWAY,
        f"{name}/{transfer_id}" if once else f"{name}/{transfer_id}/{salt}",
        kind,
        f"{subject}:{caller.entity_id}/{transfer_id}",
        data,
        path=caller.origin,
        at=deps.clock(),
        content=orjson.dumps(content, option=orjson.OPT_SORT_KEYS),
        salt=salt,
        traceparent=caller.traceparent,
        reply_to_unknown=not once,
    )


def reply_of(outcome: InputOutcome) -> dict[str, Any]:
    """Return the plain reply of an outcome; raise ``Refused`` if there is none."""
    if outcome.reply is not None:
        return outcome.reply
    if outcome.status == "rejected" and outcome.code in TAKEN:
        raise Refused("DUPLICATED_TRANSFER_ID", "transferId", "names another transfer already; use a new id")
    raise internal()
