"""The event reference shows events that the program takes, and every field of every event."""

import json
import re
from pathlib import Path

import pytest

from schemas.events.cloudevents import CloudEvent
from schemas.export import schema_of
from schemas.registry import EVENTS, TOPICS
from schemas.unexpressed_rules import BODY_RULES, EVENT_RULES
from scripts.events_page import example_of, type_and_form
from scripts.record_headers import DEAD_LETTER_HEADERS
from tests.house.source import WHEEL_ROOTS, python, text

PAGE = text(Path("docs/generated/events.md"))
SECTIONS = dict(re.findall(r"^## (\S+)\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL))


@pytest.mark.parametrize("event_type", sorted(EVENTS))
def test_an_event_is_shown_whole_and_valid(event_type: str) -> None:
    section = SECTIONS[event_type]
    spec = EVENTS[event_type]
    (shown,) = re.findall(r"```json\n(.*?)```", section, re.DOTALL)
    event = CloudEvent.from_wire(json.loads(shown))
    assert event.type == event_type
    assert spec.key_of(spec.model.from_wire(event.data)) == event.subject
    for fact in (f"- Topic: `{spec.topic}`", "- Way: ", "- Key: ", "- Sent: "):
        assert fact in section
    assert re.findall(r"^\| `([A-Za-z]+)` \|", section, re.MULTILINE) == list(
        schema_of(event_type, spec.model)["properties"]
    )


def test_the_fullest_example_is_shown() -> None:
    assert example_of("withdrawal.amended.v1").name == "valid-all-fields.json"


def test_every_object_and_rule_is_on_the_page() -> None:
    links = set(re.findall(r"\[([A-Za-z]+)\]\(#[a-z]+\)", PAGE))
    titles = set(re.findall(r"^### (\S+)$", PAGE, re.MULTILINE))
    assert links <= titles
    assert {"Destination", "NaturalPerson", "PostalAddress"} <= links
    assert all(rule.demand in PAGE for rule in (*EVENT_RULES, *BODY_RULES))


def test_every_topic_is_on_the_page_with_the_headers_of_dead_letters() -> None:
    assert [name for name in TOPICS if f"`{name}`" not in PAGE] == []
    assert [name for name in DEAD_LETTER_HEADERS if f"| `{name}` |" not in PAGE] == []


@pytest.mark.parametrize(
    ("field", "said"),
    [
        ({"type": "string", "minLength": 1, "maxLength": 200}, ("string", "1 to 200 characters")),
        ({"anyOf": [{"type": "boolean"}, {"type": "null"}]}, ("boolean", "")),
        ({"type": "array", "items": {"enum": ["a"]}, "minItems": 1}, ("array of string", "at least 1 entries; `a`")),
        ({"anyOf": [{"type": "integer", "minimum": 0, "maximum": 9}, {"const": ""}]}, ("integer", "from 0 to 9")),
    ],
)  # fmt: skip
def test_a_form_is_said_in_words(field: dict[str, object], said: tuple[str, str]) -> None:
    assert type_and_form(field) == said


def test_a_pattern_without_words_stops_the_page() -> None:
    with pytest.raises(KeyError):
        type_and_form({"type": "string", "pattern": "^new$"})


def test_event_types_that_the_code_names_exist() -> None:
    named = {
        (str(path), name)
        for path in python(*WHEEL_ROOTS, "scripts")
        for name in re.findall(r"[`\"]([a-z-]+\.[a-z-]+\.v[0-9]+)[`\"]", text(path))
    }
    assert {(path, name) for path, name in named if name not in EVENTS} == set()
