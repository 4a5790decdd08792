"""The engine model and the real engine behind one protocol, for the laws that both must keep."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from datetime import datetime, timedelta
from types import SimpleNamespace
from typing import Any, Protocol, cast

import orjson
from sqlalchemy import select

from tests.simulation import scripted_member
from tests.simulation.clock import START, Clock
from tests.simulation.engine_jobs import EngineJobs
from tests.simulation.engine_model import EngineModel
from tests.support.hub import HandClock
from tests.support.toy_machine import dead_letter_headers
from travelrule.engine.apply.engine import Engine
from travelrule.engine.input_outcome import InputOutcome
from travelrule.engine.messages.message_dispatcher import MessageDispatcher
from travelrule.engine.timers import TimerJob
from travelrule.engine.vault import Vault
from travelrule.machine.input import Input, Rejected
from travelrule.policy.policy import Policy
from travelrule.store import tables
from travelrule.store.database import Database
from travelrule.store.leases import LeaseRepository

MACHINES = {"withdrawal": scripted_member.MACHINE}


class Driver(Protocol):
    """What a script of laws may do and see."""

    @property
    def now(self) -> datetime:
        """The time."""

    async def apply(self, items: Sequence[Input]) -> list[InputOutcome]:
        """Apply in order."""

    async def wait(self, seconds: float) -> None:
        """Let time pass; messages are delivered and timers come due."""

    async def heard(self, subject: str) -> tuple[str, ...]:
        """Return the inputs of a subject, in order."""

    async def events(self) -> list[tuple[str, str, str, int]]:
        """(topic, key, type, sequence), in the order in which they were said, dead letters left out."""

    async def calls(self) -> list[tuple[str, str, str, str, bool]]:
        """(id, subject, operation, transfer id, ends unsent), sorted."""

    async def parked(self) -> list[str]:
        """Ids of inputs that wait for their subject, sorted."""

    async def dead_letters(self) -> list[str]:
        """Codes, sorted."""

    async def due(self) -> list[tuple[str, str, datetime]]:
        """(subject, timer, due time), sorted."""


class InMemory:
    """The stand-in of the simulation, with the timers and messages of its process."""

    def __init__(self) -> None:
        self._clock = Clock()
        self._house = EngineModel("north", MACHINES, Policy.default, self._clock, strict=False)
        nobody = cast("Any", SimpleNamespace(asleep_until=START))
        self._process = EngineJobs(self._house, nobody, nobody, self._clock, random.Random(1))

    @property
    def now(self) -> datetime:
        return self._clock.now

    async def apply(self, items: Sequence[Input]) -> list[InputOutcome]:
        return [self._house.apply(item) for item in items]

    async def wait(self, seconds: float) -> None:
        await self._clock.run(self._clock.now + timedelta(seconds=seconds))

    async def heard(self, subject: str) -> tuple[str, ...]:
        state = self._house.state(f"withdrawal:{subject}")
        return state.heard if state is not None else ()

    async def events(self) -> list[tuple[str, str, str, int]]:
        return [(one.topic, one.key, one.type, one.data["sequence"]) for one in self._house.outbox]

    async def calls(self) -> list[tuple[str, str, str, str, bool]]:
        rows = self._house.calls.values()
        return sorted((row.id, row.subject, row.operation, row.transfer_id, row.ends_unsent) for row in rows)

    async def parked(self) -> list[str]:
        return sorted(item.id for slot in self._house.slots.values() for item in slot.parked)

    async def dead_letters(self) -> list[str]:
        # The real engine knows a message by its place and content, and keeps it once.
        return sorted(code for _, code in {(item.raw or item.id, code) for item, code in self._house.dead_letters})

    async def due(self) -> list[tuple[str, str, datetime]]:
        slots = self._house.slots.values()
        return sorted((one.subject, one.due_timer, one.due_at) for one in slots if one.due_at is not None)


class InDatabase:
    """The real engine with its real timers and its real teller."""

    def __init__(self, database: Database, vault: Vault) -> None:
        self._database = database
        self._clock = HandClock()
        self._order = asyncio.Lock()
        self._engine = Engine("north", database, MACHINES, vault, Policy.default, dead_letter_headers, clock=self._tick)
        leases = LeaseRepository(database, "north", "p1", self._clock)
        self._timers = TimerJob(database, "north", leases, self._submit, self._engine.alert, self._clock)
        self._teller = MessageDispatcher(database, "north", vault, leases, self._in_order, self._engine.committed.tells)

    async def _submit(self, item: Input) -> InputOutcome:
        # As the intake does: what is given together keeps its order.
        async with self._order:
            return (await self._engine.apply([item]))[0]

    async def _in_order(self, items: Sequence[Input | Rejected]) -> list[InputOutcome]:
        return [outcome for item in items for outcome in await self._engine.apply([item])]

    def _tick(self) -> datetime:
        """No two transactions have the same time."""
        self._clock.forward(0.001)
        return self._clock()

    @property
    def now(self) -> datetime:
        return self._clock()

    async def apply(self, items: Sequence[Input]) -> list[InputOutcome]:
        return await self._engine.apply(items)

    async def wait(self, seconds: float) -> None:
        while await self._teller.round():
            pass
        self._clock.forward(seconds)
        while await self._timers.round() or await self._teller.round():
            pass

    async def heard(self, subject: str) -> tuple[str, ...]:
        name = f"withdrawal:{subject}"
        async with self._database.begin() as connection:
            slots = await self._engine.loader.lock(connection, [name], set())
        return slots[name].state.heard if slots[name].state is not None else ()

    async def events(self) -> list[tuple[str, str, str, int]]:
        rows = sorted(await self._rows(tables.outbox), key=lambda row: row.id)
        found = [(row, orjson.loads(row.value)) for row in rows if row.topic != "deadletters"]
        assert all(event["data"]["sequence"] == row.sequence for row, event in found)
        return [(row.topic, row.key, row.type, row.sequence) for row, _ in found]

    async def calls(self) -> list[tuple[str, str, str, str, bool]]:
        rows = await self._rows(tables.calls)
        return sorted((row.id, row.subject, row.operation, row.transfer_id, row.ends_unsent) for row in rows)

    async def parked(self) -> list[str]:
        return sorted(row.id for row in await self._rows(tables.parked))

    async def dead_letters(self) -> list[str]:
        return sorted(row.code for row in await self._rows(tables.dead_letters))

    async def due(self) -> list[tuple[str, str, datetime]]:
        rows = await self._rows(tables.subjects)
        return sorted((row.subject, row.due_timer, row.due_at) for row in rows if row.due_at is not None)

    async def _rows(self, table: Any) -> list[Any]:
        async with self._database.read() as connection:
            return list((await connection.execute(select(table))).all())
