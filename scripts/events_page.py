"""The event reference, generated from the registry, the docstrings of the models and the committed examples."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final

import schemas
from schemas.events.cloudevents import JSON_TYPE_PATTERN
from schemas.export import documents, schema_of
from schemas.input_forms import ABSENT
from schemas.moments import DATE_PATTERN, TIME_PATTERN
from schemas.numbers import AMOUNT_PATTERN, INTEGER_MAX
from schemas.registry import EVENTS, TOPICS, EventSpec
from schemas.texts import COUNTRY_PATTERN
from schemas.unexpressed_rules import BODY_RULES, EVENT_RULES, UnexpressedRule
from scripts.record_headers import DEAD_LETTER_HEADERS

EXAMPLES: Final = Path(schemas.__file__).parent / "examples"
HEAD: Final = ("Field", "Type", "Required", "Form", "Description", "Example")

Schema = dict[str, Any]
Row = tuple[str, ...]

FORMS: Final = {
    AMOUNT_PATTERN: "decimal number, at most 30 digits, a point, at most 36 digits; an exponent is read",
    COUNTRY_PATTERN: "two letters in any case",
    DATE_PATTERN: "YYYY-MM-DD",
    TIME_PATTERN: "ISO 8601, with or without seconds and zone",
    JSON_TYPE_PATTERN: "media type of JSON in any case",
    r"^RA[0-9]{6}$": "`RA` and 6 digits",
    r"^[0-9]{1,10}$": "1 to 10 digits",
    r"^[A-Z][A-Z0-9_]*$": "capitals, digits, `_`",
    r"^[a-z][a-z0-9-]*$": "small letters, digits, `-`",
    r"^[A-Za-z][A-Za-z0-9_-]*$": "letters, digits, `_`, `-`",
    r"^[A-Za-z][A-Za-z0-9_.\[\]]*$": "path of field names and indexes",
    r"^[0-9a-f]{64}$": "64 hexadecimal digits in small letters",
}
"""The meaning of each pattern of an event in words; a test fails for a pattern without words."""

FORBIDDEN: Final = {
    r"[\x00-\x1f\x7f-\x9f]": "no control characters",
    r"[\x00-\x20\x7f-\xa0]": "no blanks or control characters",
    r"[\x00]": "any text, lines included",
    r"\n": "",
}

INTRO: Final = """\
Events are CloudEvents 1.0 in JSON on Kafka: the attributes of the envelope below, and `data` in the form that belongs
to `type`. Topics are named without their prefix (`travelrule.` unless `TRAVELRULE_TOPIC_PREFIX` is set); partitions and
retention are in [topics.md](topics.md). The JSON Schema of each type is in `schemas/jsonschema`, more examples are in
`schemas/examples`. Fields that are not listed are ignored. An optional field may be left out; null, `""` and `{}` mean
the same where the schema lists them. Texts are counted in characters. For tools: the topics with all messages as an
AsyncAPI 3.1 document, [asyncapi.json](asyncapi.json)."""


RECORDS: Final = """\
The key of a record is the id in UTF-8. In structured mode the value is the whole event; the header `content-type` is
`application/cloudevents+json`, or there are no such headers at all. In binary mode the value is `data`, the attributes
are headers (`ce_specversion`, `ce_id`, `ce_source`, `ce_type`, `ce_subject`, `ce_time`), and `content-type` is the
media type of `data`. Both are read; structured mode is written. A record without value (tombstone) is read on
`wallets` alone. The header `traceparent` counts where the event has none."""

DEAD_LETTERS: Final = """\
A message that cannot be processed is put on `deadletters` with its key, its headers and the headers below. The value
is sealed; with `TRAVELRULE_DEADLETTER_PLAIN` it is the value as it came. None of the headers quotes the message. What
to do for each code: [platform actions](platform-actions.md#dead-letters)."""


def events_page() -> str:
    """Return the page without its header and title."""
    parts = [INTRO, _contents(), "## Records", RECORDS, "## Envelope", _object(_schema("cloudevent"))]
    for spec in EVENTS.values():
        parts += _event(spec)
    parts += ["## Objects", "What several events hold."]
    for name, schema in sorted(_shared().items()):
        parts += [f"### {name}", _object(schema)]
    parts += ["## Dead letters", DEAD_LETTERS, table(("Header", "Meaning"), _headers())]
    parts += ["## What the schemas cannot say", _rules(EVENT_RULES)]
    parts += ["Of the bodies that the gateway and the hub take:", _rules(BODY_RULES)]
    return "\n\n".join(parts) + "\n"


def example_of(event_type: str) -> Path:
    """Return the fullest of the valid examples of an event type."""
    found = sorted((EXAMPLES / event_type).glob("valid-*.json"))
    return max(found, key=lambda path: (sum(1 for _ in _leaves(json.loads(path.read_bytes()))), path.name))


def _leaves(value: Any) -> Iterator[Any]:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    if inner is None:
        yield value
    else:
        for one in inner:
            yield from _leaves(one)


def _contents() -> str:
    rows = [
        (f"[`{spec.type}`](#{_anchor(spec.type)})", f"`{spec.topic}`", TOPICS[spec.topic].direction, _when(spec))
        for spec in EVENTS.values()
    ]
    return table(("Type", "Topic", "Way", "When"), rows)


def _event(spec: EventSpec) -> list[str]:
    topic = TOPICS[spec.topic]
    facts = (
        ("Topic", f"`{spec.topic}`" + (", compacted" if topic.compacted else "")),
        ("Way", "to this program" if topic.direction == "in" else "from this program"),
        ("Key", _escaped(topic.key_field)),
        ("Sent", _when(spec)),
    )
    event = example_of(spec.type).read_text(encoding="utf-8").rstrip()
    return [
        f"## {spec.type}",
        "\n".join(f"- {name}: {text}" for name, text in facts),
        _fields(_schema(spec.type)),
        f"```json\n{event}\n```",
    ]


def _when(spec: EventSpec) -> str:
    description: str = _schema(spec.type)["description"]
    said = description.partition(": ")[2].removeprefix("sent ")
    return said[0].upper() + said[1:]


@cache
def _schema(name: str) -> Schema:
    return schema_of(name, documents()[name])


def _shared() -> dict[str, Schema]:
    return {name: part for spec in EVENTS.values() for name, part in _schema(spec.type).get("$defs", {}).items()}


def _object(schema: Schema) -> str:
    return f"{schema['description']}\n\n{_fields(schema)}"


def _fields(schema: Schema) -> str:
    required = schema.get("required", ())
    rows = []
    for name, field in schema["properties"].items():
        kind, form = type_and_form(field)
        example = json.dumps(field["examples"][0], ensure_ascii=False) if "examples" in field else ""
        needed = "yes" if name in required else "no"
        shown = f"`{example}`" if example else ""
        rows.append((f"`{name}`", kind, needed, _escaped(form), _escaped(field["description"]), _escaped(shown)))
    return table(HEAD, rows)


def type_and_form(field: Schema) -> tuple[str, str]:
    """Return the content of a field in words: its JSON type, and the form of the value."""
    branches = [one for one in field.get("anyOf", [field]) if one not in ABSENT and one.keys() != {"description"}]
    said = [_one(branch) for branch in branches]
    kinds = list(dict.fromkeys(kind for kind, _ in said))
    return " or ".join(kinds) or "any", "; ".join(dict.fromkeys(form for _, form in said if form))


def _one(schema: Schema) -> tuple[str, str]:
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{_anchor(name)})", ""
    if "enum" in schema or "const" in schema:
        words = schema.get("enum", [schema.get("const")])
        return "string", ", ".join(f"`{word}`" for word in words)
    kind = schema["type"]
    if kind == "array":
        inner, form = type_and_form(schema["items"])
        return f"array of {inner}", "; ".join(part for part in (_range(schema, "Items", "entries"), form) if part)
    if kind == "integer":
        most = schema.get("maximum", INTEGER_MAX)
        return kind, f"from {schema['minimum']}" + (f" to {most}" if most < INTEGER_MAX else "")
    return kind, _text(schema) if kind == "string" else ""


def _text(schema: Schema) -> str:
    pattern, forbidden = schema.get("pattern"), schema.get("not", {}).get("pattern")
    parts = [
        "more than 0" if "allOf" in schema else "",
        FORMS[pattern] if pattern else "",
        _range(schema, "Length", "characters"),
        FORBIDDEN[forbidden] if forbidden else "",
    ]
    return ", ".join(part for part in parts if part)


def _range(schema: Schema, what: str, unit: str) -> str:
    least, most = schema.get(f"min{what}", 0), schema.get(f"max{what}")
    if most is None:
        return f"at least {least} {unit}" if least else ""
    if not least:
        return f"at most {most} {unit}"
    return f"{least} to {most} {unit}" if least != most else f"{most} {unit}"


def _headers() -> Iterator[Row]:
    return ((f"`{name}`", meaning) for name, meaning in DEAD_LETTER_HEADERS.items())


def _rules(rules: Iterable[UnexpressedRule]) -> str:
    rows = [(f"`{rule.code}`", rule.where, rule.demand, rule.why) for rule in rules]
    return table(("Refused with", "Where", "Demands", "Why no schema says it"), rows)


def _anchor(title: str) -> str:
    return "".join(sign for sign in title.lower() if sign.isalnum() or sign in "-_")


def _escaped(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")


def table(head: Row, rows: Iterable[Row]) -> str:
    """Return a Markdown table without a line break at its end."""
    return "\n".join(f"| {' | '.join(line)} |" for line in (head, tuple("---" for _ in head), *rows))
