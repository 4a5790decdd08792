"""The guide for platforms shows each of its events once, exactly as the suite sends and receives it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from schemas.registry import EVENTS as TYPES
from schemas.registry import TOPICS
from scripts.guide_events import EVENTS, PAGE, WIDTH, filled, laid_out, main, named
from travelrule.commands.validate.answer import answer_to
from travelrule.commands.validate.event_file import RecordOptions, read_event_file

CLIENTS = EVENTS.parent
BLOCK = re.compile(r"<!-- event ([\w/-]+) -->\n[^\n]+:\n\n```json\n(.*?)\n```", re.DOTALL)


def test_the_guide_shows_the_events_as_they_are(tmp_path: Path) -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert main(["--check"]) == 0, "run python -m scripts.guide_events"
    shown = {name: json.loads(block) for name, block in BLOCK.findall(page)}
    files = {str(path.relative_to(EVENTS).with_suffix("")): path for path in EVENTS.rglob("*.json")}
    assert shown == {name: json.loads(path.read_bytes()) for name, path in files.items()}
    assert sorted(named(page)) == sorted(files)
    stale = tmp_path / "guide.md"
    stale.write_text(page.replace('"amount": "250.5"', '"amount": "250.6"', 1), encoding="utf-8")
    assert main(["--check"], stale) == 1
    assert main([], stale) == 0
    assert stale.read_text(encoding="utf-8") == page


def test_the_steps_of_a_flow_are_in_their_order() -> None:
    order = [name.split("/") for name in named(PAGE.read_text(encoding="utf-8"))]
    for story in {story for story, _ in order}:
        numbers = [int(step.partition("-")[0]) for name, step in order if name == story]
        assert numbers == list(range(1, len(numbers) + 1)), story


def test_a_worker_accepts_what_the_guide_sends_except_what_it_shows_as_refused() -> None:
    refused, now = [], datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
    for path in sorted(EVENTS.rglob("*.json")):
        if TOPICS[TYPES[json.loads(path.read_bytes())["type"]].topic].direction == "in":
            (record,) = read_event_file(path, RecordOptions.parse(None, None, ()))
            refused += [] if answer_to(record, now).is_accepted else [str(path.relative_to(EVENTS))]
    assert refused == ["withdrawal-rejected/1-requested.json"]


def test_json_is_laid_out_without_a_change() -> None:
    for path in EVENTS.rglob("*.json"):
        event = json.loads(path.read_bytes())
        text = laid_out(event, 1)
        assert json.loads(text) == event
        assert max(map(len, text.splitlines())) <= WIDTH + 20
    assert filled("<!-- event nothing") == "<!-- event nothing"


def test_the_orders_of_the_clients_are_where_the_commands_look_and_are_accepted(tmp_path: Path) -> None:
    commands = re.findall(r"(\S*orders/\*\.json)", (CLIENTS / "README.md").read_text(encoding="utf-8"))
    assert len(commands) == len(("java", "node", "python"))
    orders = {command: sorted((CLIENTS / "python").glob(command)) for command in commands}
    assert all(orders.values())
    sent = [one for path in orders[commands[0]] for one in wanted_events(json.loads(path.read_bytes()))]
    assert {one["type"] for one in sent} == {"withdrawal.requested.v1", "withdrawal.amended.v1"}
    (tmp_path / "events").write_text("\n".join(map(json.dumps, sent)), encoding="utf-8")
    records = read_event_file(tmp_path / "events", RecordOptions.parse(None, None, ()))
    assert [answer_to(record, datetime(2026, 11, 20, 9, 0, tzinfo=UTC)).is_accepted for record in records] == [
        True for _ in sent
    ]


def wanted_events(order: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The events that start an order, and the amendments that its answers lead to."""
    key = order["events"][0]["data"]["withdrawalId"]
    amended = [
        {"type": "withdrawal.amended.v1", "data": {"withdrawalId": key, **one}} for one in order["answers"].values()
    ]
    for number, one in enumerate([*order["events"], *amended]):
        yield {"specversion": "1.0", "id": f"{key}-{number}", "source": "/platform", "subject": key, **one}
