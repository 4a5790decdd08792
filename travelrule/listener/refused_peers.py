"""Refused peers and the reasons: a metric for charts, a log line for an operator who looks for a missing caller."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from ipaddress import IPv6Address, IPv6Network, ip_address
from typing import Literal

from travelrule import logs
from travelrule.metrics import CONNECTIONS_REFUSED_TOTAL

REPORT_SECONDS = 60.0
"""At most one log line per reason in this time: an attack must not fill the log."""

Reason = Literal["foreign", "full", "displaced", "handshake", "late", "malformed", "memory"]

log = logs.get("listener")


class RefusedPeers:
    """Counts refusals of the listener called ``name`` by reason. ``clock`` counts seconds."""

    def __init__(self, name: str, clock: Callable[[], float]) -> None:
        self._name = name
        self._clock = clock
        self._unreported: Counter[Reason] = Counter()
        self._reported_at: dict[Reason, float] = {}

    def add(self, reason: Reason, source: str) -> None:
        """Count one refusal; the log line names the newest ``source``."""
        CONNECTIONS_REFUSED_TOTAL.labels(self._name, reason).inc()
        self._unreported[reason] += 1
        now = self._clock()
        last = self._reported_at.get(reason)
        if last is not None and now - last < REPORT_SECONDS:
            return
        self._reported_at[reason] = now
        count = self._unreported.pop(reason)
        log.warning("connections-refused", service=self._name, reason=reason, source=source, count=count)


def source_of(host: str) -> str:
    """Return the source of a host: its IPv4 address, or its IPv6 network of 64 bits, which one host owns."""
    if ":" not in host:
        return host
    address = ip_address(host.partition("%")[0])
    if isinstance(address, IPv6Address) and address.ipv4_mapped is None:
        return str(IPv6Network((int(address), 64), strict=False))
    return host
