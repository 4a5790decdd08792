"""The JSON Schema of the world file, and its reference page, which is generated from that schema alone."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from schemas.export import DIALECT
from schemas.json_schema import WireJsonSchema
from travelrule.sandbox.world.world_file import World

Schema = dict[str, Any]
Row = tuple[str, str, str, str, str]

PERSON = "Person"
"""Objects that the event reference describes."""


def world_schema() -> Schema:
    """Return the schema of a world file; the file may name it as ``$schema``, for an editor."""
    schema = World.model_json_schema(by_alias=True, mode="validation", schema_generator=WireJsonSchema)
    schema["properties"]["$schema"] = {
        "type": "string",
        "description": "For editors: where this schema is. Not read.",
        "examples": ["world.schema.json"],
    }
    return {"$schema": DIALECT, "$id": "urn:travelrule:schema:world", **schema}


def schema_text() -> str:
    """Return the text of the schema file."""
    return json.dumps(world_schema(), indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def sections(schema: Schema) -> Iterator[tuple[str, str, list[Row]]]:
    """Return path, meaning and rows of every object of the file, the outer ones first."""
    waiting = [("", schema)]
    for path, one in waiting:
        rows = []
        for name, form in one["properties"].items():
            here = f"{path}.{name}" if path else name
            rows.append(_row(here, form, required=name in one.get("required", ())))
            waiting += [(here + more, schema["$defs"][inner]) for more, inner in _objects(form) if inner != PERSON]
        yield path, _line(one["description"]), rows


def _row(path: str, form: Schema, *, required: bool) -> Row:
    default = "required" if required else _default(form)
    return f"`{path}`", _type(form), default, _line(form["description"]), _example(form)


def _objects(form: Schema) -> Iterator[tuple[str, str]]:
    """Return the suffix of the path, and the name of each object at it."""
    if "$ref" in form:
        yield "", form["$ref"].rpartition("/")[2]
    for choice in form.get("anyOf", ()):
        yield from _objects(choice)
    if "items" in form:
        yield from (("[]" + more, name) for more, name in _objects(form["items"]))
    if isinstance(form.get("additionalProperties"), dict):
        yield from ((".<KEY>" + more, name) for more, name in _objects(form["additionalProperties"]))


def _type(form: Schema) -> str:
    if "anyOf" in form:
        return " or ".join(_type(choice) for choice in form["anyOf"])
    if "$ref" in form:
        return "person" if form["$ref"].endswith(f"/{PERSON}") else "object"
    if "enum" in form:
        return ", ".join(f"`{word}`" if word else "empty" for word in form["enum"])
    kind = form["type"]
    if kind == "array":
        return f"list of {_type(form['items'])}"
    if kind == "object":
        return f"object with {_type(form['additionalProperties'])} by key"
    names = {"integer": "whole number", "string": "text", "boolean": "true or false"}
    return names.get(kind, kind) + _limits(form)


def _limits(form: Schema) -> str:
    low, above = form.get("minimum"), form.get("exclusiveMinimum")
    high, longest = form.get("maximum"), form.get("maxLength")
    if "pattern" in form:
        return " `" + form["pattern"].replace("|", "\\|") + "`"
    if longest is not None:
        return f", at most {longest} characters"
    lowest = f" from {low}" if low is not None else f" above {above}" if above is not None else ""
    return lowest + (f" to {high}" if high is not None else "")


def _default(form: Schema) -> str:
    value = form.get("default", {})
    if isinstance(value, dict | list | tuple) or value == "":
        return "empty"
    return f"`{json.dumps(value)}`"


def _example(form: Schema) -> str:
    if "examples" in form:
        return f"`{json.dumps(form['examples'][0], ensure_ascii=False)}`"
    inner = next(choice for choice in form.get("anyOf", [form]) if choice.get("type") != "null")
    if "examples" in inner:
        return _example(inner)
    if words := [word for word in inner.get("enum", ()) if word]:
        return f"`{json.dumps(words[-1])}`"
    if inner.get("type") == "boolean":
        return "`true`"
    if any(True for _ in _objects(form)):
        return "see below"
    raise ValueError(f"no example: {form}")


def _line(text: str) -> str:
    return " ".join(text.split()).replace("``", "`").replace("|", "\\|").replace("<", "&lt;")
