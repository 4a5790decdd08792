"""One try of a call as the value that ``machine.retry_policy`` decides on: errors of the hub are values here.

The response payload of an authorization or a data request is opened with the pair of keys that the request used: our
key that signed it and the remote key that it was sealed to (auth.md 6). A payload that is missing or does not open
becomes None; the machine that made the call decides what that means (``verified`` without payload: do not transfer).
"""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any

import orjson

from schemas.nesting_depth import is_nested_deeper
from travelrule.client.answer_status import Answer
from travelrule.client.errors import BadAnswer, HubError, NoAnswer
from travelrule.crypto.errors import SealError
from travelrule.crypto.sealing import open_sealed
from travelrule.crypto.signing import SigningKey
from travelrule.identity.payload_limits import excess, has_too_many_values
from travelrule.machine.retry_policy import RawResult


async def attempt(call: Awaitable[Answer], own: SigningKey, remote_key: str | None = None) -> RawResult:
    """Await a call of ``HubClient`` and describe its result.

    ``own`` is the key that signed the request and sealed its payload to ``remote_key`` (None: no payload).
    """
    try:
        answer = await call
    except HubError as error:
        return failed(error)
    return answered(answer, own, remote_key)


def answered(answer: Answer, own: SigningKey, remote_key: str | None = None) -> RawResult:
    """Describe an answer: clear fields in ``body``, the opened inner ``ivms101`` object in ``payload``.

    An answer that is nested deeper than any message of the protocol cannot be stored: it is a bad answer. Such a
    payload counts as unreadable, as does one over the limits of ``schemas.limits``.
    """
    if is_nested_deeper(answer.body):
        return RawResult("error", answer.status, "BAD_ANSWER")
    clear = {name: value for name, value in answer.body.items() if name != "payload"}
    sealed = answer.body.get("payload")
    if not remote_key or not isinstance(sealed, str):
        return RawResult("answer", answer.status, "", clear)
    payload = _opened(own, remote_key, sealed)
    return RawResult("answer", answer.status, "", clear, payload, answer_payload=sealed)


def failed(error: HubError) -> RawResult:
    """Describe an error."""
    if isinstance(error, NoAnswer):
        return RawResult("no-answer", 0, "NO_ANSWER" if error.sent_maybe else "NOT_SENT")
    if isinstance(error, BadAnswer):
        return RawResult("error", error.status, "BAD_ANSWER")
    return RawResult("error", error.status, error.error_code, retry_after=error.retry_after_s)


def _opened(own: SigningKey, remote_key: str, sealed: str) -> dict[str, Any] | None:
    try:
        plain = orjson.loads(open_sealed(own, remote_key, sealed))
    except (SealError, orjson.JSONDecodeError):
        return None
    inner = plain.get("ivms101") if isinstance(plain, dict) else None
    if (
        not isinstance(inner, dict)
        or is_nested_deeper(inner)
        or has_too_many_values(inner)
        or excess(inner) is not None
    ):
        return None
    return inner
