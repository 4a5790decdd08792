"""The hub's answers: the HTTP status is read first, then the deciding field (``errors.md`` section 1)."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import orjson

from travelrule.client.codes import error_of, plain_code
from travelrule.client.errors import BadAnswer
from travelrule.client.hub_transport import RawAnswer
from travelrule.client.operations import ClientOperation

_OK = 200
_CLIENT_ERROR = 400
_RETRY_AFTER_MAX_S = 3600.0


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer of the documented shape: HTTP 200 and a JSON object whose deciding field holds a known value.

    ``result`` is that value in lower case (``valid``, ``denied``, ``normal``, ``confirmed``, ...), empty where the
    field may hold any text; ``body`` is the whole object as received. A failed screening is such an answer with any
    status.
    """

    status: int
    result: str
    body: dict[str, Any] = field(repr=False)


def read(operation: ClientOperation, raw: RawAnswer, now: datetime) -> Answer:
    """Return the answer, or raise one of ``client.errors``."""
    if raw.status >= _CLIENT_ERROR:
        if operation.errors_as_result and (failed := _failed_screening(raw)) is not None:
            return failed
        raise error_of(
            operation.name,
            raw.status,
            _error_code(raw.body),
            retry_after_seconds(raw.retry_after, now),
            of_kyt=operation.provider == "kyt",
        )
    if raw.status != _OK:
        raise BadAnswer(operation.name, raw.status, "only 200, 4xx and 5xx are documented")
    body = _json(raw.body)
    if not isinstance(body, dict):
        raise BadAnswer(operation.name, raw.status, "not a JSON object")
    deciding = body.get(operation.field)
    if not operation.values:
        if not isinstance(deciding, str if operation.open else list) or deciding == "":
            wanted = "a text" if operation.open else "an array"
            raise BadAnswer(operation.name, raw.status, f"{operation.field} is not {wanted}")
        return Answer(raw.status, "", body)
    result = deciding.strip().lower() if isinstance(deciding, str) else ""
    if result not in operation.values:
        raise BadAnswer(operation.name, raw.status, f"{operation.field} holds no documented value")
    return Answer(raw.status, result, body)


def retry_after_seconds(value: str, now: datetime) -> float | None:
    """Return the seconds of a ``Retry-After`` header (seconds or an HTTP date); None if absent or unreadable."""
    text = value.strip()
    if text.isascii() and text.isdigit():
        return min(float(text[:12]), _RETRY_AFTER_MAX_S)
    try:
        at = parsedate_to_datetime(text)
    except ValueError:
        return None
    if at.tzinfo is None:
        at = at.replace(tzinfo=UTC)
    return min(max((at - now).total_seconds(), 0.0), _RETRY_AFTER_MAX_S)


def _failed_screening(raw: RawAnswer) -> Answer | None:
    """Return the answer of a provider that failed, or None if the hub itself refused."""
    body = _json(raw.body)
    result = body.get("result") if isinstance(body, dict) else None
    is_failed = isinstance(result, str) and result.strip().lower() == "error"
    return Answer(raw.status, "error", body) if is_failed else None


def _error_code(body: bytes) -> str:
    parsed = _json(body)
    return plain_code(parsed.get("errorType")) if isinstance(parsed, dict) else ""


def _json(body: bytes) -> Any:
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        return None
