"""How log records become lines: ours with checked fields, those of libraries without what they quote.

A library's message is written only if it stands word for word in its source (then it is a text of its author,
and the arguments are left out: ``%s`` stays ``%s``). A message that was put together before it was logged may
quote a row, a request or an exception, so only its place is written. Exceptions are class, code and place:
the text of a database error quotes parameters (``DETAIL: Key (name)=(...)``), that of a decoding error quotes
the input.
"""

from __future__ import annotations

import logging
import sys
from datetime import UTC, datetime
from pathlib import PurePath
from types import FrameType
from typing import TextIO

import orjson
from rich.console import Console
from rich.text import Text

from travelrule.log_fields import WITHHELD, Value, describe

ATTRIBUTE = "travelrule_line"
"""The attribute of a record in which our logger hands over the event and its checked fields."""

FRAMES_MAX = 16
_STYLES = {"debug": "dim", "info": "green", "warning": "yellow", "error": "bold red", "critical": "bold red"}

Line = dict[str, Value | dict[str, Value] | list[str]]


def line_of(record: logging.LogRecord) -> Line:
    """Everything that may be written of a record: time, level, logger, event and fields."""
    line: Line = {
        "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "level": record.levelname.lower(),
        "logger": record.name.removeprefix("travelrule."),
    }
    ours: Line | None = getattr(record, ATTRIBUTE, None)
    if ours is not None:
        return line | ours
    line |= {
        "event": "library",
        "message": constant_message(record),
        "place": f"{PurePath(record.pathname).name}:{record.lineno}",
    }
    if record.exc_info and record.exc_info[1] is not None:
        line["error"] = describe(record.exc_info[1])
    return line


def constant_message(record: logging.LogRecord) -> str:
    """Return the message as its author wrote it, or ``<withheld>`` if it was put together before."""
    if not isinstance(record.msg, str):
        return WITHHELD
    # mode, below Faust, puts the name of the service before the text: "[^--Consumer]: text".
    bare = record.msg.partition("]: ")[2] if record.msg.startswith("[^") else record.msg
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001 -- the only way to the caller's constants
    for _ in range(FRAMES_MAX):
        if frame is None:
            break
        if bare in frame.f_code.co_consts:
            return bare
        frame = frame.f_back
    return WITHHELD


class JsonFormatter(logging.Formatter):
    """One JSON object per line."""

    def format(self, record: logging.LogRecord) -> str:
        """Write the line."""
        return orjson.dumps(line_of(record)).decode()


class PlainFormatter(logging.Formatter):
    """One readable line: time, level, logger, event, then ``name=value``."""

    def format(self, record: logging.LogRecord) -> str:
        """Write the line."""
        return _plain(line_of(record))


class ConsoleHandler(logging.Handler):
    """The readable form in colour, for a person at a terminal. ``NO_COLOR`` is honoured."""

    def __init__(self, stream: TextIO) -> None:
        super().__init__()
        self._console = Console(file=stream, highlight=False, soft_wrap=True)

    def emit(self, record: logging.LogRecord) -> None:
        """Write the line, its level in colour."""
        text = Text(_plain(line_of(record)))
        text.highlight_words([record.levelname.lower()], _STYLES.get(record.levelname.lower(), ""))
        self._console.print(text)


def _plain(line: Line) -> str:
    rest = dict(line)
    head = f"{rest.pop('at')} {rest.pop('level')!s:<8}{rest.pop('logger')}: {rest.pop('event')}"
    return " ".join([head, *(f"{name}={_value(value)}" for name, value in rest.items())])


def _value(value: object) -> str:
    if isinstance(value, dict):
        return ",".join(f"{name}:{part}" for name, part in value.items())
    return ",".join(value) if isinstance(value, list) else str(value)
