"""Writes the events of ``examples/platforms/events`` into the guides: ``python -m scripts.guide_events [--check]``.

A line ``<!-- event STORY/FILE -->`` in a page is followed by the topic and the event of that file; this program
replaces both.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from schemas.registry import EVENTS as TYPES
from schemas.registry import TOPICS
from travelrule.pages import write_or_check

ROOT: Final = Path(__file__).parents[1]
EVENTS: Final = ROOT / "examples" / "platforms" / "events"
PAGE: Final = ROOT / "docs" / "guides" / "connect-a-platform.md"
MARK: Final = re.compile(
    r"<!-- event (?P<name>[\w/-]+) -->\n(?:(?:[A-Z][^\n]+:\n\n)?```json\n.*?\n```\n(?:\n(?=<!--))?)?", re.DOTALL
)
WIDTH: Final = 84
"""Characters of a line of code on the site."""


def filled(page: str) -> str:
    """Return the page with the event of each mark as it is now."""
    blocks = MARK.sub(lambda mark: f"<!-- event {mark['name']} -->\n{_shown(mark['name'])}\n", page)
    return blocks.replace("```\n<!-- event", "```\n\n<!-- event")


def named(page: str) -> list[str]:
    """Return the names of the events that a page shows."""
    return [mark["name"] for mark in MARK.finditer(page)]


def _shown(name: str) -> str:
    event = json.loads((EVENTS / f"{name}.json").read_text(encoding="utf-8"))
    topic = TOPICS[TYPES[event["type"]].topic]
    way = "Sent to" if topic.direction == "in" else "Received from"
    return f"{way} `{topic.name}`:\n\n```json\n{laid_out(event, 1)}\n```"


def laid_out(value: Any, indent: int, before: int = 0) -> str:
    """Return JSON in lines of at most ``WIDTH``, as few as fit. What does not fit on a line has its parts below it.

    ``before`` is the length of the key on the first line.
    """
    line = _text(value)
    if len(line) + indent + before <= WIDTH or not isinstance(value, dict | list):
        return line
    is_object = isinstance(value, dict)
    items = value.items() if is_object else (("", one) for one in value)
    keys = [(f"{_text(key)}: " if is_object else "", one) for key, one in items]
    parts = [key + laid_out(one, indent + 1, len(key)) for key, one in keys]
    lines = [parts[0]]
    for part in parts[1:]:
        taken = len(lines[-1]) + indent + (before if len(lines) == 1 else 0)
        fits = "\n" not in lines[-1] + part and taken + len(part) + 2 <= WIDTH
        lines[-1:] = [f"{lines[-1]}, {part}"] if fits else [f"{lines[-1]},", part]
    inner = "\n" + " " * indent
    return f"{'{' if is_object else '['}{inner.join(lines)}{'}' if is_object else ']'}"


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def main(arguments: Sequence[str] | None = None, path: Path = PAGE) -> int:
    """Write the events into the guide, or report whether it would change; return the exit code."""
    page = filled(path.read_text(encoding="utf-8"))
    return write_or_check("scripts.guide_events", "Events in the guide for platforms", page, path, arguments)


if __name__ == "__main__":
    sys.exit(main())
