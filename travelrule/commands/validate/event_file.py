"""A file of events as the records that a producer would send: one event, or one on each line."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from schemas.registry import EVENTS, TOPICS
from streams.codec import SIZE_MAX
from streams.named_events import readable_attributes
from travelrule.errors import UsageError
from travelrule.given_files import reason_of
from travelrule.machine.input import RawMessage

STDIN = Path("-")
INPUTS = tuple(name for name, spec in TOPICS.items() if spec.direction == "in")
Header = tuple[str, bytes]
STRUCTURED: tuple[Header, ...] = (("content-type", b"application/cloudevents+json"),)


@dataclass(frozen=True, slots=True)
class RecordOptions:
    """What a file does not say. ``topic`` (without prefix) None: that of the event's type; ``key`` None: the event's
    subject; ``headers``: of binary mode, where the file is the data of one event, else of structured mode.
    """

    topic: str | None = None
    key: str | None = None
    headers: tuple[Header, ...] = STRUCTURED

    @classmethod
    def parse(cls, topic: str | None, key: str | None, headers: Sequence[str]) -> RecordOptions:
        """Read the options of a command. Raise ``UsageError``."""
        if topic is not None and topic not in INPUTS:
            raise UsageError(f"--topic must be an input topic without its prefix: {', '.join(INPUTS)}")
        pairs = [header.partition("=") for header in headers]
        if not all(name and equals for name, equals, _ in pairs):
            raise UsageError("--header must be NAME=VALUE, for example ce_type=withdrawal.requested.v1")
        return cls(topic, key, tuple((name, value.encode()) for name, _, value in pairs) or STRUCTURED)


@dataclass(frozen=True, slots=True)
class FileRecord:
    """One record and its line in the file, from 1. ``topic_known``: the options or the type name its topic."""

    line: int
    raw: RawMessage
    topic_known: bool = True

    @property
    def topic(self) -> str:
        """The topic without prefix."""
        return self.raw.topic


def read_event_file(path: Path, options: RecordOptions) -> list[FileRecord]:
    """Return the records of a file, ``-`` for standard input. Raise ``UsageError`` if it is not readable or empty."""
    try:
        content = sys.stdin.buffer.read() if path == STDIN else path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path}: {reason_of(error)}") from None
    records = [_record(line, value, options) for line, value in _values(content, options)]
    if not records:
        raise UsageError(f"{path}: holds no event; write one JSON object, or one on each line")
    return records


def record_of(value: bytes | None, topic: str, key: str) -> FileRecord:
    """Return the record of an event that a command has made."""
    return FileRecord(1, RawMessage(topic, 0, 0, key.encode(), value, STRUCTURED if value is not None else ()))


def _values(content: bytes, options: RecordOptions) -> Iterator[tuple[int, bytes]]:
    """Yield each value with its line. Lines that all begin with ``{`` are one event each; a value in binary mode and an
    event that is written over several lines are one value.
    """
    lines = [(number, line.strip()) for number, line in enumerate(content.split(b"\n"), 1) if line.strip()]
    if options.headers != STRUCTURED or not all(line.startswith(b"{") for _, line in lines):
        lines = [(1, content)] if lines else []
    yield from lines


def _record(line: int, value: bytes, options: RecordOptions) -> FileRecord:
    probe = RawMessage("", 0, 0, None, value, options.headers)
    attributes = readable_attributes(probe, SIZE_MAX)
    spec = EVENTS.get(str(attributes.get("type")))
    topic = options.topic or (spec.topic if spec and spec.topic in INPUTS else None)
    subject = attributes.get("subject")
    key = options.key if options.key is not None else subject if isinstance(subject, str) else None
    raw = RawMessage(topic or INPUTS[0], 0, line - 1, _utf8(key), value, options.headers)
    return FileRecord(line, raw, topic_known=topic is not None)


def _utf8(key: str | None) -> bytes | None:
    return None if key is None else key.encode(errors="replace")
