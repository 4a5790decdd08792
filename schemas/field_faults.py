"""Faults of a message, without any of its values.

A fault has a stable code, a path of model field names and indexes, and a sentence that states what to send instead.
None of them contains a value, or a field name that only the sender uses: faults are written to dead letters, logs and
answers to peers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import LiteralString

from pydantic import AliasChoices, ValidationError
from pydantic_core import ErrorDetails, PydanticCustomError

from schemas.wire_model import Wire

FAULTS_MAX = 100  # more faults of one message add nothing

CODES = {
    "MISSING_FIELD": "a required field is absent",
    "EMPTY_VALUE": "a field that must hold something is empty",
    "WRONG_TYPE": "the JSON type is not the one of the field",
    "INVALID_VALUE": "the value is none of those the field allows",
    "INVALID_TEXT": "the text holds U+0000, another control character or half a surrogate pair",
    "INVALID_AMOUNT": "not a decimal number in a JSON string, or out of range",
    "INVALID_TIME": "not a moment in ISO 8601",
    "INVALID_DATE": "not a calendar day YYYY-MM-DD",
    "TOO_LONG": "the text or the list is longer than the field allows",
    "INVALID_JSON": "not JSON in UTF-8",
}
"""The stable codes of this module and their meanings."""

_CODE_OF_TYPE = {
    "missing": "MISSING_FIELD",
    "string_too_short": "EMPTY_VALUE",
    "too_short": "EMPTY_VALUE",
    "string_too_long": "TOO_LONG",
    "too_long": "TOO_LONG",
    "string_unicode": "INVALID_TEXT",
    "json_invalid": "INVALID_JSON",
}

_FIX_OF_CODE = {
    "MISSING_FIELD": "add the field",
    "EMPTY_VALUE": "must not be empty",
    "WRONG_TYPE": "send the JSON type that the schema names",
    "INVALID_VALUE": "send a value that the schema allows",
    "INVALID_TEXT": "remove U+0000, control characters and lone surrogates",
    "INVALID_JSON": "send one JSON object in UTF-8 without lone surrogates",
}

_TYPE_FIXES = {
    "string_type": "must be a JSON string",
    "bool_type": "must be true or false",
    "int_type": "must be a whole number",
    "list_type": "must be a JSON array",
    "tuple_type": "must be a JSON array",
    "dict_type": "must be a JSON object",
    "model_type": "must be a JSON object",
    "model_attributes_type": "must be a JSON object",
}

_TEXT_PATTERN_MARK = r"\x00"  # every pattern that refuses control characters names U+0000


@dataclass(frozen=True, slots=True)
class FieldFault:
    """One fault: ``code`` of ``CODES``, ``path`` like ``originator.natural.lastName``, ``fix`` a sentence."""

    path: str
    code: str
    fix: str


def fault(code: LiteralString, fix: LiteralString, field: str | None = None) -> PydanticCustomError:
    """Return the error that a validator raises: its type is the stable code, its text the fix.

    ``field`` is the wire name of the field at fault when a validator of the whole model finds it.
    """
    return PydanticCustomError(code, fix, {"field": field} if field else None)


def field_faults(error: ValidationError) -> list[FieldFault]:
    """Translate a validation error into faults: at most ``FAULTS_MAX``, in the order of the fields."""
    names = _wire_names()
    found: dict[tuple[str, str], FieldFault] = {}
    details = error.errors(include_url=False, include_input=False)
    for detail in details[:FAULTS_MAX]:
        one = _translate(detail, names)
        found.setdefault((one.path, one.code), one)
    return list(found.values())


def _translate(detail: ErrorDetails, names: frozenset[str]) -> FieldFault:
    kind = detail["type"]
    context = detail.get("ctx", {})
    place = [*detail["loc"], *([context["field"]] if "field" in context else [])]
    path = _path(place, names)
    if kind in CODES:
        return FieldFault(path, kind, detail["msg"])
    if kind == "string_pattern_mismatch" and _TEXT_PATTERN_MARK in str(context.get("pattern")):
        return FieldFault(path, "INVALID_TEXT", _FIX_OF_CODE["INVALID_TEXT"])
    if kind == "literal_error":
        return FieldFault(path, "INVALID_VALUE", f"must be {context['expected']}")
    if kind in _TYPE_FIXES:
        return FieldFault(path, "WRONG_TYPE", _TYPE_FIXES[kind])
    if kind == "string_pattern_mismatch":
        return FieldFault(path, "INVALID_VALUE", f"must match {context['pattern']}")
    code = _CODE_OF_TYPE.get(kind) or ("WRONG_TYPE" if kind.endswith("_type") else "INVALID_VALUE")
    if code == "TOO_LONG":
        return FieldFault(path, code, f"at most {context.get('max_length')} long")
    return FieldFault(path, code, _FIX_OF_CODE[code])


def _path(place: list[int | str], names: frozenset[str]) -> str:
    """Join field names and indexes; a name that is no field of a model (a map's key) becomes ``*``."""
    path = ""
    for part in place:
        if isinstance(part, int):
            path += f"[{part}]"
        else:
            path += ("." if path else "") + (part if part in names else "*")
    return path


def _wire_names() -> frozenset[str]:
    """Return every field name of all models; not cached, because other rooms add models on import."""
    return frozenset(name for model in _models(Wire) for name in _field_names(model))


def _models(root: type[Wire]) -> Iterator[type[Wire]]:
    yield root
    for model in root.__subclasses__():
        yield from _models(model)


def _field_names(model: type[Wire]) -> Iterator[str]:
    for name, info in model.model_fields.items():
        yield name
        if info.alias:
            yield info.alias
        if isinstance(info.validation_alias, AliasChoices):
            yield from (choice for choice in info.validation_alias.choices if isinstance(choice, str))
