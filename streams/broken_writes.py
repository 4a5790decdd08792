"""A write to a broken connection is an error of the connection, also under uvloop.

aiokafka expects ``OSError`` from a write. uvloop raises ``RuntimeError`` in the moments between the end of a transport
and the news of it. That error ends aiokafka's background task which keeps the metadata: from then on the consumer looks
for its coordinator for ever, holds its partitions in its own eyes, and nobody is told.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from aiokafka.conn import AIOKafkaConnection, CloseReason
from aiokafka.errors import KafkaConnectionError

_send: Callable[..., Any] = AIOKafkaConnection.send


def mend() -> None:
    """Let every aiokafka connection of this process fail as its callers expect. May be called again."""
    AIOKafkaConnection.send = send


def send(connection: Any, request: Any, expect_response: bool = True) -> Any:  # noqa: FBT001, FBT002 - aiokafka's
    """``AIOKafkaConnection.send``. Raises ``KafkaConnectionError`` also for a closed transport of uvloop."""
    try:
        return _send(connection, request, expect_response)
    except RuntimeError as error:
        connection.close(reason=CloseReason.CONNECTION_BROKEN)
        raise KafkaConnectionError("the connection to the broker is closed") from error
