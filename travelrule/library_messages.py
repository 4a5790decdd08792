"""The part of a library's log message that may be shown: its template, and arguments that cannot hold personal data.

The list is closed. A template is shown only if it is a constant of the code that logged it; an argument only if it is a
small number, an error (class, cause, number of the system error), a type, the address of a machine, or a name from the
settings: topics, consumer group, hosts. Everything else is ``<withheld>``: the text of a database error quotes
parameters, and a client library may format the key of a record.
"""

from __future__ import annotations

import ipaddress
import logging
import re
import sys
from collections.abc import Collection, Mapping
from types import FrameType
from typing import Any

from travelrule.log_fields import WITHHELD, describe

FRAMES_MAX = 16
ITEMS_MAX = 8
NUMBER_MAX = 65_535
"""Ports, node ids, partitions and attempts are below it; account numbers and identifiers rarely are."""

CONVERSION = re.compile(r"%(?:\((?P<name>[^)]*)\))?[-#0 +]*(?:\*|\d+)?(?:\.(?:\*|\d+))?[hlL]?(?P<kind>[a-zA-Z%])")
_HOST = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,31})(?:\.[a-z0-9](?:[a-z0-9-]{0,31})){0,8}")
_CLASS = re.compile(r"[A-Z][A-Za-z]{2,60}(?:Error|Exception|Request|Response)(?:_v\d{1,2})?")
"""Some clients log the name of an error or a request of their protocol."""
_PORT_MAX = 65_535


class LibraryMessages:
    """Formats messages of libraries. ``names`` (topics, groups) and ``hosts`` are those of the settings."""

    def __init__(self, names: Collection[str] = (), hosts: Collection[str] = ()) -> None:
        self._names = frozenset(names)
        self._hosts = frozenset(hosts)
        named = {host for host in hosts if not _is_address(host)}
        domains = {host.partition(".")[2] for host in named}
        self._below = tuple(f".{name}" for name in (*named, *domains) if "." in name or name in named)

    def message(self, record: logging.LogRecord, arguments: object) -> str:
        """Return the message with the arguments that may be shown."""
        template = constant_template(record)
        if template is None:
            return WITHHELD
        if not arguments:
            return template
        if isinstance(arguments, Mapping):
            return CONVERSION.sub(lambda found: self._named(found, arguments), template)
        return self._filled(template, list(arguments) if isinstance(arguments, tuple) else [arguments])

    def _named(self, found: re.Match[str], arguments: Mapping[str, Any]) -> str:
        if found["kind"] == "%":
            return "%"
        return self.shown(arguments.get(found["name"] or ""))

    def _filled(self, template: str, arguments: list[Any]) -> str:
        text, end, used = "", 0, 0
        for found in CONVERSION.finditer(template):
            text += template[end : found.start()]
            end = found.end()
            if found["kind"] == "%":
                text += "%"
                continue
            text += self.shown(arguments[used]) if used < len(arguments) else WITHHELD
            used += 1
        return text + template[end:]

    def shown(self, value: object) -> str:
        """Return the argument as it may be written, by its type and form."""
        if value is None or isinstance(value, bool):
            return str(value)
        if isinstance(value, BaseException):
            return error_text(value)
        if isinstance(value, type):
            return value.__name__
        if isinstance(value, int):
            return str(int(value)) if abs(value) <= NUMBER_MAX else WITHHELD
        if isinstance(value, str):
            return value if self._is_safe(value) else WITHHELD
        if isinstance(value, tuple) and (known := self._known_tuple(value)):
            return known
        if isinstance(value, list | tuple | set | frozenset):
            return self._several(value)
        return WITHHELD

    def _several(self, values: Collection[object]) -> str:
        shown = [self.shown(value) for value, _ in zip(values, range(ITEMS_MAX), strict=False)]
        if len(values) > ITEMS_MAX:
            shown.append(f"and {len(values) - ITEMS_MAX} more")
        return f"[{', '.join(shown)}]"

    def _known_tuple(self, value: tuple[Any, ...]) -> str | None:
        """Return a partition of a known topic, or a broker, in the notation of Kafka clients."""
        fields = getattr(value, "_fields", ())
        if fields[:2] == ("topic", "partition"):
            return f"{self.shown(value[0])}-{self.shown(value[1])}"
        if fields[:3] == ("nodeId", "host", "port") and _is_port(value[2]) and _HOST.fullmatch(str(value[1])):
            return f"{self.shown(value[0])} ({value[1]}:{value[2]})"
        return None

    def _is_safe(self, text: str) -> bool:
        if text in self._names or _CLASS.fullmatch(text):
            return True
        host, colon, port = text.rpartition(":")
        if colon and port.isascii() and port.isdigit() and int(port[:6]) <= _PORT_MAX:
            return self._is_host(host.removeprefix("[").removesuffix("]"))
        return self._is_host(text)

    def _is_host(self, text: str) -> bool:
        """Whether it is an address, a host of the settings, or in a domain of one: brokers advertise other names."""
        if text in self._hosts or _is_address(text):
            return True
        return bool(_HOST.fullmatch(text)) and text.endswith(self._below)


def constant_template(record: logging.LogRecord) -> str | None:
    """Return the template of the message, or None if the message was formatted before it was logged."""
    if not isinstance(record.msg, str):
        return None
    # mode, a library of Faust, puts the name of the service before the text: "[^--Consumer]: text".
    bare = record.msg.partition("]: ")[2] if record.msg.startswith("[^") else record.msg
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001 -- no other way to the caller's constants
    for _ in range(FRAMES_MAX):
        if frame is None:
            return None
        if bare in frame.f_code.co_consts:
            return bare
        frame = frame.f_back
    return None


def error_text(error: BaseException) -> str:
    """Return an error on one line: its class, our code or the number of the system error, the class of its cause."""
    said = describe(error)
    rest = [str(said[name]).rpartition(".")[2] for name in ("code", "cause") if name in said]
    return type(error).__name__ + (f" ({', '.join(rest)})" if rest else "")


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return "%" not in text  # after it an IPv6 address may carry any text


def _is_port(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _PORT_MAX
