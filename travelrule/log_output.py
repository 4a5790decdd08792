"""How log records become lines: ours with checked fields, those of libraries without what they quote.

A library's message is written with the arguments that ``library_messages`` lets through. A message that was put
together before it was logged may quote a row, a request or an exception, so only its place is written. Exceptions are
class, code and place: the text of a database error quotes parameters (``DETAIL: Key (name)=(...)``), that of a decoding
error quotes the input. Lines of libraries, and those of ours that may come in great number, go through
``repeated_lines``.
"""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import PurePath
from typing import TextIO

import orjson
from rich.console import Console
from rich.text import Text

from travelrule.library_messages import LibraryMessages
from travelrule.log_fields import Line, describe
from travelrule.repeated_lines import INTERVAL_SECONDS, RepeatedLines, Summary

ATTRIBUTE = "travelrule_line"
"""The attribute of a record in which our logger hands over the event and its checked fields."""
COUNTED = "travelrule_counted"
"""The attribute that says whether our line is counted when it is repeated."""

OURS = "travelrule"
_STYLES = {"debug": "dim", "info": "green", "warning": "yellow", "error": "bold red", "critical": "bold red"}

Write = Callable[[Line], None]


class LineHandler(logging.Handler):
    """Writes each record as a line, and repeated ones as a count: once an interval, and when it is closed."""

    def __init__(self, write: Write, messages: LibraryMessages, interval: float = INTERVAL_SECONDS) -> None:
        super().__init__()
        self._write = write
        self._messages = messages
        self._interval = interval
        self._libraries = RepeatedLines(interval)
        self._ours = RepeatedLines(interval)
        self._timer: threading.Timer | None = None

    def emit(self, record: logging.LogRecord) -> None:
        """Write the record, or count it."""
        try:
            self._emit(record)
        except Exception:  # noqa: BLE001 -- a log line must not end what logs it: the module's own convention
            self.handleError(record)

    def _emit(self, record: logging.LogRecord) -> None:
        ours = hasattr(record, ATTRIBUTE)
        if not ours and record.levelno < logging.WARNING:
            return  # a library that set the level of its logger itself
        line = line_of(record, self._messages)
        now = record.created
        self._write_counts(RepeatedLines.due, now)
        if not ours:
            admitted = self._libraries.admit((str(line["logger"]), str(line["place"]), str(line["message"])), line, now)
        else:
            admitted = not getattr(record, COUNTED, False) or self._ours.admit(_key(line), line, now)
        if admitted:
            self._write(line)
        else:
            self._arm()

    def _arm(self) -> None:
        """Nothing may be logged in the next minutes: the counts are written all the same."""
        if self._timer is None:
            self._timer = threading.Timer(self._interval, self._tick)
            self._timer.daemon = True
            self._timer.start()

    def _tick(self) -> None:
        with self._locked():
            self._timer = None
            self._write_counts(RepeatedLines.due)
            if self._libraries.pending or self._ours.pending:
                self._arm()

    def _locked(self) -> threading.RLock:
        assert self.lock is not None  # noqa: S101 -- every handler has one
        return self.lock

    def close(self) -> None:
        """Write the counts that are left."""
        # The stream may be closed before its handler, as ``logging.shutdown`` allows.
        with self._locked(), contextlib.suppress(OSError, ValueError):
            if self._timer is not None:
                self._timer.cancel()
            self._write_counts(RepeatedLines.rest)
        super().close()

    def _write_counts(self, which: Callable[[RepeatedLines, float], list[Summary]], now: float | None = None) -> None:
        now = time.time() if now is None else now
        for lines in (self._libraries, self._ours):
            for summary in which(lines, now):
                self._write(count_line(summary, now))


def line_of(record: logging.LogRecord, messages: LibraryMessages) -> Line:
    """Everything that may be written of a record: time, level, logger, event and fields."""
    line: Line = {
        "at": _instant(record.created),
        "level": record.levelname.lower(),
        "logger": record.name.removeprefix(f"{OURS}."),
    }
    ours: Line | None = getattr(record, ATTRIBUTE, None)
    if ours is not None:
        return line | ours
    line |= {
        "event": "library",
        "message": messages.message(record),
        "place": f"{PurePath(record.pathname).name}:{record.lineno}",
    }
    if record.exc_info and record.exc_info[1] is not None:
        line["error"] = describe(record.exc_info[1])
    return line


def count_line(summary: Summary, now: float) -> Line:
    """The line that tells how often a line came besides."""
    last: Line = {"event": "various", "logger": "various"} if summary.mixed else summary.last
    line: Line = {
        "at": _instant(now),
        "level": "warning",
        "logger": last["logger"],
        "event": "repeated",
        "of": last["event"],
        "times": summary.count,
        "interval_seconds": summary.seconds,
    }
    return line | {name: value for name, value in last.items() if name not in line}


def _key(line: Line) -> tuple[str, ...]:
    """Our lines are alike if event and error are, and what they name; their numbers differ."""
    error = line.get("error")
    kind = str(error.get("class")) if isinstance(error, dict) else ""
    names = (str(line[name]) for name in ("operation", "member", "job", "topic", "code") if name in line)
    return (str(line["logger"]), str(line["event"]), kind, *names)


def _instant(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def json_lines(stream: TextIO) -> Write:
    """Write one JSON object per line."""

    def write(line: Line) -> None:
        stream.write(orjson.dumps(line).decode() + "\n")
        stream.flush()

    return write


def plain_lines(stream: TextIO) -> Write:
    """Write one readable line: time, level, logger, event, then ``name=value``."""

    def write(line: Line) -> None:
        stream.write(_plain(line) + "\n")
        stream.flush()

    return write


def colour_lines(stream: TextIO) -> Write:
    """Write the readable form with its level in colour, for a person at a terminal. ``NO_COLOR`` is honoured."""
    console = Console(file=stream, highlight=False, soft_wrap=True)

    def write(line: Line) -> None:
        text = Text(_plain(line))
        text.highlight_words([str(line["level"])], _STYLES.get(str(line["level"]), ""))
        console.print(text)

    return write


def _plain(line: Line) -> str:
    rest = dict(line)
    head = f"{rest.pop('at')} {rest.pop('level')!s:<8}{rest.pop('logger')}: {rest.pop('event')}"
    return " ".join([head, *(f"{name}={_value(value)}" for name, value in rest.items())])


def _value(value: object) -> str:
    if isinstance(value, dict):
        return ",".join(f"{name}:{part}" for name, part in value.items())
    return ",".join(value) if isinstance(value, list) else str(value)
