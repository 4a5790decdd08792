"""From bytes to a request model: JSON, depth, required fields, values (member-api.md 1, table of 503)."""

from __future__ import annotations

from typing import Any, TypeVar

import orjson
from pydantic import ValidationError

from schemas.field_faults import field_faults
from schemas.limits import VALUES_MAX
from schemas.nesting_depth import DEPTH_MAX, is_nested_deeper
from schemas.wire_model import Wire
from travelrule.gateway.refusals import ErrorType, Refused
from travelrule.identity.payload_limits import has_too_many_values

BODY_BYTES_MAX = 1024 * 1024
CLEAR_BODY_BYTES_MAX = 64 * 1024
"""A request without payload has a handful of ids."""

Model = TypeVar("Model", bound=Wire)

_ABSENT: tuple[object, ...] = (None, "", {})
_MISSING = {"MISSING_FIELD", "EMPTY_VALUE"}


def request_of(model: type[Model], body: bytes) -> Model:
    """Read a request body; raise ``Refused`` with the field at fault."""
    raw = json_object(body, "INVALID_MSG_FIELD_VALUE", "body")
    try:
        return model.from_wire(raw)
    except ValidationError as error:
        raise _refusal(model, raw, error) from None


def json_object(body: bytes, code: ErrorType, field: str) -> dict[str, Any]:
    """Parse one JSON object of bounded depth; raise ``Refused`` with this code and field otherwise."""
    try:
        raw = orjson.loads(body)
    except orjson.JSONDecodeError:
        raw = None
    if not isinstance(raw, dict):
        raise Refused(code, field, "must be one JSON object in UTF-8")
    # Counting brackets is cheap; only a body with enough of them is walked.
    if body.count(b"{") + body.count(b"[") > DEPTH_MAX and is_nested_deeper(raw):
        raise Refused(code, field, f"must not be nested deeper than {DEPTH_MAX} levels")
    # A comma precedes each value but the first of a list or object.
    if body.count(b",") + body.count(b"{") + body.count(b"[") > VALUES_MAX and has_too_many_values(raw):
        raise Refused("INVALID_MSG_FIELD_VALUE", field, f"must not hold more than {VALUES_MAX} values")
    return raw


def holds_nul(value: object) -> bool:
    """Return whether any text inside holds U+0000, which PostgreSQL cannot store."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            if "\x00" in one:
                return True
        elif isinstance(one, dict):
            waiting.extend(one)
            waiting.extend(one.values())
        elif isinstance(one, list):
            waiting.extend(one)
    return False


def _refusal(model: type[Wire], raw: dict[str, Any], error: ValidationError) -> Refused:
    """Refuse the first missing field, else the first bad value; a value that means absence is missing, not bad."""
    for name, field in model.model_fields.items():
        wire = field.alias or name
        if field.is_required() and raw.get(wire) in _ABSENT:
            return Refused("MISSING_REQUIRED_MSG_FIELD", wire, "add the field")
    faults = field_faults(error)
    for fault in faults:
        if fault.code in _MISSING:
            return Refused("MISSING_REQUIRED_MSG_FIELD", fault.path, fault.fix)
    if faults[0].path == "payload" and isinstance(raw["payload"], str):
        return Refused("INVALID_ENCRYPTED_BODY", "payload", "must be base64 of nonce, tag and ciphertext")
    return Refused("INVALID_MSG_FIELD_VALUE", faults[0].path, faults[0].fix)
