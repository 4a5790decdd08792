"""The fault of a field of a file or a setting in an operator's terms. The texts of the validation library, which
mention inputs and types of Python, are never shown.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, get_args

from pydantic_core import ErrorDetails
from pydantic_core.core_schema import ErrorType

_OWN_FILE = "must be a table or an object with named fields"
_WHOLE = "must be a whole number"
_NUMBER = "must be a number"
_DECIMAL = "must be a decimal number"
_LIST = "must be a list"
_MOMENT = "must be a time with its zone, without quotes in TOML (for example 2027-01-31T00:00:00Z)"
_YES_NO = "must be true or false"

_FIXES: Mapping[str, str] = {
    "missing": "is missing: add it",
    "extra_forbidden": "is not known: remove it",
    "bool_type": _YES_NO,
    "bool_parsing": _YES_NO,
    "int_type": _WHOLE,
    "int_parsing": _WHOLE,
    "int_parsing_size": _WHOLE,
    "int_from_float": _WHOLE,
    "float_type": _NUMBER,
    "float_parsing": _NUMBER,
    "finite_number": _NUMBER,
    "decimal_type": _DECIMAL,
    "decimal_parsing": _DECIMAL,
    "decimal_max_digits": "has more digits than a decimal number may have here",
    "decimal_max_places": "has more digits behind the point than it may have here",
    "decimal_whole_digits": "has more digits before the point than it may have here",
    "string_type": "must be a text in quotes",
    "string_unicode": "must be text in UTF-8",
    "list_type": _LIST,
    "tuple_type": _LIST,
    "dict_type": _OWN_FILE,
    "model_type": _OWN_FILE,
    "model_attributes_type": _OWN_FILE,
    "invalid_key": "may hold only names that are texts",
    "datetime_type": _MOMENT,
    "datetime_parsing": _MOMENT,
    "datetime_from_date_parsing": _MOMENT,
    "timezone_aware": _MOMENT,
    "path_type": "must be the path of a file or folder",
}

_PATTERNS: Mapping[str, str] = {
    r"^[A-Za-z0-9._-]{1,128}$": "1 to 128 letters, digits, dots, dashes and underscores",
    r"^[A-Za-z0-9._-]{1,100}$": "1 to 100 letters, digits, dots, dashes and underscores",
    r"^[A-Z]{2}$": "two capitals, ISO 3166-1 (for example SG)",
    r"^RA[0-9]{6}$": "RA and six digits, from GLEIF's list (for example RA000523)",
    r"^[^\s:]{1,50}$": "1 to 50 characters without blanks and colons",
    r"^[^\s:]+:[^\s:]+$": "ALLIANCE:ENTITY, without blanks (for example code:north)",
    r"^[^\x00-\x1f]+$": "one line of text",
    r"^[A-Z_]{0,60}$": "a code of capitals and underscores, at most 60 long",
}
"""The patterns of fields in words; any other pattern is shown itself."""


def _bound(text: str, name: str) -> Callable[[Mapping[str, Any]], str]:
    def fix(context: Mapping[str, Any]) -> str:
        limit = context[name]
        return text.format(int(limit) if limit == int(limit) else limit)

    return fix


_WITH_CONTEXT: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    "greater_than_equal": _bound("must be {} or more", "ge"),
    "less_than_equal": _bound("must be {} or less", "le"),
    "greater_than": _bound("must be more than {}", "gt"),
    "less_than": _bound("must be less than {}", "lt"),
    "literal_error": lambda context: f"must be one of {context['expected']}",
    "enum": lambda context: f"must be one of {context['expected']}",
    "string_too_short": lambda context: _at_least(context["min_length"]),
    "string_too_long": lambda context: f"at most {context['max_length']} long",
    "too_short": lambda context: f"needs at least {context['min_length']}",
    "too_long": lambda context: f"at most {context['max_length']} long",
    "string_pattern_mismatch": lambda context: _pattern(str(context["pattern"])),
    "value_error": lambda context: str(context["error"]),
}

_THEIRS = frozenset(get_args(ErrorType))


def fix_of(detail: ErrorDetails) -> str:
    """Return what to write instead, without repeating the value. Our validators bring their own sentence."""
    kind = detail["type"]
    if kind in _FIXES:
        return _FIXES[kind]
    if kind in _WITH_CONTEXT:
        return _WITH_CONTEXT[kind](detail.get("ctx", {}))
    return detail["msg"] if kind not in _THEIRS else "is not what is allowed here: see the reference of the file"


def _at_least(length: int) -> str:
    return "must not be empty" if length == 1 else f"at least {length} long"


def _pattern(pattern: str) -> str:
    words = _PATTERNS.get(pattern)
    return f"must be {words}" if words else f"must match the pattern {pattern}"
