"""The AsyncAPI document: it fits the published schema, is complete, and its payload schemas read the examples."""

from __future__ import annotations

import copy
import json
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator

from schemas.registry import EVENTS, TOPICS
from scripts.asyncapi import DEAD_LETTER, asyncapi_document
from scripts.record_headers import DEAD_LETTER_HEADERS
from streams.dead_letter_headers import DeadLetterHeaders
from streams.topics import Topics
from travelrule.machine.input import RawMessage, Rejected

DATA = Path(__file__).parents[1] / "data" / "asyncapi"
EXAMPLES = Path(__file__).parents[2] / "schemas" / "examples"
MANIFEST: dict[str, dict[str, Any]] = json.loads((EXAMPLES / "manifest.json").read_text(encoding="utf-8"))


@cache
def document() -> dict[str, Any]:
    return asyncapi_document()


@cache
def published() -> Draft7Validator:
    return Draft7Validator(json.loads((DATA / "3.1.0-without-id.json").read_text(encoding="utf-8")))


def payload_of(event_type: str) -> Draft7Validator:
    payload = document()["components"]["messages"][event_type]["payload"]
    return Draft7Validator({**payload, "components": document()["components"]})


def test_it_fits_the_published_schema() -> None:
    assert [error.message for error in published().iter_errors(document())] == []


@pytest.mark.parametrize(
    ("place", "name", "value"),
    [
        (("channels", "verdicts"), "adress", "x"),
        (("channels", "verdicts", "bindings", "kafka"), "partitions", "12"),
        (("operations", "sendVerdicts"), "action", "publish"),
        (("info",), "version", 1),
    ],
)
def test_the_published_schema_refuses_a_wrong_document(place: tuple[str, ...], name: str, value: Any) -> None:
    wrong = copy.deepcopy(document())
    part = wrong
    for step in place:
        part = part[step]
    part[name] = value
    assert not published().is_valid(wrong)


def test_it_has_every_topic_and_every_type_once() -> None:
    channels = document()["channels"]
    assert list(channels) == list(TOPICS)
    shown = [name for channel in channels.values() for name in channel["messages"]]
    assert sorted(shown) == sorted([*EVENTS, "tombstone", DEAD_LETTER])
    assert sorted(document()["components"]["messages"]) == sorted(shown)
    actions = {one["channel"]["$ref"].rpartition("/")[2]: one["action"] for one in document()["operations"].values()}
    assert actions == {name: "receive" if topic.direction == "in" else "send" for name, topic in TOPICS.items()}


def references(value: Any) -> set[str]:
    if isinstance(value, dict):
        own = {value["$ref"]} if isinstance(value.get("$ref"), str) else set()
        return own.union(*(references(inner) for inner in value.values()))
    return set().union(*(references(inner) for inner in value)) if isinstance(value, list) else set()


def test_every_reference_leads_somewhere() -> None:
    found = references(document())
    assert len(found) > len(EVENTS)
    for reference in found:
        part: Any = document()
        for step in reference.removeprefix("#/").split("/"):
            assert step in part, reference
            part = part[step]


@pytest.mark.parametrize("event_type", EVENTS)
def test_a_payload_reads_the_valid_examples_and_refuses_the_others(event_type: str) -> None:
    validator, folder = payload_of(event_type), EXAMPLES / event_type
    valid = [json.loads(path.read_bytes()) for path in sorted(folder.glob("valid-*.json"))]
    assert valid
    assert [error.message for event in valid for error in validator.iter_errors(event)] == []
    assert not validator.is_valid({**valid[0], "type": "another.type.v1"})
    refused = [
        path for path in folder.glob("rejected-*.json") if MANIFEST[f"{event_type}/{path.name}"]["schemaRejects"]
    ]
    assert [path.name for path in refused if validator.is_valid(json.loads(path.read_bytes()))] == []


def test_the_headers_of_a_dead_letter_are_those_that_are_written() -> None:
    rejected = Rejected(RawMessage("withdrawals", 0, 7, b"key", b"value"), "INVALID_JSON")
    moment = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
    written = {name for name, _ in DeadLetterHeaders(Topics("travelrule."))(rejected, moment)}
    assert written | {"travelrule.dead_letter.id"} == set(DEAD_LETTER_HEADERS)  # the relay's, by the stored letter
