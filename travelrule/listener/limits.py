"""Limits of one listener, for all peers and for one: bytes, counts and times."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ListenerLimits:
    """Limits of one listener. Sizes are bytes, times seconds.

    ``head_bytes`` and ``header_count`` bound the request line with its headers. ``head_seconds`` runs from the first
    byte of a head (for a new connection: from the accept, TLS handshake included), ``body_seconds`` from the end of
    the head to the end of the body, ``answer_seconds`` from there until the peer has received the answer,
    ``idle_seconds`` between a response and the next request. ``body_memory`` bounds the bodies that are received or
    answered on all connections together. Deadlines are checked every ``sweep_seconds``.
    """

    head_bytes: int = 16_384
    header_count: int = 64
    head_seconds: float = 10.0
    body_seconds: float = 15.0
    answer_seconds: float = 60.0
    idle_seconds: float = 75.0
    connections: int = 1_024
    connections_per_source: int = 512
    body_memory: int = 64 * 1_048_576
    sweep_seconds: float = 1.0

    def __post_init__(self) -> None:
        """Refuse a limit that would refuse every request."""
        for name in self.__slots__:
            if getattr(self, name) <= 0:
                raise ValueError(f"{name} must be greater than 0")
