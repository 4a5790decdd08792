"""Listening sockets, bound before a process joins a consumer group.

A process that finds its port in use after it joined a group leaves partitions unread. If it binds first, it only exits
with an error.
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


_FIXES: Mapping[int, str] = {
    errno.EADDRINUSE: "another process listens there: end it, or take another port",
    errno.EADDRNOTAVAIL: "not an address of this machine: take one of its own, or 0.0.0.0 for all",
    errno.EACCES: "this user may not have the port: take one from 1024 on, or grant CAP_NET_BIND_SERVICE",
    errno.EPERM: "this user may not have the port: take one from 1024 on, or grant CAP_NET_BIND_SERVICE",
    errno.EAFNOSUPPORT: "this machine has no IPv6: take an IPv4 address",
}


def bind(listen: HostPort, setting: str) -> list[socket.socket]:
    """Listen on every address of ``listen``. Raises ``AddressUnavailable``, which names ``setting``."""
    with contextlib.ExitStack() as undo:
        try:
            found = socket.getaddrinfo(listen.host, listen.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        except OSError as error:
            fix = "no such host name: take an address of this machine, or 0.0.0.0 for all"
            raise AddressUnavailable(setting, str(listen), error.strerror or "unknown host", fix) from None
        opened = []
        for family, kind, protocol, _, address in dict.fromkeys(found):
            try:
                one = socket.socket(family, kind, protocol)
                undo.callback(one.close)
                one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                if family == socket.AF_INET6:
                    one.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
                one.bind(address)
                one.listen(BACKLOG)  # another process could also bind a port that is bound only
            except OSError as error:
                if error.errno == errno.EADDRNOTAVAIL and len(found) > 1:
                    continue  # one address of several of this name is not of this machine
                raise _unavailable(listen, setting, error) from None
            one.settimeout(0)
            opened.append(one)
        if not opened:
            raise AddressUnavailable(setting, str(listen), "no address", _FIXES[errno.EADDRNOTAVAIL])
        undo.pop_all()
        return opened


def _unavailable(listen: HostPort, setting: str, error: OSError) -> AddressUnavailable:
    taken = error.errno == errno.EADDRINUSE
    fix = _FIXES.get(error.errno or 0, "take another address")
    return AddressUnavailable(setting, str(listen), error.strerror or "unknown fault", fix, taken=taken)


@contextmanager
def bound(listens: Mapping[str, HostPort]) -> Iterator[dict[str, list[socket.socket]]]:
    """Listen on several addresses, keyed by the names of their settings; close all of them afterwards."""
    with contextlib.ExitStack() as closing:
        opened: dict[str, list[socket.socket]] = {}
        for setting, listen in listens.items():
            try:
                opened[setting] = bind(listen, setting)
            except AddressUnavailable as error:
                raise _of_ourselves(error, listens, opened) from None
            for one in opened[setting]:
                closing.callback(one.close)
        yield opened


def _of_ourselves(
    error: AddressUnavailable, listens: Mapping[str, HostPort], opened: Mapping[str, object]
) -> AddressUnavailable:
    """Name the setting of this process that uses the port, if one does."""
    mine = listens[error.setting]
    other = next((name for name in opened if listens[name].port == mine.port), None) if error.taken else None
    if other is None:
        return error
    return AddressUnavailable(error.setting, str(mine), error.reason, f"{other} has this port: give each its own")
