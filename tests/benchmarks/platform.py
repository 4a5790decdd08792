"""The trading platform that makes the load: it requests, consumes verdicts, and broadcasts what is allowed."""

from __future__ import annotations

import asyncio
import contextlib
from datetime import UTC, datetime
from time import perf_counter
from typing import Any
from uuid import uuid4

import aiohttp
import orjson
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer

from schemas.events.cloudevents import write_event
from tests.benchmarks.program import ProgramFailed
from tests.benchmarks.surroundings import ROBOTS

PATIENCE_SECONDS = 120.0


def request_of(number: int) -> dict[str, Any]:
    """The data of a withdrawal, as the contract's example has it."""
    return {
        "withdrawalId": str(uuid4()),
        "currency": "XRP",
        "network": "XRP",
        "amount": f"{250 + number % 50}.5",
        "tradePrice": "150.30",
        "tradeCurrency": "USD",
        "isExceedingThreshold": True,
        "historicalCost": "",
        "destination": {
            "kind": "vasp",
            "vaspEntityId": ROBOTS[number % len(ROBOTS)],
            "address": "rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY",
            "tag": f"{77000 + number}",
        },
        "originator": {
            "customerId": f"c-{number}",
            "walletAddress": f"rEb8TK3gBgk5auZkwc6sHnwrGVJH8DuaLh:{number}",
            "natural": {"lastName": "Berg", "firstName": "Anna", "dateOfBirth": "1990-02-03"},
        },
        "beneficiary": {"natural": {"lastName": "Lind", "firstName": "Erik"}},
    }


def event(kind: str, key: str, data: dict[str, Any]) -> bytes:
    """An event of the platform."""
    return write_event(type=kind, source="/platform", id=str(uuid4()), subject=key, time=datetime.now(UTC), data=data)


class Platform:
    """Plays one VASP's platform on the topics with ``prefix``."""

    def __init__(self, bootstrap: str, prefix: str, hub_url: str) -> None:
        self._prefix = prefix
        self._journal = f"{hub_url}/sandbox/journal?operation=txid-report"
        self._producer = AIOKafkaProducer(bootstrap_servers=bootstrap, acks="all", linger_ms=2)
        self._consumer = AIOKafkaConsumer(
            f"{prefix}verdicts", bootstrap_servers=bootstrap, group_id=None, auto_offset_reset="latest"
        )
        self._asked: dict[str, float] = {}
        self._reading: asyncio.Task[None] | None = None
        self._seen_until = 0
        self.latencies: list[float] = []
        self.refused: list[str] = []

    async def start(self) -> None:
        """Connect and begin to listen."""
        await self._producer.start()
        await self._consumer.start()
        await self._consumer.seek_to_end()
        self._seen_until = await self._skip_journal()
        self._reading = asyncio.create_task(self._read())

    async def stop(self) -> None:
        """Disconnect."""
        if self._reading is not None:
            self._reading.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._reading
        await self._consumer.stop()
        await self._producer.stop()

    async def play(self, count: int, per_second: float | None = None) -> float:
        """Send ``count`` withdrawals, all at once or evenly spread, and wait until every txid was reported.

        Gives the seconds from the first request to the last report. ``latencies`` then holds the seconds from each
        request to its verdict.
        """
        self.latencies = []
        began = perf_counter()
        for number in range(count):
            if per_second:
                await asyncio.sleep(max(0.0, began + number / per_second - perf_counter()))  # the pace of the load
            data = request_of(number)
            key = data["withdrawalId"]
            value = event("withdrawal.requested.v1", key, data)
            self._asked[key] = perf_counter()
            await self._producer.send(f"{self._prefix}withdrawals", value, key.encode())
        await self._until_reported(count)
        return perf_counter() - began

    async def _read(self) -> None:
        async for record in self._consumer:
            verdict = orjson.loads(record.value)["data"]
            key = record.key.decode()
            asked = self._asked.pop(key, None)
            if asked is None:
                continue
            self.latencies.append(perf_counter() - asked)
            if verdict["verdict"] != "allow":
                self.refused.append(",".join(verdict["reasons"]))
                continue
            data = {"withdrawalId": key, "txid": uuid4().hex + uuid4().hex}
            await self._producer.send(f"{self._prefix}txids", event("withdrawal.broadcast.v1", key, data), record.key)

    async def _until_reported(self, count: int) -> None:
        reported = 0
        waited_since = perf_counter()
        async with aiohttp.ClientSession() as session:
            while reported < count:
                if self.refused or perf_counter() - waited_since > PATIENCE_SECONDS:
                    raise ProgramFailed(f"{reported} of {count} reported, refused: {self.refused[:3]}")
                page = await self._page(session)
                if any(entry["status"] != 200 for entry in page["entries"]):
                    raise ProgramFailed(f"a report was refused: {page['entries'][:3]}")
                reported += len(page["entries"])
                self._seen_until = page["next"]
                await asyncio.sleep(0.1)  # the hub's journal can only be asked

    async def _skip_journal(self) -> int:
        async with aiohttp.ClientSession() as session:
            return int((await self._page(session))["next"])

    async def _page(self, session: aiohttp.ClientSession) -> dict[str, Any]:
        async with session.get(f"{self._journal}&since={self._seen_until}") as answer:
            return dict(orjson.loads(await answer.read()))
