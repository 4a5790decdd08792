"""Loopback ports for services that are stopped and started again on the same port."""

from __future__ import annotations

import random
import socket
from pathlib import Path

_RANGE = Path("/proc/sys/net/ipv4/ip_local_port_range")


def free_port() -> int:
    """A free loopback port below the ephemeral range.

    A port of the ephemeral range could be taken by an outgoing connection (even by a client that
    retries the stopped service and connects to itself); the service could then not come back on it.
    """
    lowest_ephemeral = int(_RANGE.read_text().split()[0]) if _RANGE.exists() else 32768
    chooser = random.SystemRandom()
    for _ in range(200):
        port = chooser.randrange(max(1024, lowest_ephemeral - 15000), max(2048, lowest_ephemeral))
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise RuntimeError("no free loopback port below the ephemeral range")
