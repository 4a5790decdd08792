"""A circuit breaker and a bulkhead per counterparty: one slow or unreachable VASP does not occupy all connections.

In memory and per process, because it protects the connections of one process. Calls that are not made stay in their
table.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

FAILURES_TO_OPEN = 5
OPEN_SECONDS_FIRST = 5.0
OPEN_SECONDS_MAX = 60.0
QUIET = timedelta(hours=2)
"""Longer than a call waits for its next attempt."""


@dataclass(slots=True)
class _Circuit:
    in_flight: int = 0
    failures: int = 0
    open_until: datetime | None = None
    open_seconds: float = OPEN_SECONDS_FIRST


class Bulkheads:
    """Counts the calls in flight per counterparty, and holds the state of each circuit.

    After ``FAILURES_TO_OPEN`` failures in a row the circuit opens for some seconds. Then it is half open: one call at a
    time is made until one succeeds. ``changed`` is called with the counterparty when its circuit opens (True) and when
    it is closed again.
    """

    def __init__(self, per_target: int, changed: Callable[[str, bool], None] = lambda _target, _is_open: None) -> None:
        self._per_target = per_target
        self._changed = changed
        self._circuits: defaultdict[str, _Circuit] = defaultdict(_Circuit)

    def known(self) -> list[str]:
        """Return the counterparties that were called."""
        return list(self._circuits)

    def is_closed(self, target: str) -> bool:
        """Whether the circuit of ``target`` is closed."""
        return self._circuits[target].open_until is None

    def free(self, target: str, now: datetime) -> int:
        """Return how many more calls may be started to ``target``."""
        return self._free(self._circuits[target], now)

    def begin(self, target: str) -> None:
        """Count a call to ``target`` that starts."""
        self._circuits[target].in_flight += 1

    def end(self, target: str, now: datetime, *, reached: bool | None) -> None:
        """Count a call that ended. ``reached`` False: the counterparty did not answer (time-out, failure on its side).
        None: the call shows nothing about it, because the hub failed or nothing was sent.
        """
        circuit = self._circuits[target]
        circuit.in_flight -= 1
        if reached is None:
            return
        if reached:
            if circuit.open_until is not None:
                self._changed(target, False)  # noqa: FBT003 -- the state
            circuit.failures = 0
            circuit.open_until = None
            circuit.open_seconds = OPEN_SECONDS_FIRST
            return
        circuit.failures += 1
        if circuit.open_until is not None and now < circuit.open_until:
            return  # started before the circuit opened
        if circuit.failures >= FAILURES_TO_OPEN:
            if circuit.open_until is None:
                self._changed(target, True)  # noqa: FBT003 -- the state
            circuit.open_until = now + timedelta(seconds=circuit.open_seconds)
            circuit.open_seconds = min(circuit.open_seconds * 2, OPEN_SECONDS_MAX)

    def close_quiet(self, now: datetime) -> None:
        """Close the circuits that no call has tried for ``QUIET``: nothing is left to send, and nothing else would show
        that the counterparty answers again.
        """
        for target, circuit in self._circuits.items():
            if circuit.open_until is not None and not circuit.in_flight and now > circuit.open_until + QUIET:
                self._circuits[target] = _Circuit()
                self._changed(target, False)  # noqa: FBT003 -- the state

    def _free(self, circuit: _Circuit, now: datetime) -> int:
        if circuit.open_until is None:
            return self._per_target - circuit.in_flight
        if now < circuit.open_until:
            return 0
        return 1 - circuit.in_flight
