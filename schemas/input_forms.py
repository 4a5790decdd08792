"""Input forms beyond the documented one, declared once for the validator and the JSON Schema.

A plain ``BeforeValidator`` changes what is read but not the schema, so the two would differ.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler, ValidationError, ValidatorFunctionWrapHandler
from pydantic_core import CoreSchema, core_schema

JsonSchema = dict[str, Any]
Widen = Callable[[JsonSchema], JsonSchema]

ABSENT: tuple[JsonSchema, ...] = ({"type": "null"}, {"const": ""}, {"type": "object", "maxProperties": 0})
"""The values that members send for an absent field (D8)."""

_UNREAD: JsonSchema = {"description": "Any other value counts as absent."}
_LEFT_OUT: JsonSchema = {"description": "An entry of any other shape is left out."}


class InputForm:
    """Metadata for ``Annotated``: a function that runs before the type's rules, and what it adds to the schema."""

    __slots__ = ("_function", "_widen")

    def __init__(self, function: Callable[[Any], Any], widen: Widen) -> None:
        self._function = function
        self._widen = widen

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Run the function before the type's schema."""
        return core_schema.no_info_before_validator_function(self._function, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchema:
        """Widen the schema for reading; the schema for writing is the type's."""
        inner = handler(schema)
        return self._widen(inner) if handler.mode == "validation" else inner


class LenientForm(InputForm):
    """An input form that never refuses: a value that the type refuses is read as the result of ``empty``."""

    __slots__ = ()

    def __init__(self, empty: Callable[[], Any]) -> None:
        super().__init__(lambda _: empty(), lambda inner: widened(inner, _UNREAD))

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Wrap the type's schema in a function that catches its faults."""

        def read_or_leave(value: Any, read: ValidatorFunctionWrapHandler) -> Any:
            try:
                return read(value)
            except ValidationError:
                return self._function(value)

        return core_schema.no_info_wrap_validator_function(read_or_leave, handler(source))


def widened(schema: JsonSchema, *more: JsonSchema) -> JsonSchema:
    """Return a schema that allows further alternatives, each once."""
    branches: list[JsonSchema] = schema["anyOf"] if schema.keys() == {"anyOf"} else [schema]
    return {"anyOf": [*branches, *(one for one in more if one not in branches)]}


def absent_is_none(value: Any) -> Any:
    """Return None for the values that count as absent (``""``, ``{}``, null), else the value."""
    if value:
        return value
    return None if value in ("", {}) else value


def none_is_empty(value: Any) -> Any:
    """Return the empty array for an absent one."""
    return () if absent_is_none(value) is None else value


def none_is_no_map(value: Any) -> Any:
    """Return the empty map for an absent one."""
    return {} if absent_is_none(value) is None else value


def or_absent(inner: JsonSchema) -> JsonSchema:
    """Return a schema that also allows the values that count as absent."""
    return widened(inner, *ABSENT)


def any_entry(inner: JsonSchema) -> JsonSchema:
    """Return a schema of an array that also allows entries of any shape, and an absent array."""
    return or_absent({**inner, "items": widened(inner["items"], _LEFT_OUT)})


def any_case(inner: JsonSchema) -> JsonSchema:
    """Return a schema that allows the words of an enumeration in any case."""
    branches = inner.get("anyOf", [inner])
    words = [word for branch in branches for word in branch.get("enum", [branch.get("const")]) if word]
    return widened(inner, {"type": "string", "pattern": any_case_pattern(*words)}) if words else inner


def any_case_pattern(*words: str) -> str:
    """Return a pattern for some words in any case; JSON Schema has no flag for it."""
    spelled = (
        "".join(f"[{sign.upper()}{sign.lower()}]" if sign.isalpha() else sign for sign in word) for word in words
    )
    return f"^({'|'.join(spelled)})$"


def _upper(value: Any) -> Any:
    # Letters outside ASCII are unchanged: upper case turns some into two letters, or into an ASCII letter.
    return value.upper() if isinstance(value, str) and value.isascii() else value


def _lower(value: Any) -> Any:
    return value.lower() if isinstance(value, str) and value.isascii() else value


absent = InputForm(absent_is_none, or_absent)
"""For optional fields: null, ``""`` and ``{}`` are None."""

several = InputForm(none_is_empty, or_absent)
"""For optional arrays: null, ``""`` and ``{}`` are no entries."""

optional_map = InputForm(none_is_no_map, or_absent)
"""For optional maps: null and ``""`` are no entries."""

upper = InputForm(_upper, any_case)
"""For values that the protocol compares without case and writes in capitals (``reasonType``)."""

lower = InputForm(_lower, any_case)
"""For values that the protocol compares without case and writes in small letters (``result``)."""


def anything(read: Callable[[Any], Any]) -> InputForm:
    """Return the form of a field that is never refused: ``read`` returns None for a value that it cannot read."""
    return InputForm(read, lambda inner: widened(inner, _UNREAD))
