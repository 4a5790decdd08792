"""Structured logs that cannot hold personal data.

``log = logs.get("engine")`` and ``log.info("batch-applied", count=20, duration_seconds=0.004)``: the event is
a plain name, each field is in ``log_fields.FIELDS``. An unknown field raises until ``configure`` has been
called (so in every test) and is dropped with its name afterwards, because a mistake in a log line must not
stop a worker. Exceptions go in as ``error=exc`` and come out as class, code and place. ``with
trace(traceparent):`` joins all lines of one event.

A logger is structlog's, with the allow-list as its first processor. ``configure`` sends its lines and those of
libraries to one handler (``log_output``), and uncaught exceptions too. SQLAlchemy engines must still be made with
``hide_parameters=True``: it keeps values out of exceptions that travel.
"""

from __future__ import annotations

import logging
import re
import sys
import threading
from collections.abc import Iterator, Mapping, MutableMapping
from contextlib import contextmanager
from contextvars import ContextVar
from types import TracebackType
from typing import Any, Literal, TextIO, cast

from structlog import BoundLoggerBase, wrap_logger

from travelrule.library_messages import LibraryMessages
from travelrule.log_events import EVENTS
from travelrule.log_fields import FIELDS, WITHHELD, Line, LogFieldError, describe, shaped
from travelrule.log_output import ATTRIBUTE, COUNTED, OURS, LineHandler, Render, colour_line, json_line, plain_line

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


class Log(BoundLoggerBase):
    """The logger of one room."""

    def debug(self, event: str, **fields: object) -> None:
        """Log what only a developer needs."""
        self._log(logging.DEBUG, "debug", event, fields)

    def info(self, event: str, **fields: object) -> None:
        """Log what an operator expects."""
        self._log(logging.INFO, "info", event, fields)

    def warning(self, event: str, **fields: object) -> None:
        """Log a failure that the program recovers from by itself."""
        self._log(logging.WARNING, "warning", event, fields)

    def error(self, event: str, **fields: object) -> None:
        """Log a failure that an operator must look at."""
        self._log(logging.ERROR, "error", event, fields)

    def write(self, level: Level, event: str, fields: Mapping[str, object]) -> None:
        """Log at a level that is decided elsewhere."""
        self._log(logging.getLevelNamesMapping()[level.upper()], level, event, fields)

    def _log(self, level: int, name: Level, event: str, fields: Mapping[str, object]) -> None:
        if self._logger.isEnabledFor(level):
            self._proxy_to_logger(name, event, **fields)


def get(name: str) -> Log:
    """Return the logger of a room (``engine``, ``gateway``, ``hub``...)."""
    logger = logging.getLogger(f"{OURS}.{name}")
    return cast("Log", wrap_logger(logger, PROCESSORS, wrapper_class=Log, context_class=dict).bind())


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

    ``auto`` is console on a terminal, else JSON. ``level`` is that of our lines; lines of libraries are written from
    WARNING on, or from ERROR on if ``level`` is that: at ``debug`` some of them quote every statement. ``messages``
    selects the arguments of libraries that are shown. With ``only_uncaught`` only uncaught exceptions are written: for
    commands, whose answer is all that they write. A second call replaces what the first one set up.
    """
    out = stream or sys.stderr
    handler = LineHandler(out, _renderer(form, out), messages or LibraryMessages())
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


def _renderer(form: Format, out: TextIO) -> Render:
    terminal = out.isatty()
    if form == "json" or (form == "auto" and not terminal):
        return json_line
    return colour_line(out) if terminal else plain_line


def allow_list(_: object, level: str, given: MutableMapping[str, Any]) -> Line:
    """Processor: keep the fields of ``log_fields.FIELDS`` in their shapes; name the dropped ones."""
    event: str = given.pop("event")
    unknown = sorted(given.keys() - FIELDS.keys())
    if _Mode.strict:
        _check(level, event, given, unknown)
    line: Line = {"event": event if EVENT.fullmatch(event) else WITHHELD}
    for name, value in given.items():
        if value is not None and (shape := FIELDS.get(name)) is not None:
            line[name] = shaped(shape, value)
    if unknown:
        line["dropped"] = unknown
    return line


def join_trace(_: object, __: str, line: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Processor: add the ``traceparent`` of the event in hand."""
    if traceparent := _traceparent.get():
        line["traceparent"] = traceparent
    return line


def to_record(_: object, __: str, line: MutableMapping[str, Any]) -> tuple[tuple[str], dict[str, Any]]:
    """Processor: the arguments for the logging module. The line is an attribute of the record."""
    event: str = line["event"]
    counted = event in EVENTS and EVENTS[event].counted
    return (event,), {"extra": {ATTRIBUTE: line, COUNTED: counted}}


PROCESSORS = (allow_list, join_trace, to_record)


def _check(level: str, event: str, fields: Mapping[str, object], unknown: list[str]) -> None:
    """Refuse a line that the documentation does not describe."""
    if unknown:
        raise LogFieldError(f"not in log_fields.FIELDS: {unknown}")
    if (known := EVENTS.get(event)) is None:
        raise LogFieldError("not in log_events.EVENTS: the event must be a plain-name of that table")
    if level not in known.levels:
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
