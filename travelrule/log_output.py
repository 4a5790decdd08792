"""Log records as lines: ours with checked fields, those of libraries without quoted data.

A library's message is written with the arguments that ``library_messages`` permits. A message that was formatted before
it was logged may quote a row, a request or an exception, so only its place is written. Exceptions are class, code and
place: the text of a database error quotes parameters (``DETAIL: Key (name)=(...)``), that of a decoding error quotes
the input. Repeated lines of libraries, and those of ours that may be frequent, are counted (``repeated_lines``).
"""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections.abc import Callable, MutableMapping
from datetime import UTC, datetime
from pathlib import PurePath
from typing import Any, TextIO

import orjson
from rich.console import Console
from rich.text import Text
from structlog import DropEvent
from structlog.stdlib import ProcessorFormatter

from travelrule.library_messages import LibraryMessages
from travelrule.log_fields import WITHHELD, Line, describe
from travelrule.repeated_lines import INTERVAL_SECONDS, Key, RepeatedLines, Summary

ATTRIBUTE = "travelrule_line"
"""The attribute of a record that holds the event and checked fields of our line."""
COUNTED = "travelrule_counted"
"""The attribute of a record that is true if our line is counted when it is repeated."""

OURS = "travelrule"
_STYLES = {"debug": "dim", "info": "green", "warning": "yellow", "error": "bold red", "critical": "bold red"}

Render = Callable[[Line], str]


class LineHandler(logging.StreamHandler[TextIO]):
    """Writes each record as a line, and repeated ones as a count: once an interval, and when it is closed.

    Records of ours bring their checked line; those of libraries become one in structlog's formatter.
    """

    def __init__(
        self, stream: TextIO, render: Render, messages: LibraryMessages, interval: float = INTERVAL_SECONDS
    ) -> None:
        super().__init__(stream)
        self._render = render
        self._messages = messages
        self._interval = interval
        self._libraries = RepeatedLines(interval)
        self._ours = RepeatedLines(interval)
        self._timer: threading.Timer | None = None
        processors = (self._library_line, self._admitted_library)
        self.setFormatter(ProcessorFormatter(processors=processors, use_get_message=False, pass_foreign_args=True))

    def emit(self, record: logging.LogRecord) -> None:
        """Write the record, or count it."""
        if not hasattr(record, ATTRIBUTE):
            if record.levelno < logging.WARNING:
                return  # a library may set the level of its logger itself
            if not isinstance(record.msg, str):
                record = logging.makeLogRecord({**record.__dict__, "msg": WITHHELD})
        try:
            super().emit(record)
        except DropEvent:
            pass  # counted
        except RecursionError:
            self.handleError(record)  # the standard handler raises it, but a log line must not end what logs it

    def format(self, record: logging.LogRecord) -> str:
        """Return the line as text; raise DropEvent if it is counted instead."""
        ours: Line | None = getattr(record, ATTRIBUTE, None)
        if ours is None:
            return super().format(record)
        line = _head(record) | ours
        return self._admitted(line, record, self._ours, _key(line) if getattr(record, COUNTED, False) else None)

    def _library_line(self, _: object, __: str, said: MutableMapping[str, Any]) -> dict[str, Any]:
        """Processor: replace what a library logged by what may be written of it."""
        record: logging.LogRecord = said["_record"]
        line: Line = _head(record) | {
            "event": "library",
            "message": self._messages.message(record, said["positional_args"]),
            "place": f"{PurePath(record.pathname).name}:{record.lineno}",
        }
        error = said["exc_info"][1] if said.get("exc_info") else None
        if error is not None:
            line["error"] = describe(error)
        return {"record": record, "line": line}

    def _admitted_library(self, _: object, __: str, made: MutableMapping[str, Any]) -> str:
        """Processor: count a repeated line, or return its text."""
        line: Line = made["line"]
        key = (str(line["logger"]), str(line["place"]), str(line["message"]))
        return self._admitted(line, made["record"], self._libraries, key)

    def _admitted(self, line: Line, record: logging.LogRecord, lines: RepeatedLines, key: Key | None) -> str:
        now = record.created
        self._write_counts(RepeatedLines.due, now)
        if key is None or lines.admit(key, line, now):
            return self._render(line)
        self._arm()
        raise DropEvent

    def _arm(self) -> None:
        """Start the timer that writes the counts even if nothing more is logged."""
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
                self.stream.write(self._render(count_line(summary, now)) + self.terminator)
                self.flush()


def _head(record: logging.LogRecord) -> Line:
    return {
        "at": _instant(record.created),
        "level": record.levelname.lower(),
        "logger": record.name.removeprefix(f"{OURS}."),
    }


def count_line(summary: Summary, now: float) -> Line:
    """Return the line with the count of a repeated line."""
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
    """Return the key of our line: lines with the same event, error and names are repetitions; their numbers differ."""
    error = line.get("error")
    kind = str(error.get("class")) if isinstance(error, dict) else ""
    names = (str(line[name]) for name in ("operation", "member", "job", "topic", "code") if name in line)
    return (str(line["logger"]), str(line["event"]), kind, *names)


def _instant(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def json_line(line: Line) -> str:
    """Return one JSON object."""
    return orjson.dumps(line).decode()


def plain_line(line: Line) -> str:
    """Return the readable form: time, level, logger, event, then ``name=value``."""
    rest = dict(line)
    head = f"{rest.pop('at')} {rest.pop('level')!s:<8}{rest.pop('logger')}: {rest.pop('event')}"
    return " ".join([head, *(f"{name}={_value(value)}" for name, value in rest.items())])


def colour_line(stream: TextIO) -> Render:
    """Render the readable form with its level in colour, for a terminal. ``NO_COLOR`` is honoured."""
    console = Console(file=stream, highlight=False, soft_wrap=True)

    def render(line: Line) -> str:
        text = Text(plain_line(line))
        text.highlight_words([str(line["level"])], _STYLES.get(str(line["level"]), ""))
        with console.capture() as captured:
            console.print(text, end="")
        return captured.get()

    return render


def _value(value: object) -> str:
    if isinstance(value, dict):
        return ",".join(f"{name}:{part}" for name, part in value.items())
    return ",".join(value) if isinstance(value, list) else str(value)
