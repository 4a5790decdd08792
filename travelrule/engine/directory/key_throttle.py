"""The throttle of key refreshes: how often a VASP's current keys are requested from the hub (4.A.2).

A request with an unknown key causes a refresh; any sender can cause one. The throttle bounds the refreshes of one VASP
and, optionally, the refreshes of all VASPs in a minute.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from datetime import datetime, timedelta

from cachetools import TTLCache

from schemas.hub.bodies import PublicKey

_VASPS_MAX = 4096
_MINUTE = timedelta(minutes=1)


class KeyThrottle:
    """At most one refresh of a VASP in ``pause_seconds``, and ``per_minute`` of all VASPs (None: unbounded)."""

    def __init__(self, clock: Callable[[], datetime], pause_seconds: float, per_minute: int | None = None) -> None:
        self._clock = clock
        self._per_minute = per_minute
        self._recent: TTLCache[str, tuple[PublicKey, ...]] = TTLCache(
            _VASPS_MAX, pause_seconds, lambda: clock().timestamp()
        )
        self._spent: deque[datetime] = deque()

    def recent(self, entity_id: str) -> tuple[PublicKey, ...] | None:
        """The keys noted within the pause; None: a refresh is allowed."""
        return self._recent.get(entity_id)

    def note(self, entity_id: str, keys: tuple[PublicKey, ...] = ()) -> None:
        """Start the VASP's pause, with the keys that the hub returned, if it has answered."""
        self._recent[entity_id] = keys

    def spend(self) -> bool:
        """Use one refresh of the minute. Return False, and use none, if the minute has none left."""
        now = self._clock()
        while self._spent and self._spent[0] <= now - _MINUTE:
            self._spent.popleft()
        if self._per_minute is not None and len(self._spent) >= self._per_minute:
            return False
        self._spent.append(now)
        return True
