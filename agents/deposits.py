"""Topic ``deposits``: deposits that are detected, confirmed, retracted or settled."""

from __future__ import annotations

import faust
from faust.types import StreamT

from streams.app import bytes_topic
from streams.delivery import Inlet

TOPIC = "deposits"


def register(app: faust.App, topic: str, inlet: Inlet) -> None:
    """Consume ``topic`` (name with prefix)."""

    async def deposits(stream: StreamT[bytes]) -> None:
        # faust's abstract type does not declare noack
        async for event in stream.noack().events():  # type: ignore[attr-defined]
            await inlet.take(event)

    app.agent(bytes_topic(app, topic), name="deposits", concurrency=1)(deposits)
