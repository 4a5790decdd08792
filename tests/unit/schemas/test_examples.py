from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import orjson
import pytest
from jsonschema import Draft202012Validator
from pydantic import ValidationError

import schemas
from schemas.events.cloudevents import CloudEvent
from schemas.field_faults import field_faults
from schemas.registry import EVENTS
from schemas.wire_model import Wire

ROOM = Path(schemas.__file__).parent
EXAMPLES = ROOM / "examples"
MANIFEST: dict[str, dict[str, Any]] = json.loads((EXAMPLES / "manifest.json").read_text(encoding="utf-8"))
VALID = sorted(f"{path.parent.name}/{path.name}" for path in EXAMPLES.glob("*/valid-*.json"))
REJECTED = sorted(f"{path.parent.name}/{path.name}" for path in EXAMPLES.glob("*/rejected-*.json"))


@cache
def json_schema(name: str) -> Draft202012Validator:
    return Draft202012Validator(json.loads((ROOM / "jsonschema" / f"{name}.json").read_text(encoding="utf-8")))


def load(example: str) -> tuple[str, type[Wire], Any]:
    """The schema's name, the model and the value that the example is about: the data, or the envelope itself."""
    folder = example.partition("/")[0]
    event = json.loads((EXAMPLES / example).read_text(encoding="utf-8"))
    if folder == "cloudevent":
        return folder, CloudEvent, event
    assert event["type"] == folder
    CloudEvent.model_validate(event)
    return folder, EVENTS[folder].model, event["data"]


@pytest.mark.parametrize("example", VALID)
def test_a_valid_example_passes_model_and_json_schema_and_comes_back(example: str) -> None:
    name, model, value = load(example)
    json_schema(name).validate(value)
    read = model.model_validate(value)
    written = orjson.dumps(read.to_wire())
    assert orjson.dumps(model.model_validate_json(written).to_wire()) == written
    json_schema(name).validate(json.loads(written))


@pytest.mark.parametrize("example", REJECTED)
def test_a_rejected_example_has_the_fault_that_the_manifest_names(example: str) -> None:
    expected = MANIFEST[example]
    name, model, value = load(example) if not example.startswith("cloudevent") else _envelope(example)
    with pytest.raises(ValidationError) as refused:
        model.model_validate(value)
    assert [(fault.code, fault.path) for fault in field_faults(refused.value)] == [(expected["code"], expected["path"])]
    assert json_schema(name).is_valid(value) is not expected["schemaRejects"]


def _envelope(example: str) -> tuple[str, type[Wire], Any]:
    return "cloudevent", CloudEvent, json.loads((EXAMPLES / example).read_text(encoding="utf-8"))


def test_every_type_has_a_valid_and_a_rejected_example_and_the_manifest_is_complete() -> None:
    wanted = {*EVENTS, "cloudevent"}
    assert {example.partition("/")[0] for example in VALID} == wanted
    assert {example.partition("/")[0] for example in REJECTED} == wanted
    assert set(REJECTED) == MANIFEST.keys()
