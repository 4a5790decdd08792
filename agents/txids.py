"""Topic ``txids``: on-chain progress of allowed withdrawals."""

from __future__ import annotations

import faust
from faust.types import StreamT

from streams.app import bytes_topic
from streams.delivery import Inlet

TOPIC = "txids"


def register(app: faust.App, topic: str, inlet: Inlet) -> None:
    """Consume ``topic`` (name with prefix)."""

    async def txids(stream: StreamT[bytes]) -> None:
        # faust's abstract type does not declare noack
        async for event in stream.noack().events():  # type: ignore[attr-defined]
            await inlet.take(event)

    app.agent(bytes_topic(app, topic), name="txids", concurrency=1)(txids)
