"""Makes a write to a broken connection fail as a connection error, also under uvloop.

aiokafka expects ``OSError`` from a write. uvloop raises ``RuntimeError`` between the end of a transport and the
callback that reports it. That error ends aiokafka's background task for the metadata: the consumer then searches its
coordinator indefinitely, still lists its partitions as assigned, and raises nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from aiokafka.conn import AIOKafkaConnection, CloseReason
from aiokafka.errors import KafkaConnectionError

_send: Callable[..., Any] = AIOKafkaConnection.send


def install() -> None:
    """Make every aiokafka connection of this process fail as its callers expect. May be called repeatedly."""
    AIOKafkaConnection.send = send


def send(connection: Any, request: Any, expect_response: bool = True) -> Any:  # noqa: FBT001, FBT002 - aiokafka's
    """``AIOKafkaConnection.send``. Raises ``KafkaConnectionError`` also for a closed transport of uvloop."""
    try:
        return _send(connection, request, expect_response)
    except RuntimeError as error:
        connection.close(reason=CloseReason.CONNECTION_BROKEN)
        raise KafkaConnectionError("the connection to the broker is closed") from error
