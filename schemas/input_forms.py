"""What a reader takes besides the documented form: told once, to the validator and to the JSON Schema.

A plain ``BeforeValidator`` changes what is read and says nothing in the schema, so the two would differ.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler, ValidationError, ValidatorFunctionWrapHandler
from pydantic_core import CoreSchema, core_schema

JsonSchema = dict[str, Any]
Widen = Callable[[JsonSchema], JsonSchema]

ABSENT: tuple[JsonSchema, ...] = ({"type": "null"}, {"const": ""}, {"type": "object", "maxProperties": 0})
"""What the network sends for "nothing" (D8)."""

_UNREAD: JsonSchema = {"description": "Any other value counts as absent."}
_LEFT_OUT: JsonSchema = {"description": "An entry of any other shape is left out."}


class InputForm:
    """Metadata for ``Annotated``: what runs before the type's own rules, and what that adds to the schema."""

    __slots__ = ("_function", "_widen")

    def __init__(self, function: Callable[[Any], Any], widen: Widen) -> None:
        self._function = function
        self._widen = widen

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Put the function in front of the type's schema."""
        return core_schema.no_info_before_validator_function(self._function, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchema:
        """Widen the schema of what is read; what is written is the type alone."""
        inner = handler(schema)
        return self._widen(inner) if handler.mode == "validation" else inner


class LenientForm(InputForm):
    """The same around the type's rules: what they refuse is read as the result of ``empty``."""

    __slots__ = ()

    def __init__(self, empty: Callable[[], Any]) -> None:
        super().__init__(lambda _: empty(), lambda inner: widened(inner, _UNREAD))

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Put the type's schema inside a function that catches its faults."""

        def read_or_leave(value: Any, read: ValidatorFunctionWrapHandler) -> Any:
            try:
                return read(value)
            except ValidationError:
                return self._function(value)

        return core_schema.no_info_wrap_validator_function(read_or_leave, handler(source))


def widened(schema: JsonSchema, *more: JsonSchema) -> JsonSchema:
    """Allow more beside a schema, each alternative once."""
    branches: list[JsonSchema] = schema["anyOf"] if schema.keys() == {"anyOf"} else [schema]
    return {"anyOf": [*branches, *(one for one in more if one not in branches)]}


def absent_is_none(value: Any) -> Any:
    """Turn what the network sends for "nothing" (``""``, ``{}``, null) into None."""
    if value:
        return value
    return None if value in ("", {}) else value


def none_is_empty(value: Any) -> Any:
    """Read an absent array as the empty one."""
    return () if absent_is_none(value) is None else value


def none_is_no_map(value: Any) -> Any:
    """Read an absent map as the empty one."""
    return {} if absent_is_none(value) is None else value


def or_absent(inner: JsonSchema) -> JsonSchema:
    """Allow what counts as absent."""
    return widened(inner, *ABSENT)


def any_entry(inner: JsonSchema) -> JsonSchema:
    """Allow entries of any shape in an array, and no array."""
    return or_absent({**inner, "items": widened(inner["items"], _LEFT_OUT)})


def any_case(inner: JsonSchema) -> JsonSchema:
    """Allow the words of an enumeration in any case."""
    branches = inner.get("anyOf", [inner])
    words = [word for branch in branches for word in branch.get("enum", [branch.get("const")]) if word]
    return widened(inner, {"type": "string", "pattern": any_case_pattern(*words)}) if words else inner


def any_case_pattern(*words: str) -> str:
    """Write the pattern of some words in any case; JSON Schema has no flag for it."""
    spelled = (
        "".join(f"[{sign.upper()}{sign.lower()}]" if sign.isalpha() else sign for sign in word) for word in words
    )
    return f"^({'|'.join(spelled)})$"


def _upper(value: Any) -> Any:
    # Letters outside ASCII stay: some turn into two letters, or into an ASCII one.
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
    """For fields that are never a reason to refuse: ``read`` turns what it cannot use into None."""
    return InputForm(read, lambda inner: widened(inner, _UNREAD))
