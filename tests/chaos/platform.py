"""The trading platform in a fault run: it sends until the broker has it, and goes on reading whatever happens."""

from __future__ import annotations

import asyncio

from aiokafka.errors import KafkaError

from tests.chaos.subject import SubjectScript
from travelrule.commands.demo.platform import DemoPlatform, SeenEvent

AGAIN_SECONDS = 0.5


class PersistentPlatform(DemoPlatform):
    """A platform that never gives up. ``scripts`` by subject id get the verdicts about them."""

    def __init__(self, bootstrap: str, prefix: str) -> None:
        super().__init__(bootstrap, prefix)
        self.scripts: dict[str, SubjectScript] = {}
        self.on_seen = self._see

    async def deliver(self, topic: str, key: str, value: bytes) -> int:
        """Send until acknowledged (so perhaps twice); return the partition."""
        while True:
            try:
                sent = await self._producer.send_and_wait(f"{self._prefix}{topic}", value, key.encode())
            except (KafkaError, OSError):
                await asyncio.sleep(AGAIN_SECONDS)  # the broker is away; nothing announces its return
            else:
                return int(sent.partition)

    def _see(self, seen: SeenEvent) -> None:
        script = self.scripts.get(seen.key)
        if script is not None and seen.topic == "verdicts":
            script.see(seen.data)

    async def _read(self) -> None:
        while True:
            try:
                await super()._read()
            except (KafkaError, OSError):
                await asyncio.sleep(AGAIN_SECONDS)
