"""One signed HTTP request and its unread answer: the port that the two transports implement.

A transport repeats no request: a repeat needs a new nonce and signature (``errors.md`` section 3). Some libraries
repeat after a 408 or a broken keep-alive connection (``hub-api.md`` section 10).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from travelrule.client.operations import ClientOperation


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A request to send.

    ``path`` is already quoted; ``body`` is sent as it is; ``headers`` are those that the signature does not set.
    """

    operation: ClientOperation
    path: str
    body: bytes = field(repr=False)
    headers: dict[str, str] = field(repr=False)


@dataclass(frozen=True, slots=True)
class RawAnswer:
    """An answer whose whole body is within the operation's limit. ``retry_after`` is the header, or ``""``."""

    status: int
    body: bytes = field(repr=False)
    retry_after: str = ""


@dataclass(frozen=True, slots=True)
class TransportLimits:
    """The limits of one process: ``connections`` to the hub, times in seconds.

    An unused connection is closed after ``idle_s``, before the 5 s of common servers, so that few requests are sent on
    a connection that the server closes. ``connect_s`` and ``pool_s`` limit the wait for a connection. The limit for the
    whole answer belongs to the operation.
    """

    connections: int = 100
    idle_s: float = 4.0
    connect_s: float = 3.0
    pool_s: float = 10.0


class HubTransport(Protocol):
    """Sends signed requests.

    Raises ``NoAnswer`` or ``BadAnswer`` (``client.errors``) and no exception of its library.
    """

    async def send(self, request: Outgoing) -> RawAnswer:
        """Sign, send once, read the whole answer within the operation's limits."""

    async def aclose(self) -> None:
        """Close all connections."""
