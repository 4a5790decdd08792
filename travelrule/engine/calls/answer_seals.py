"""The facts that bind a sealed answer to its request, known to the caller
(``exchange.originator.answer_check``).
"""

from __future__ import annotations

from typing import Any

from schemas.operations import Operation
from travelrule.crypto.blind_index import BlindIndex
from travelrule.crypto.nonce_marks import is_own
from travelrule.engine.ports import CallContent
from travelrule.exchange.originator.answer_check import answers_another_call
from travelrule.machine.internal_inputs import SentBody
from travelrule.machine.retry_policy import RawResult

BOUND_OPERATIONS = frozenset({Operation.TRANSFER_AUTHORIZATION, Operation.DATA_REQUEST})
"""The operations whose answers carry a payload."""

_SEAL = b"sealed-payload"


def bound(index: BlindIndex, operation: str, call_id: str, attempted: RawResult) -> RawResult:
    """Return the answer, or the error ``ANSWER_NOT_BOUND`` if it belongs to another request or was sealed by us.

    The error follows the operation's retry plan. An answer to an authorization is returned: its machine checks it.
    """
    if attempted.kind != "answer":
        return attempted
    echoed = operation == Operation.DATA_REQUEST and is_own(index, attempted.answer_payload)
    if echoed or answers_another_call(operation, attempted.body, call_id):
        return RawResult("error", attempted.status, "ANSWER_NOT_BOUND")
    return attempted


def binding_facts(index: BlindIndex, operation: str, content: CallContent, attempted: RawResult) -> dict[str, Any]:
    """Return the fields of ``CallResult`` for an answer."""
    if operation not in BOUND_OPERATIONS or attempted.kind != "answer":
        return {}
    facts: dict[str, Any] = {
        "request_seal": _seal(index, attempted.request_payload),
        "answer_seal": _seal(index, attempted.answer_payload),
        "own_words": is_own(index, attempted.answer_payload),
    }
    if operation == Operation.TRANSFER_AUTHORIZATION:
        facts["sent"] = SentBody(clear=content.clear, payload=content.payload)
    return facts


def _seal(index: BlindIndex, payload: str) -> str:
    return index.fingerprint(_SEAL, payload.encode()).hex() if payload else ""
