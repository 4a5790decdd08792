"""Documents around the border of what is allowed: valid ones, and one change at one place."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import schemas
from schemas.export import documents, schema_of
from schemas.numbers import INTEGER_MAX

EXAMPLES = Path(schemas.__file__).parent / "examples"
MODELS = documents()

Place = tuple[Any, ...]

LENGTHS = (16, 35, 50, 70, 100, 200, 300, 500, 4000)
TEXTS = (
    "", " ", "x", "X", "x y", "x\n", "\n", "a\nb", "a\rb", "\x00", "a\x7f", "a\x85", "a\u00a0b", "é", "ß" * 50, "ſ",
    "K", "김", "😀", "null", "\ufeff", "a" * 64, "0" * 64, "A" * 88, "A" * 44, "RA000585", "RA00058", "ra000585",
    "wait-confirmed", "WAIT-CONFIRMED", "waıt-confirm", "SUCCESS", "ſUCCESS", "success", "FAILURE",
)  # fmt: skip
NUMBERS = (
    "0", "0.0", "00", "01", "1", "1.", ".5", "+1", "-1", "-0", "1e5", "1E-5", "1e+05", "0E-8", "0e5", "1e999",
    "1E-37", "1e1000", "1e", "1,5", "NaN", "Infinity", "1" * 30, "1" * 31, "0." + "1" * 36, "0." + "1" * 37,
    "0." + "0" * 35 + "1", "0x1", "٣", "1_0", " 1", "1 ", "1\n", "9" * 10, "9" * 11, "12",
)  # fmt: skip
TIMES = (
    "2026-11-20T09:00:00Z", "2026-11-20 09:00:00", "2026-11-20T09:00Z", "2026-11-20T09:00:00.512+09:00", "2026-11-20",
    "2026-11-20T09:00:00+0900", "2026-02-30T09:00:00Z", "2026-02-30", "0000-01-01", "2026-11-20T24:00:00Z",
    "20261120", "2026-11-20T25:00:00Z", "2026-W47-5", "20261120T090000Z", "2026-11-20t09:00:00z", "2026-11-20T09Z",
    "1990-2-3", "2026-11-20T09:00:00Z\n", "0001-01-01T00:00:00+14:00", "2026-11-20T09:00:00+99:99", "still holding",
)  # fmt: skip
WORDS = (
    "true", "TRUE", "False", "yes", "SE", "se", "S1", "SWE", "SE\n", "USD", "usd", "uſd", "SEK", "valid", "VALID",
    "Denied", "verified", "normal", "CANCELED", "confirmed", "allow", "Allow", "hold", "vasp", "unhosted", "wallet",
    "kyt", "HOME", "LEIX", "UNKNOWN", "unknown", "application/xml", " application/JSON ; charset=utf-8",
    "application/jſon", "text/json", "application/vnd.x+json", "application/json;\u00e9", "1.0", "credited",
    "north/t-1", "withdrawal:w-1",
)  # fmt: skip
OTHERS: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 1.0, 0.0, 1.5, -0.5, 7, 10**10 - 1, 10**10, INTEGER_MAX, INTEGER_MAX + 1, 2.0**63,
    1e300, {}, [], [None], [""], [{}], [[]], ["x"], ["XRP", "XRP"], [1], {"x": 1}, {"": ""}, {"natural": {}},
    {"natural": {"lastName": "x"}}, {"legal": {"name": "x"}}, ["x"] * 21, ["x"] * 101, ["x"] * 1001,
)  # fmt: skip


@cache
def candidates() -> tuple[Any, ...]:
    """Everything that is put at a place."""
    bounds = [sign * (length + more) for length in LENGTHS for more in (0, 1) for sign in ("x", "김")]
    return (*OTHERS, *TEXTS, *NUMBERS, *TIMES, *WORDS, *bounds)


@cache
def valid(name: str) -> tuple[Any, ...]:
    """Valid documents of a kind: the committed examples, and one with every field that has an example."""
    found = [json.loads(path.read_text(encoding="utf-8")) for path in sorted((EXAMPLES / name).glob("valid-*.json"))]
    kept = found if name == "cloudevent" else [event["data"] for event in found]
    return tuple(kept) or (from_field_examples(name),)


def from_field_examples(name: str) -> Any:
    """Build a document of a model from what its fields give as examples."""
    schema = schema_of(name, MODELS[name])
    return _sample(schema, schema.get("$defs", {}))


def _sample(schema: dict[str, Any], definitions: dict[str, Any]) -> Any:
    if "examples" in schema:
        return schema["examples"][0]
    if "$ref" in schema:
        return _sample(definitions[schema["$ref"].rpartition("/")[2]], definitions)
    if "const" in schema or "enum" in schema:
        return schema.get("const", schema.get("enum", [None])[0])
    if "properties" in schema:
        fields = schema["properties"].items()
        return {key: _sample(field, definitions) for key, field in fields if field.keys() != {"description"}}
    for branch in schema.get("anyOf", ()):
        return _sample(branch, definitions)
    return {
        "array": lambda: [_sample(schema["items"], definitions)],
        "object": dict,
        "boolean": lambda: True,
        "string": lambda: "true",
    }[schema["type"]]()


def places(value: Any, path: Place = ()) -> Iterator[Place]:
    """Every place inside a JSON value."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield (*path, key)
        yield from places(inner, (*path, key))


def replaced(value: Any, place: Place, new: Any) -> Any:
    """The document with something else at one place."""
    changed = copy.deepcopy(value)
    _parent(changed, place)[place[-1]] = new
    return changed


def without(value: Any, place: Place) -> Any:
    """The document without one field or item."""
    changed = copy.deepcopy(value)
    del _parent(changed, place)[place[-1]]
    return changed


def _parent(value: Any, place: Place) -> Any:
    for step in place[:-1]:
        value = value[step]
    return value


def other_names(name: str) -> tuple[str, ...]:
    """Names that no schema lists, and those that the fields have in Python."""
    return ("unknownField", *MODELS[name].model_fields)
