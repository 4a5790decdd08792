"""Which connections are open, from where, and which of them gives way when a limit is reached.

A connection that waits (for a head, or idle after a response) costs the peer nothing to hold, so a new connection takes
the place of one that has waited longest. A request whose head has arrived gives way only when no connection waits,
and one that is being answered never does: it ends by its deadline.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable
from enum import Enum
from itertools import islice

from travelrule.listener.limits import ListenerLimits
from travelrule.listener.refused_peers import Reason

OnRefused = Callable[[Reason, str], object]
"""Told why a connection from a source was refused or ended."""


COMPARED = 32
"""How many of the oldest connections are looked at when the limit in all is reached."""


class Phase(Enum):
    """What a connection is doing."""

    WAITING = "waiting"
    """A TLS handshake, an incomplete head, or nothing since the last response."""
    RECEIVING = "receiving"
    """The head is complete, the body is not."""
    ANSWERING = "answering"
    """The request is complete."""


class PeerConnection:
    """One accepted connection.

    ``abort`` closes it without an answer. ``late`` is called by ``ConnectionTable.sweep`` once ``deadline`` (a time of
    the event loop) has passed; None: no deadline.
    """

    __slots__ = ("abort", "deadline", "late", "phase", "source")

    def __init__(self, source: str, abort: Callable[[], object]) -> None:
        self.source = source
        self.abort = abort
        self.late = abort
        self.deadline: float | None = None
        self.phase = Phase.WAITING


class ConnectionTable:
    """The open connections of one listener, oldest first in each phase, and the bytes of their bodies."""

    def __init__(self, limits: ListenerLimits, on_refused: OnRefused = lambda _reason, _source: None) -> None:
        self.limits = limits
        self.on_refused = on_refused
        self._body_bytes = 0
        self._by_phase: dict[Phase, OrderedDict[PeerConnection, None]] = {phase: OrderedDict() for phase in Phase}
        self._by_source: Counter[str] = Counter()

    def __len__(self) -> int:
        """Count the open connections."""
        return sum(map(len, self._by_phase.values()))

    def __contains__(self, connection: PeerConnection) -> bool:
        """Tell whether a connection still has its place."""
        return connection in self._by_phase[connection.phase]

    def admit(self, source: str, abort: Callable[[], object]) -> PeerConnection | None:
        """Register a connection; None if no other one can give way. ``abort`` of the displaced one is called."""
        full_source = self._by_source[source] >= self.limits.connections_per_source
        if (full_source and not self._displace(source)) or (
            len(self) >= self.limits.connections and not self._displace(None)
        ):
            self.on_refused("full", source)
            return None
        connection = PeerConnection(source, abort)
        self._by_phase[Phase.WAITING][connection] = None
        self._by_source[source] += 1
        return connection

    def enter(self, connection: PeerConnection, phase: Phase) -> None:
        """Note what a connection does now; it becomes the newest of that phase."""
        if connection in self:
            del self._by_phase[connection.phase][connection]
            self._by_phase[phase][connection] = None
            connection.phase = phase

    def remove(self, connection: PeerConnection) -> None:
        """Forget a closed connection; a second time does nothing."""
        if connection not in self:
            return
        del self._by_phase[connection.phase][connection]
        self._by_source[connection.source] -= 1
        if not self._by_source[connection.source]:
            del self._by_source[connection.source]

    def sweep(self, now: float) -> None:
        """Call ``late`` of every connection whose deadline has passed. One pass is cheaper than a timer per request."""
        for connections in self._by_phase.values():
            overdue = [one for one in connections if one.deadline is not None and one.deadline <= now]
            for connection in overdue:
                connection.deadline = None
                connection.late()

    def abort_all(self) -> None:
        """Close what is open, answered or not."""
        for connections in self._by_phase.values():
            for connection in tuple(connections):
                self.remove(connection)
                connection.abort()

    def reserve_body(self, size: int) -> bool:
        """Take ``size`` bytes for a body; False if bodies fill ``body_memory``."""
        if self._body_bytes + size > self.limits.body_memory:
            return False
        self._body_bytes += size
        return True

    def release_body(self, size: int) -> None:
        """Return what ``reserve_body`` took."""
        self._body_bytes -= size

    def _displace(self, source: str | None) -> bool:
        for phase in (Phase.WAITING, Phase.RECEIVING):
            if source is None:
                # Of the oldest, one of the busiest source: several that flood must not cost others their few.
                oldest = max(islice(self._by_phase[phase], COMPARED), key=self._connections_of, default=None)
            else:
                oldest = next((one for one in self._by_phase[phase] if one.source == source), None)
            if oldest is not None:
                self.remove(oldest)
                self.on_refused("displaced", oldest.source)
                oldest.abort()
                return True
        return False

    def _connections_of(self, connection: PeerConnection) -> int:
        return self._by_source[connection.source]
