"""File descriptors of a serving process: the limit is raised at the start, and listeners fit into it."""

from __future__ import annotations

import resource
from dataclasses import replace

from travelrule import logs
from travelrule.listener.limits import ListenerLimits

DESCRIPTORS_MAX = 65_536
"""A process needs no more, and child processes that iterate over all possible descriptors inherit the limit."""

log = logs.get("listener")


def raise_limit() -> int:
    """Raise the soft limit of open files as far as the hard one allows; return the new limit."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = DESCRIPTORS_MAX if hard == resource.RLIM_INFINITY else min(hard, DESCRIPTORS_MAX)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return DESCRIPTORS_MAX if soft == resource.RLIM_INFINITY else soft
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    except (OSError, ValueError):
        return soft  # some systems have a lower limit than the one they show
    return wanted


def within(limits: ListenerLimits, available: int, reserved: int) -> ListenerLimits:
    """Return ``limits`` with no more connections than ``available`` descriptors allow.

    ``reserved`` descriptors are for other uses, but at most half. The share of one source stays the same.
    """
    room = max(2, available - min(reserved, available // 2))
    if limits.connections <= room:
        return limits
    share = max(1, limits.connections_per_source * room // limits.connections)
    return replace(limits, connections=room, connections_per_source=share)


def fitted(name: str, limits: ListenerLimits, reserved: int) -> ListenerLimits:
    """Raise the limit of open files and return the limits of listener ``name`` that fit into it."""
    available = raise_limit()
    fitting = within(limits, available, reserved)
    if fitting != limits:
        log.warning(
            "few-descriptors",
            service=name,
            limit=available,
            connections=fitting.connections,
            fix="raise the hard limit of open files (ulimit -Hn, LimitNOFILE, the container's ulimits)",
        )
    return fitting
