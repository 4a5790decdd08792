"""The guide for platforms shows each of its events once, exactly as the suite sends and receives it."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from pathlib import Path

from schemas.registry import EVENTS as TYPES
from schemas.registry import TOPICS
from scripts.guide_events import EVENTS, PAGE, WIDTH, filled, laid_out, main, named
from travelrule.commands.validate.answer import answer_to
from travelrule.commands.validate.event_file import RecordOptions, read_event_file

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
