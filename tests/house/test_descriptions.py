"""Every field that the exported schemas show is described; what integrators read is no repetition of the name."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from schemas.export import documents, schema_of
from scripts.world_page import world_schema
from travelrule.gateway.openapi import openapi_document
from travelrule.hub.openapi import hub_openapi

WORDS_MIN = 4
EMPTY = {"a", "an", "the", "of", "is", "this", "that", "field", "value", "it"}


def properties(schema: Any, path: str = "") -> Iterator[tuple[str, str, Any]]:
    """Every property at any depth, conditions included: its path, its name, its schema."""
    if isinstance(schema, list):
        for place, one in enumerate(schema):
            yield from properties(one, f"{path}[{place}]")
        return
    if not isinstance(schema, dict):
        return
    for key, inner in schema.items():
        if key == "properties" and isinstance(inner, dict):
            for name, field in inner.items():
                yield f"{path}.{name}", name, field
        yield from properties(inner, f"{path}.{key}")


def says_little(name: str, description: str) -> bool:
    words = re.findall(r"[\w'-]+", description.lower())
    of_name = {word.lower() for word in re.findall(r"[A-Za-z][a-z]*|[A-Z]+", name)}
    telling = [word for word in words if word not in of_name and word not in EMPTY]
    return len(words) < WORDS_MIN or len(telling) < WORDS_MIN - 1


def faults(schema: Any) -> list[str]:
    return [
        path
        for path, name, field in properties(schema)
        if not isinstance(field, dict)
        or says_little(name, field.get("description", ""))
        or not field["description"].rstrip("`").endswith((".", ")"))
    ]


@pytest.mark.parametrize("name", sorted(documents()))
def test_every_field_of_an_event_or_body_is_described(name: str) -> None:
    schema = schema_of(name, documents()[name])
    assert list(properties(schema))
    assert faults(schema) == []


def test_every_field_of_the_bodies_of_gateway_and_hub_is_described() -> None:
    assert faults(openapi_document()["components"]) == []
    assert faults(hub_openapi()["components"]) == []


@pytest.mark.parametrize("name", sorted(documents()))
def test_every_document_and_every_part_of_it_says_what_it_is(name: str) -> None:
    schema = schema_of(name, documents()[name])
    parts = {name: schema, **schema.get("$defs", {})}
    assert [part for part, one in parts.items() if len(one.get("description", "").split()) < WORDS_MIN] == []


def test_docstrings_leave_no_marks_of_their_own() -> None:
    shown = {name: schema_of(name, model) for name, model in documents().items()}
    for name, schema in {**shown, "world": world_schema(), "openapi": openapi_document(), "hub": hub_openapi()}.items():
        written = json.dumps(schema)
        assert "``" not in written, name
        assert "Example:" not in written, name


@pytest.mark.parametrize(
    ("name", "description"),
    [
        ("transferId", ""),
        ("transferId", "The transfer id."),
        ("vaspEntityId", "This is the VASP entity id field."),
        ("amount", "An amount."),
    ],
)
def test_a_description_that_repeats_the_name_is_noticed(name: str, description: str) -> None:
    assert faults({"properties": {name: {"type": "string", "description": description}}}) == [f".{name}"]


def test_a_field_without_description_is_noticed_at_any_depth() -> None:
    schema = {"$defs": {"A": {"anyOf": [{"properties": {"x": {"type": "string"}}}]}}}
    assert faults(schema) == [".$defs.A.anyOf[0].x"]
