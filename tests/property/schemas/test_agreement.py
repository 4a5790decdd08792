"""The exported schemas and the program agree: what one takes the other takes, over documents near the border."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from functools import cache
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator, FormatChecker
from pydantic import ValidationError

from schemas.export import FOLDER, schema_of
from schemas.field_faults import FieldFault, field_faults
from schemas.registry import EVENTS, TOPICS
from schemas.unexpressed_rules import EVENT_RULES
from streams.codec import read
from tests.property.schemas.documents import (
    EXAMPLES,
    MODELS,
    candidates,
    from_field_examples,
    other_names,
    places,
    replaced,
    valid,
    without,
)
from travelrule.machine.input import RawMessage, Rejected

MODEL_RULES = {"INVALID_AMOUNT", "INVALID_TIME"}
"""What a model refuses although its schema, with formats checked, allows it."""

INBOUND = sorted(name for name, spec in EVENTS.items() if TOPICS[spec.topic].direction == "in")
PAIRS = 2
DRAWS = 60


@cache
def validator(name: str) -> Draft202012Validator:
    schema = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return Draft202012Validator(schema, format_checker=FormatChecker(["date"]))


def fault_of(name: str, value: Any) -> FieldFault | None:
    try:
        MODELS[name].from_wire(value)
    except ValidationError as refused:
        return field_faults(refused)[0]
    return None


def changed(data: st.DataObject, name: str) -> Any:
    """A valid document with one or two changes."""
    value = data.draw(st.sampled_from(valid(name)))
    for _ in range(data.draw(st.integers(1, PAIRS))):
        found = list(places(value))
        kind = data.draw(st.sampled_from(("replace", "replace", "replace", "remove", "add")))
        if kind == "add" or not found:
            value = {**value, data.draw(st.sampled_from(other_names(name))): data.draw(st.sampled_from(candidates()))}
        elif kind == "remove":
            value = without(value, data.draw(st.sampled_from(found)))
        else:
            value = replaced(value, data.draw(st.sampled_from(found)), data.draw(st.sampled_from(candidates())))
    return value


@pytest.mark.parametrize("name", sorted(MODELS))
def test_every_valid_document_passes_both(name: str) -> None:
    for value in (*valid(name), *(() if name == "cloudevent" else (from_field_examples(name),))):
        if "legal" not in str(value):  # a person built from all fields is two persons
            validator(name).validate(value)
            assert fault_of(name, value) is None


@pytest.mark.parametrize("name", sorted(MODELS))
@settings(max_examples=DRAWS, deadline=None)
@given(st.data())
def test_schema_and_program_take_the_same(name: str, data: st.DataObject) -> None:
    value = changed(data, name)
    fault, allowed = fault_of(name, value), validator(name).is_valid(value)
    if fault is None:
        assert allowed, f"{name}: the program takes what the schema refuses"
    elif allowed:
        assert fault.code in MODEL_RULES, f"{name}: the schema takes what the program refuses: {fault}"


@pytest.mark.parametrize("name", sorted(MODELS))
def test_every_field_is_tried_with_every_json_type(name: str) -> None:
    """One value of each type in each field: what hypothesis may not draw in a single run."""
    (value, *_) = valid(name)
    kinds: tuple[Any, ...] = (None, True, 0, 7, 1.0, 1.5, -1, "", "x", {}, {"x": 1}, [], ["x"], [None])
    fields = {place[-2:]: place for place in places(value)}  # a name of a person is the same field in each person
    for place in fields.values():
        for kind in kinds:
            tried = replaced(value, place, kind)
            assert validator(name).is_valid(tried) is (fault_of(name, tried) is None), (place, kind)


@pytest.mark.parametrize("name", INBOUND)
@settings(max_examples=DRAWS, deadline=None)
@given(st.data())
def test_the_worker_takes_what_the_schemas_allow_but_for_the_listed_rules(name: str, data: st.DataObject) -> None:
    """The way from bytes to an input, envelope included; the key is the id in the data, as a platform sends it."""
    content = changed(data, name)
    spec = EVENTS[name]
    key = str(content.get(spec.key_field, ""))
    key = key.partition(":")[2] or key if spec.key_field == "subject" else key
    event = {
        "specversion": "1.0",
        "id": "e-1",
        "source": "/platform",
        "type": name,
        "time": "2026-11-20T09:00:00Z",
        "subject": key,
        "data": content,
    }
    raw = RawMessage(spec.topic, 0, 0, key.encode(), orjson.dumps(event), ())
    taken = read(raw, spec.topic, received_at=datetime(2026, 11, 20, tzinfo=UTC))
    allowed = validator("cloudevent").is_valid(event) and validator(name).is_valid(content)
    if not isinstance(taken, Rejected):
        assert allowed, f"{name}: the worker takes what the schemas refuse"
    elif allowed:
        assert taken.code in {rule.code for rule in EVENT_RULES}, f"{name}: {taken.code} {taken.field}"


def test_the_examples_reach_every_document() -> None:
    """A kind without valid documents would make the tests above pass without testing."""
    assert {name for name in MODELS if valid(name)} == set(MODELS)
    assert {path.name for path in EXAMPLES.iterdir() if path.is_dir()} == {*EVENTS, "cloudevent"}


def test_the_border_is_reached_from_both_sides() -> None:
    """Of each kind of change some are accepted and some refused; else the generator proves nothing."""
    (value,) = valid("hub.TxidReportRequest")
    outcomes = {
        (place[0], fault_of("hub.TxidReportRequest", replaced(value, place, one)) is None)
        for place in places(value)
        for one in candidates()
    }
    assert outcomes == {(field, taken) for field in value for taken in (True, False)}


def test_the_schema_of_a_name_is_the_exported_one() -> None:
    assert validator("deposit.detected.v1").schema == schema_of("deposit.detected.v1", MODELS["deposit.detected.v1"])
