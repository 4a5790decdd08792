"""The events of the guide for platforms, played: each folder of ``examples/platforms/events`` is a story.

Its files are in order. What a platform sends is sent, with fresh ids; what it receives is waited for and compared.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

from schemas.registry import EVENTS, TOPICS
from travelrule.commands.demo.deposit_scenarios import sent
from travelrule.commands.demo.platform import DemoPlatform, SeenEvent
from travelrule.commands.demo.scenarios import DemoStage
from travelrule.commands.demo.screening_scenarios import prove

FOLDER = Path(__file__).parents[2] / "examples" / "platforms" / "events"
STORIES = tuple(sorted(path.name for path in FOLDER.iterdir()))
BENEFICIARY = "south"
"""The VASP whose platform sees the deposits; the other stories are north's."""

UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
TXID = r"[0-9A-F]{64}|0x[0-9a-f]{64}"
VARIABLE = frozenset(
    {"policyVersion", "transferId", "token", "walletVerificationId", "expiresAt", "verifiedAt", "requestId"}
    | {"hubRequestId", "sequence", "facts", "asked", "deadLetterId"}
)
"""Fields whose values differ between runs; they have to be there."""


@dataclass
class Story:
    """One story on a running network. ``seen`` are the records that were waited for, by the name of their file."""

    name: str
    stage: DemoStage
    fresh: dict[str, str] = field(default_factory=dict)
    seen: dict[str, SeenEvent] = field(default_factory=dict)

    @property
    def entity_id(self) -> str:
        """The VASP whose platform plays it."""
        return BENEFICIARY if self.name.startswith("deposit") else "north"

    @property
    def platform(self) -> DemoPlatform:
        """The platform that plays it."""
        return self.stage.network.platforms[self.entity_id]

    def event(self, path: Path) -> dict[str, Any]:
        """The event of a file, with this run's ids."""
        text = re.sub(rf"{UUID}|{TXID}", self._fresh, path.read_text(encoding="utf-8"))
        event: dict[str, Any] = json.loads(text)
        return event

    async def play(self) -> None:
        """Send and expect, file by file."""
        for path in files(self.name):
            event = self.event(path)
            if (before := BEFORE.get((self.name, path.stem))) is not None:
                await before(self, event)
            topic = EVENTS[event["type"]].topic
            if TOPICS[topic].direction == "in":
                await self.platform.send_bytes(topic, event["subject"], json.dumps(event).encode())
            else:
                self.seen[path.stem] = await self.platform.expect(
                    f"{self.name}/{path.stem}: {json.dumps(event['data'])}", lambda seen, event=event: fits(seen, event)
                )

    def _fresh(self, found: re.Match[str]) -> str:
        return self.fresh.setdefault(found[0], _another(found[0]))


def files(story: str) -> list[Path]:
    """The files of a story in their order."""
    return sorted((FOLDER / story).glob("*.json"), key=lambda path: int(path.stem.partition("-")[0]))


def fits(seen: SeenEvent, expected: dict[str, Any]) -> bool:
    """Whether a record is the expected event, as far as its fields are the same in each run."""
    if seen.type != expected["type"] or comparable(seen.data) != comparable(expected["data"]):
        return False
    return set(seen.data) == set(expected["data"])


def comparable(data: dict[str, Any]) -> dict[str, Any]:
    """The fields that are the same in each run."""
    return {name: value for name, value in data.items() if name not in VARIABLE}


def _another(example: str) -> str:
    if "-" in example:
        return str(uuid4())
    digits = uuid4().hex + uuid4().hex
    return f"0x{digits}" if example.startswith("0x") else digits.upper()


async def _announce(story: Story, event: dict[str, Any]) -> None:
    """North sends the transaction of the deposit and reports it."""
    txid = event["data"]["txid"]
    await story.stage.reported(await sent(story.stage, txid), txid)


async def _prove(story: Story, event: dict[str, Any]) -> None:
    """The customer signs with the wallet, in the widget of the session."""
    await prove(story.stage, event["subject"])


BEFORE: dict[tuple[str, str], Callable[[Story, dict[str, Any]], Awaitable[None]]] = {
    ("deposit", "1-detected"): _announce,
    ("deposit-retracted", "1-detected"): _announce,
    ("withdrawal-unhosted", "4-ownership-result"): _prove,
    ("ownership", "3-ownership-result"): _prove,
}
"""What others do before the event of a file."""


async def play_all(stage: DemoStage) -> dict[str, Story]:
    """Play every story at the same time; return them."""
    stories = {name: Story(name, stage) for name in STORIES}
    async with asyncio.TaskGroup() as group:
        for story in stories.values():
            group.create_task(story.play())
    return stories
