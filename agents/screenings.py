"""Topic ``screenings``: requests to rate a wallet or a transaction, or to have a customer prove a wallet."""

from __future__ import annotations

import faust
from faust.types import StreamT

from streams.app import bytes_topic
from streams.delivery import Inlet

TOPIC = "screenings"


def register(app: faust.App, topic: str, inlet: Inlet) -> None:
    """Consume ``topic`` (name with prefix)."""

    async def screenings(stream: StreamT[bytes]) -> None:
        # faust's abstract type does not declare noack
        async for event in stream.noack().events():  # type: ignore[attr-defined]
            await inlet.take(event)

    app.agent(bytes_topic(app, topic), name="screenings", concurrency=1)(screenings)
