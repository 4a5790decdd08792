"""Structured logs that cannot hold personal data.

``log = logs.get("engine")`` and ``log.info("batch-applied", count=20, duration_seconds=0.004)``: the event is
a plain name, each field is in ``log_fields.FIELDS``. An unknown field raises until ``configure`` has been
called (so in every test) and is dropped with its name afterwards, because a mistake in a log line must not
stop a worker. Exceptions go in as ``error=exc`` and come out as class, code and place. ``with
trace(traceparent):`` joins all lines of one event.

``configure`` also takes over what libraries log and what would be printed for an uncaught exception.
SQLAlchemy engines must be made with ``hide_parameters=True`` all the same: it keeps values out of exceptions
that travel.
"""

from __future__ import annotations

import logging
import re
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from types import TracebackType
from typing import Literal, TextIO

from travelrule.library_messages import LibraryMessages
from travelrule.log_events import EVENTS
from travelrule.log_fields import FIELDS, WITHHELD, Line, LogFieldError, describe, shaped
from travelrule.log_output import ATTRIBUTE, COUNTED, OURS, LineHandler, Write, colour_lines, json_lines, plain_lines

Level = Literal["debug", "info", "warning", "error"]
Format = Literal["auto", "json", "console"]

EVENT = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
TRACEPARENT = re.compile(r"[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}")

_PROCESS = "travelrule.process"
"""Logs what nothing caught."""

_traceparent: ContextVar[str | None] = ContextVar("traceparent", default=None)


class _Mode:
    """Whether a mistake in a log line raises. One per process, as the logging module is."""

    strict = True


class Log:
    """The logger of one room."""

    __slots__ = ("_logger",)

    def __init__(self, name: str) -> None:
        self._logger = logging.getLogger(f"travelrule.{name}")

    def debug(self, event: str, **fields: object) -> None:
        """Log what only a developer wants to see."""
        self._log(logging.DEBUG, event, fields)

    def info(self, event: str, **fields: object) -> None:
        """Log what an operator expects to see."""
        self._log(logging.INFO, event, fields)

    def warning(self, event: str, **fields: object) -> None:
        """Log what the program got over by itself."""
        self._log(logging.WARNING, event, fields)

    def error(self, event: str, **fields: object) -> None:
        """Log what somebody must look at."""
        self._log(logging.ERROR, event, fields)

    def write(self, level: Level, event: str, fields: Mapping[str, object]) -> None:
        """Log at a level that is decided elsewhere."""
        self._log(logging.getLevelNamesMapping()[level.upper()], event, dict(fields))

    def _log(self, level: int, event: str, fields: dict[str, object]) -> None:
        if self._logger.isEnabledFor(level):
            line = _line(level, event, fields)
            counted = event in EVENTS and EVENTS[event].counted
            self._logger.log(level, line["event"], extra={ATTRIBUTE: line, COUNTED: counted})


def get(name: str) -> Log:
    """Return the logger of a room (``engine``, ``gateway``, ``hub``...)."""
    return Log(name)


@contextmanager
def trace(traceparent: str | None) -> Iterator[None]:
    """Put the W3C ``traceparent`` of an event on every line logged inside; another text is ignored."""
    token = _traceparent.set(traceparent if traceparent and TRACEPARENT.fullmatch(traceparent) else None)
    try:
        yield
    finally:
        _traceparent.reset(token)


def configure(
    form: Format = "auto",
    level: Level = "info",
    *,
    strict: bool = False,
    stream: TextIO | None = None,
    messages: LibraryMessages | None = None,
    only_uncaught: bool = False,
) -> None:
    """Send every log line of the process to ``stream`` (standard error), ours and the libraries'.

    ``auto`` is console on a terminal, else JSON. ``level`` is that of our lines; libraries are heard from WARNING on,
    or from ERROR on if ``level`` is that: at ``debug`` some of them quote every statement. ``messages`` says which
    arguments of theirs are shown. With ``only_uncaught`` nothing is written but exceptions that nothing caught: for
    commands, whose answer is all that they write. Calling it again replaces what the last call set up.
    """
    out = stream or sys.stderr
    handler = LineHandler(_writer(form, out), messages or LibraryMessages())
    if only_uncaught:
        handler.addFilter(lambda record: record.name == _PROCESS)
    root = logging.getLogger()
    for old in root.handlers[:]:
        root.removeHandler(old)
        if isinstance(old, LineHandler):
            old.close()
    root.addHandler(handler)
    threshold = logging.getLevelNamesMapping()[level.upper()]
    root.setLevel(max(threshold, logging.WARNING))
    logging.getLogger(OURS).setLevel(threshold)
    logging.captureWarnings(capture=True)
    # A handler that fails would print the record with its arguments to standard error.
    logging.raiseExceptions = False
    sys.excepthook = _uncaught
    threading.excepthook = _uncaught_in_thread
    sys.unraisablehook = _unraisable
    _Mode.strict = strict


def _writer(form: Format, out: TextIO) -> Write:
    terminal = out.isatty()
    if form == "json" or (form == "auto" and not terminal):
        return json_lines(out)
    return colour_lines(out) if terminal else plain_lines(out)


def _line(level: int, event: str, fields: dict[str, object]) -> Line:
    unknown = sorted(fields.keys() - FIELDS.keys())
    if _Mode.strict:
        _check(level, event, fields, unknown)
    line: Line = {"event": event if EVENT.fullmatch(event) else WITHHELD}
    given = {name: value for name, value in fields.items() if name in FIELDS and value is not None}
    line |= {name: shaped(FIELDS[name], value) for name, value in given.items()}
    if unknown:
        line["dropped"] = unknown
    if traceparent := _traceparent.get():
        line["traceparent"] = traceparent
    return line


def _check(level: int, event: str, fields: dict[str, object], unknown: list[str]) -> None:
    """Refuse a line that the documentation does not describe."""
    if unknown:
        raise LogFieldError(f"not in log_fields.FIELDS: {unknown}")
    if (known := EVENTS.get(event)) is None:
        raise LogFieldError("not in log_events.EVENTS: the event must be a plain-name of that table")
    if logging.getLevelName(level).lower() not in known.levels:
        raise LogFieldError(f"{event} is logged at {' or '.join(known.levels)}")
    if undocumented := sorted(fields.keys() - set(known.fields)):
        raise LogFieldError(f"not in log_events.EVENTS for {event}: {undocumented}")


def _uncaught(kind: type[BaseException], error: BaseException, _: TracebackType | None) -> None:
    if not issubclass(kind, KeyboardInterrupt):
        _report("uncaught", error)


def _uncaught_in_thread(args: threading.ExceptHookArgs) -> None:
    if args.exc_value is not None:
        _report("uncaught-in-thread", args.exc_value)


def _unraisable(args: sys.UnraisableHookArgs) -> None:
    if args.exc_value is not None:
        _report("unraisable", args.exc_value)


def _report(event: str, error: BaseException) -> None:
    line: Line = {"event": event, "error": describe(error)}
    logging.getLogger(_PROCESS).error(event, extra={ATTRIBUTE: line})
