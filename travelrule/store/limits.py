"""Limits of PostgreSQL sessions: how long one process may block the others (ADR 0021).

A frozen process, or one whose machine is lost, keeps its locks until the server detects it. Every connection sets these
limits, so the server needs no configuration, and they apply without the process.
"""

from __future__ import annotations

import socket
from dataclasses import dataclass
from typing import Any

import asyncpg

CONNECT_SECONDS = 10.0
KEEPALIVE_IDLE_SECONDS, KEEPALIVE_INTERVAL_SECONDS, KEEPALIVE_COUNT = 10, 5, 3
LOST_PEER_SECONDS = KEEPALIVE_IDLE_SECONDS + KEEPALIVE_INTERVAL_SECONDS * KEEPALIVE_COUNT
"""After this long without an answer from the other side a connection is closed, in either direction."""


@dataclass(frozen=True, slots=True)
class SessionLimits:
    """Limits of one connection, in seconds; 0 is none."""

    idle_transaction_s: float = 10.0
    """Our transactions pause for milliseconds between statements. One that pauses longer belongs to a frozen process:
    the server ends it and frees its locks."""
    lock_s: float = 5.0
    """Less than the limit above: a waiter releases its own locks and tries again."""
    statement_s: float = 35.0
    """For a client that cannot apply its own limit; slightly more than that one."""
    command_s: float = 30.0

    def connect_arguments(self) -> dict[str, Any]:
        """Keyword arguments of ``asyncpg.connect``."""
        return {
            "timeout": CONNECT_SECONDS,
            "command_timeout": self.command_s or None,
            "server_settings": self._server_settings(),
            "connection_class": KeepAliveConnection,
        }

    def _server_settings(self) -> dict[str, str]:
        milliseconds = {
            "idle_in_transaction_session_timeout": self.idle_transaction_s,
            "lock_timeout": self.lock_s,
            "statement_timeout": self.statement_s,
            "tcp_user_timeout": LOST_PEER_SECONDS,
        }
        return {
            "jit": "off",
            **{name: str(int(seconds * 1000)) for name, seconds in milliseconds.items()},
            "tcp_keepalives_idle": str(KEEPALIVE_IDLE_SECONDS),
            "tcp_keepalives_interval": str(KEEPALIVE_INTERVAL_SECONDS),
            "tcp_keepalives_count": str(KEEPALIVE_COUNT),
        }


SERVING = SessionLimits()
LISTENING = SessionLimits(command_s=10.0)
MIGRATING = SessionLimits(idle_transaction_s=60.0, lock_s=30.0, statement_s=0.0, command_s=0.0)
"""A migration may rebuild a large table, and a second process waits for it."""


class KeepAliveConnection(asyncpg.Connection):  # type: ignore[misc]  # asyncpg has no types
    """A connection that detects a lost server; a listening one would otherwise wait indefinitely."""

    def __init__(self, protocol: Any, transport: Any, *arguments: Any) -> None:
        super().__init__(protocol, transport, *arguments)
        keep_alive(transport.get_extra_info("socket"))


def keep_alive(opened: Any) -> None:
    """Enable keepalive probes of a silent peer, and close a connection whose data are not confirmed."""
    if opened is None or opened.family not in (socket.AF_INET, socket.AF_INET6):
        return
    opened.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    options = {
        "TCP_KEEPIDLE": KEEPALIVE_IDLE_SECONDS,
        "TCP_KEEPINTVL": KEEPALIVE_INTERVAL_SECONDS,
        "TCP_KEEPCNT": KEEPALIVE_COUNT,
        "TCP_USER_TIMEOUT": LOST_PEER_SECONDS * 1000,
    }
    for name, value in options.items():
        if hasattr(socket, name):  # not every system has all of them
            opened.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
