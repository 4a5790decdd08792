"""Addresses that a process serves, bound before it joins anything.

A process that finds its port taken after it joined a consumer group has partitions that are not read. Bound first, the
port costs nothing but an exit code.
"""

from __future__ import annotations

import contextlib
import errno
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from travelrule.errors import AddressUnavailable
from travelrule.setting_types import HostPort

BACKLOG = 2048


def bind(listen: HostPort, setting: str) -> list[socket.socket]:
    """Listen on every address of ``listen``. Raises ``AddressUnavailable``, which names ``setting``."""
    with contextlib.ExitStack() as undo:
        try:
            found = socket.getaddrinfo(listen.host, listen.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        except OSError as error:
            raise AddressUnavailable(setting, str(listen), error.strerror or "unknown host") from None
        opened = []
        for family, kind, protocol, _, address in dict.fromkeys(found):
            try:
                one = socket.socket(family, kind, protocol)
                undo.callback(one.close)
                one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                if family == socket.AF_INET6:
                    one.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
                one.bind(address)
                one.listen(BACKLOG)  # a port that is only bound could be bound by another process as well
            except OSError as error:
                if error.errno == errno.EADDRNOTAVAIL and len(found) > 1:
                    continue  # a name with several addresses, one of them not of this machine
                raise AddressUnavailable(setting, str(listen), error.strerror or "unknown fault") from None
            one.settimeout(0)
            opened.append(one)
        if not opened:
            raise AddressUnavailable(setting, str(listen), "not an address of this machine")
        undo.pop_all()
        return opened


@contextmanager
def bound(listens: Mapping[str, HostPort]) -> Iterator[dict[str, list[socket.socket]]]:
    """Listen on several addresses by the names of their settings; all are closed afterwards."""
    with contextlib.ExitStack() as closing:
        opened: dict[str, list[socket.socket]] = {}
        for setting, listen in listens.items():
            opened[setting] = bind(listen, setting)
            for one in opened[setting]:
                closing.callback(one.close)
        yield opened
