"""Every log call names an event of the table, at its level and with its fields; every event is logged somewhere."""

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.house.source import WHEEL_ROOTS, calls, dotted, python, tree
from travelrule.log_events import EVENTS
from travelrule.log_fields import FIELDS
from travelrule.logs import EVENT

TABLE = Path("travelrule/log_events.py")
LEVELS = {"log.debug", "log.info", "log.warning", "log.error"}
NOT_OURS = {"message", "place", "of", "times", "interval_seconds"}
"""Fields of lines that ``log_output`` makes itself."""


def log_calls() -> Iterator[tuple[str, str, str, set[str]]]:
    """Place, event, level and fields of each call with a written event."""
    for path in python(*WHEEL_ROOTS):
        for call in calls(path):
            if dotted(call.func) in LEVELS:
                (event,) = call.args
                assert isinstance(event, ast.Constant), f"{path}:{call.lineno}: write the event as a text"
                fields = {keyword.arg for keyword in call.keywords if keyword.arg}
                yield f"{path}:{call.lineno}", str(event.value), dotted(call.func).removeprefix("log."), fields


def test_every_log_call_is_as_the_table_says() -> None:
    wrong = [
        f"{place}: {event} at {level} with {sorted(fields)}: put it into travelrule/log_events.py, then make docs"
        for place, event, level, fields in log_calls()
        if event not in EVENTS or level not in EVENTS[event].levels or not fields <= set(EVENTS[event].fields)
    ]
    assert wrong == []


def test_every_event_of_the_table_is_logged() -> None:
    written = {
        node.value
        for path in python(*WHEEL_ROOTS)
        if path != TABLE
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    assert EVENTS.keys() - written == set()


def test_every_event_is_a_plain_name() -> None:
    assert [name for name in EVENTS if not EVENT.fullmatch(name)] == []


def test_every_field_of_the_table_has_a_shape() -> None:
    fields = {field for event in EVENTS.values() for field in event.fields}
    assert fields - FIELDS.keys() - NOT_OURS == set()


def test_facts_about_subjects_are_never_counted_away() -> None:
    assert [event.name for event in EVENTS.values() if event.counted and "subject" in event.fields] == []
