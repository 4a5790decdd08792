"""JSON Schemas of the models, with the docstrings of fields as descriptions.

The docstring below a field is its description; a last line ``Example: <JSON>`` becomes its example. Patterns are
rewritten so that every dialect of regular expressions matches the same texts (ADR 0026).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from pydantic import AliasChoices, BaseModel
from pydantic.json_schema import DefsRef, GenerateJsonSchema, JsonSchemaMode, JsonSchemaValue
from pydantic_core import CoreSchema, core_schema

from schemas.texts import LINE_PATTERN, SOLID_PATTERN, TEXT_PATTERN

EXAMPLE = "Example: "
_FORBIDDEN = {pattern: f"[{pattern[3:-3]}]" for pattern in (TEXT_PATTERN, LINE_PATTERN, SOLID_PATTERN)}
"""Patterns that only forbid characters, each with the pattern that finds one of them."""

Input = tuple[Any, JsonSchemaMode, CoreSchema]
Keys = dict[tuple[Any, JsonSchemaMode], JsonSchemaValue]


class WireJsonSchema(GenerateJsonSchema):
    """Pydantic's generator, with descriptions, examples, other spellings of a name, and portable patterns."""

    def generate(self, schema: CoreSchema, mode: JsonSchemaMode = "validation") -> JsonSchemaValue:
        """Return the schema of one model."""
        written: JsonSchemaValue = _portable(super().generate(schema, mode))
        return written

    def generate_definitions(self, inputs: Sequence[Input]) -> tuple[Keys, dict[DefsRef, JsonSchemaValue]]:
        """Return the schemas of several models and all that they refer to."""
        keys, definitions = super().generate_definitions(inputs)
        return keys, {name: _portable(definition) for name, definition in definitions.items()}

    def model_schema(self, schema: core_schema.ModelSchema) -> JsonSchemaValue:
        """Return the schema of a model."""
        written = super().model_schema(schema)
        if self.mode == "validation":
            _allow_other_names(written, schema["cls"])
        _describe(written)
        return written


def _describe(written: JsonSchemaValue) -> None:
    """Split docstrings into description and example; a field in a condition gets the description of its declaration."""
    if "description" in written:
        written["description"] = _plain(written["description"])
    declared = written.get("properties", {})
    for field in declared.values():
        text, _, example = field.get("description", "").partition(EXAMPLE)
        if text:
            field["description"] = _plain(text)
        if example:
            field["examples"] = [json.loads(example)]
    for condition in _conditions(written):
        for name, field in condition.get("properties", {}).items():
            field.setdefault("description", declared.get(name, {}).get("description", ""))


def _conditions(written: JsonSchemaValue) -> Iterator[JsonSchemaValue]:
    for key in ("allOf", "anyOf", "oneOf"):
        for part in written.get(key, ()):
            yield part
            yield from _conditions(part)
    for key in ("if", "then"):
        if key in written:
            yield written[key]


def _allow_other_names(written: JsonSchemaValue, model: type[BaseModel]) -> None:
    """Declare that a field may have another name if its first name is absent."""
    for info in model.model_fields.values():
        if not isinstance(info.validation_alias, AliasChoices):
            continue
        first, *others = (str(choice) for choice in info.validation_alias.choices)
        field = written["properties"][first]
        form = {key: value for key, value in field.items() if key not in ("title", "default", "description")}
        required = first in written.get("required", ())
        for other in others:
            written["properties"].setdefault(other, {"description": f"Another name of `{first}`, read in its absence."})
            second: JsonSchemaValue = {"properties": {other: form}}
            if required:
                written["required"].remove(first)
                second["required"] = [other]
            written.setdefault("allOf", []).append({"anyOf": [{"required": [first]}, second]})
        if not written.get("required", True):
            del written["required"]


def _plain(docstring: str) -> str:
    return " ".join(docstring.split()).replace("``", "`")


def _portable(value: Any) -> Any:
    """Rewrite patterns: in some dialects ``$`` also matches before a final line break, which the models refuse."""
    if isinstance(value, list):
        return [_portable(one) for one in value]
    if not isinstance(value, dict):
        return value
    pattern = value.get("pattern")
    pattern = pattern if isinstance(pattern, str) else ""  # a field may have this name
    rest = {key: _portable(one) for key, one in value.items() if key != "examples"}
    if "examples" in value:
        rest["examples"] = value["examples"]
    if pattern in _FORBIDDEN:
        del rest["pattern"]
        return {**rest, "not": {"pattern": _FORBIDDEN[pattern]}}
    return {**rest, "not": {"pattern": "\\n"}} if pattern.endswith("$") else rest
