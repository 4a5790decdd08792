"""The allow-list of log lines: their fields, and the shape of the values of each.

The list is closed, so that personal data cannot be logged by accident: no field holds a name, a birth date, an address,
a txid, a customer or an account. A token is short and has neither blanks nor letters outside ASCII, which most names
have; a value of another shape is written as ``<withheld>``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from enum import Enum
from pathlib import PurePath
from types import MappingProxyType
from uuid import UUID

from travelrule.errors import TravelRuleError
from travelrule.setting_types import HostPort

WITHHELD = "<withheld>"
SENTENCE_LENGTH_MAX = 400

WRITTEN = (str, PurePath, Enum, UUID, datetime, HostPort)
"""Types whose text is known; that of any other object may hold anything, or raise."""

Value = str | int | float | bool | None
Line = dict[str, Value | dict[str, Value] | list[str]]
"""A log line before it is written as text."""


class FieldShape(Enum):
    """The check of a value before it is written."""

    TOKEN = "token"  # noqa: S105 -- a shape of text, not a secret
    NUMBER = "number"
    PATH = "path"
    SENTENCE = "sentence"  # one of ours, word for word from the source
    ERROR = "error"  # an exception: class, our code, place; never its text


TOKEN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/@,+*=-]{0,127}")
PATH = re.compile(r"[\x21-\x7e]{1,300}")
_CODE = re.compile(r"[A-Z][A-Z0-9_]{1,63}")
_SQLSTATE = re.compile(r"[0-9A-Z]{5}")

_TOKENS = """
    action alliance attempt_id broker call_id chain code command consumer_group counterparty currency
    database event_type exchange_status fault field final group id input_id input_type instance job kind
    lease list log_format
    member metric migration mode name needs network operation origin outcome partner policy_version
    previous reason reasons
    request_id result role rule service severity setting signal side source state status subject
    subject_kind target topic transfer_id type vasp verdict version worker
"""
_NUMBERS = """
    age_seconds applied attempts batch bytes calls committed concurrency connections count dead_letters delay_seconds
    duplicates due duration_seconds entries events exit_code failed http_status inputs lag_seconds limit
    limit_seconds members messages offset open outbox parked partition partitions passed pending pid port
    processed published queued records rejected replayed retry_seconds rows searches seconds sent sequence size
    subjects total tries unsent waited_seconds
"""
_PATHS = "file folder listen"
_SENTENCES = "fix detail hint"

FIELDS: Mapping[str, FieldShape] = MappingProxyType(
    dict.fromkeys(_TOKENS.split(), FieldShape.TOKEN)
    | dict.fromkeys(_NUMBERS.split(), FieldShape.NUMBER)
    | dict.fromkeys(_PATHS.split(), FieldShape.PATH)
    | dict.fromkeys(_SENTENCES.split(), FieldShape.SENTENCE)
    | {"error": FieldShape.ERROR}
)
"""Every field of the log lines. Who adds one states in review what it can hold."""


class LogFieldError(TravelRuleError):
    """A log line has a field that is not in ``FIELDS``, or an event that is not a plain-name: correct the call."""

    code = "LOG_FIELD"


def shaped(shape: FieldShape, value: object) -> Value | dict[str, Value]:
    """Return the value as it may be written, or ``<withheld>`` if it has another shape."""
    if value is None or isinstance(value, bool):
        return value
    if shape is FieldShape.ERROR:
        return describe(value) if isinstance(value, BaseException) else WITHHELD
    if shape is FieldShape.NUMBER:
        return value if isinstance(value, int | float) else WITHHELD
    if isinstance(value, int):
        return value
    if not isinstance(value, WRITTEN):
        return WITHHELD
    text = str(value)
    if shape is FieldShape.SENTENCE:
        short = len(text) <= SENTENCE_LENGTH_MAX
        return text if short and text.isascii() and text.isprintable() else WITHHELD
    pattern = PATH if shape is FieldShape.PATH else TOKEN
    return text if pattern.fullmatch(text) else WITHHELD


def describe(error: BaseException) -> dict[str, Value]:
    """Describe an exception without its text, which may quote a row, a request or a parameter.

    ``class`` is the class, ``code`` our stable code or the five characters of an SQL state, ``cause`` the
    class of its cause, ``at`` the innermost place in the source. Local variables are never read.
    """
    cause = getattr(error, "orig", None) or error.__cause__ or error.__context__
    described: dict[str, Value] = {"class": _class_name(error)}
    code = _code(error) or (_code(cause) if isinstance(cause, BaseException) else None)
    if code:
        described["code"] = code
    if isinstance(cause, BaseException):
        described["cause"] = _class_name(cause)
    place = error.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    if place is not None:
        frame = place.tb_frame.f_code
        described["at"] = f"{_short(frame.co_filename)}:{place.tb_lineno}:{frame.co_name}"
    return described


def _class_name(error: BaseException) -> str:
    kind = type(error)
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


def _code(error: BaseException) -> str | None:
    """Return a code that cannot be data: one of our constants, an SQL state, the number of a system error."""
    for name, pattern in (("code", _CODE), ("sqlstate", _SQLSTATE)):
        value = getattr(error, name, None)
        if isinstance(value, str) and pattern.fullmatch(value):
            return value
    return f"errno-{error.errno}" if isinstance(error, OSError) and isinstance(error.errno, int) else None


def _short(filename: str) -> str:
    """Return the last two parts of the path: enough to find the file, nothing about the machine."""
    return "/".join(PurePath(filename).parts[-2:])
