"""The open connections, their sources, and which one is displaced when a limit is reached.

A connection that waits (for a head, or idle after a response) costs its peer nothing, so a new connection displaces one
that has waited longest. A connection whose head has arrived is displaced only if no connection waits. One that is being
answered is never displaced: it ends by its deadline.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable
from enum import Enum
from itertools import islice

from travelrule.listener.limits import ListenerLimits
from travelrule.listener.refused_peers import Reason

OnRefused = Callable[[Reason, str], object]
"""Called with the reason when a connection from a source is refused or ended."""

COMPARED = 32
"""How many of the oldest connections are compared when the total limit is reached."""


class Phase(Enum):
    """The phase of a connection."""

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
        """Return the number of open connections."""
        return sum(map(len, self._by_phase.values()))

    def __contains__(self, connection: PeerConnection) -> bool:
        """Whether a connection is registered."""
        return connection in self._by_phase[connection.phase]

    def admit(self, source: str, abort: Callable[[], object]) -> PeerConnection | None:
        """Register a connection; return None if none can be displaced for it. Calls ``abort`` of a displaced one."""
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
        """Move a connection to a phase, as the newest there."""
        if connection in self:
            del self._by_phase[connection.phase][connection]
            self._by_phase[phase][connection] = None
            connection.phase = phase

    def remove(self, connection: PeerConnection) -> None:
        """Remove a closed connection; a second call does nothing."""
        if connection not in self:
            return
        del self._by_phase[connection.phase][connection]
        self._by_source[connection.source] -= 1
        if not self._by_source[connection.source]:
            del self._by_source[connection.source]

    def sweep(self, now: float) -> None:
        """Call ``late`` of every connection whose deadline has passed: one pass is cheaper than a timer per request."""
        for connections in self._by_phase.values():
            overdue = [one for one in connections if one.deadline is not None and one.deadline <= now]
            for connection in overdue:
                connection.deadline = None
                connection.late()

    def abort_all(self) -> None:
        """Close every open connection, answered or not."""
        for connections in self._by_phase.values():
            for connection in tuple(connections):
                self.remove(connection)
                connection.abort()

    def reserve_body(self, size: int) -> bool:
        """Reserve ``size`` bytes for a body; return False if bodies fill ``body_memory``."""
        if self._body_bytes + size > self.limits.body_memory:
            return False
        self._body_bytes += size
        return True

    def release_body(self, size: int) -> None:
        """Release bytes that ``reserve_body`` reserved."""
        self._body_bytes -= size

    def _displace(self, source: str | None) -> bool:
        for phase in (Phase.WAITING, Phase.RECEIVING):
            if source is None:
                # One of the source with most connections, so that a flood does not displace the few of others.
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
