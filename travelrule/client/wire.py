"""One signed HTTP request and its answer, without meaning: the port that the two transports implement.

Neither repeats a request by itself: a repeat needs a new nonce and signature (``errors.md`` section 3), and
some libraries repeat a 408 or a broken keep-alive connection on their own (``hub-api.md`` section 10).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from travelrule.client.operations import Operation


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A request to send.

    ``path`` is already quoted; ``body`` is sent as it is; ``headers`` are those besides the signature.
    """

    operation: Operation
    path: str
    body: bytes = field(repr=False)
    headers: dict[str, str] = field(repr=False)


@dataclass(frozen=True, slots=True)
class RawAnswer:
    """What came back: the body is whole and within the operation's limit.

    ``retry_after`` is the header, or ``""``.
    """

    status: int
    body: bytes = field(repr=False)
    retry_after: str = ""


@dataclass(frozen=True, slots=True)
class Limits:
    """Of one process, in seconds.

    ``connections`` to the hub, ``idle_s`` before an unused one is closed (below the 5 s after which common
    servers close it, so that a request seldom meets a connection that is just closing), ``connect_s`` and
    ``pool_s`` for getting one. The limit for the whole answer belongs to the operation.
    """

    connections: int = 100
    idle_s: float = 4.0
    connect_s: float = 3.0
    pool_s: float = 10.0


class Wire(Protocol):
    """Sends signed requests.

    Raises ``NoAnswer`` or ``BadAnswer`` (``client.errors``) and nothing of its library.
    """

    async def send(self, request: Outgoing) -> RawAnswer:
        """Sign, send once, read the whole answer within the operation's limits."""

    async def aclose(self) -> None:
        """Close all connections."""
