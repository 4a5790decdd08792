"""How often the hub is asked for a VASP's current keys (4.A.2).

A request with a wrong key leads to such a question, and anybody can send one. The throttle bounds the questions about
one VASP and, on request, the questions about all VASPs in a minute.
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
    """At most one question about a VASP in ``pause_seconds``, and ``per_minute`` about all (None: unbounded)."""

    def __init__(self, clock: Callable[[], datetime], pause_seconds: float, per_minute: int | None = None) -> None:
        self._clock = clock
        self._per_minute = per_minute
        self._recent: TTLCache[str, tuple[PublicKey, ...]] = TTLCache(
            _VASPS_MAX, pause_seconds, lambda: clock().timestamp()
        )
        self._spent: deque[datetime] = deque()

    def recent(self, entity_id: str) -> tuple[PublicKey, ...] | None:
        """The keys noted within the pause; None: the hub may be asked."""
        return self._recent.get(entity_id)

    def note(self, entity_id: str, keys: tuple[PublicKey, ...] = ()) -> None:
        """Start the VASP's pause, with the keys that the hub returned, if it was already asked."""
        self._recent[entity_id] = keys

    def spend(self) -> bool:
        """Use one question of the minute; False, and nothing is used, if none is left."""
        now = self._clock()
        while self._spent and self._spent[0] <= now - _MINUTE:
            self._spent.popleft()
        if self._per_minute is not None and len(self._spent) >= self._per_minute:
            return False
        self._spent.append(now)
        return True
