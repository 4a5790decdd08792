"""A fault run: the stream of customers, the faults one after the other, and the wait until all is quiet."""

from __future__ import annotations

import asyncio
import random
import sys
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any

from agents import AGENTS
from schemas.registry import PARTITIONS_REAL
from streams.topics import Topics
from tests.chaos.consumer_groups import behind
from tests.chaos.deposit_scenarios import DepositScenarios, DepositScript, pick_deposit
from tests.chaos.fault_run_network import FaultRun
from tests.chaos.faults import Fault
from tests.chaos.members import Payment
from tests.chaos.plan import ALL_FAULTS, Plan
from tests.chaos.stored_events import UNREADABLE, Stored
from tests.chaos.subject import SubjectScript
from tests.chaos.timeline import LATE_SECONDS, FaultWindow, Timeline
from tests.chaos.withdrawal_scenarios import WithdrawalScenarios, WithdrawalScript, new_story, pick
from tests.e2e.network import ROBOT

LOOK_SECONDS = 0.1
BURST = 15
"""Customers who come at once when a fault strikes, so that it hits some on each part of their way."""


class Run:
    """One run in an fault run."""

    def __init__(self, fault_run: FaultRun, plan: Plan, payments: list[Payment], rng: random.Random) -> None:
        self.timeline = Timeline()
        self._arena = fault_run
        self._plan = plan
        self._payments = list(payments)
        self._stream_rng = random.Random(rng.getrandbits(64))
        self._fault_rng = random.Random(rng.getrandbits(64))
        self._telling: set[asyncio.Task[None]] = set()
        names = list(fault_run.network.members)
        desks = {name: fault_run.platform(name) for name in names}
        self._stored = {name: Stored(fault_run.network.tables(name)) for name in names}
        self._tellers = {name: WithdrawalScenarios(desks[name]) for name in names}
        self._deposit_teller = DepositScenarios(desks, self._tellers, self._stored)

    async def go(self) -> None:
        """Stream and strike; returns when every customer was there and every fault is over."""
        beside = [asyncio.create_task(self._arena.supervise())]
        beside += [asyncio.create_task(stored.watch()) for stored in self._stored.values()]
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._strike_all())
                group.create_task(self._stream())
            await self._until_quiet()
        finally:
            for task in (*self._telling, *beside):
                task.cancel()
            await asyncio.gather(*self._telling, *beside, return_exceptions=True)

    def _next(self) -> None:
        """The next customer, in the proportion of the plan."""
        if self._stream_rng.random() * self._plan.customers < self._plan.withdrawals:
            robot = ROBOT if self._plan.with_robots else None
            self._begin(pick(self._stream_rng, robot))
            return
        deposit = pick_deposit(self._stream_rng, self._payments)
        if deposit.withdrawal is not None:
            self._known(deposit.withdrawal)
        self._known(deposit)
        self._start(partial(self._deposit_teller.tell, deposit))

    def _begin(self, story: WithdrawalScript) -> None:
        self._known(story)
        self._start(partial(self._tellers[story.origin].tell, story))

    def _known(self, script: SubjectScript) -> None:
        self.timeline.scripts.append(script)
        self._arena.platform(script.vasp).scripts[script.key] = script

    def _start(self, tell: Callable[[], Coroutine[Any, Any, None]]) -> None:
        task = asyncio.create_task(tell())
        self._telling.add(task)
        task.add_done_callback(self._told)

    def _told(self, task: asyncio.Task[None]) -> None:
        self._telling.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            say(f"a story broke off: {error!r}")

    async def _stream(self) -> None:
        """Customers come at an even pace until there were enough and every fault is over."""
        while not self._enough or not self._all_struck:
            self._next()
            await asyncio.sleep(1 / self._plan.per_second)

    @property
    def _enough(self) -> bool:
        deposits = sum(isinstance(script, DepositScript) for script in self.timeline.scripts)
        withdrawals = len(self.timeline.scripts) - deposits
        return deposits >= self._plan.deposits and withdrawals >= self._plan.withdrawals

    @property
    def _all_struck(self) -> bool:
        strikes = self.timeline.strikes
        return len(strikes) == len(self._plan.faults) and strikes[-1].over_at is not None

    async def _strike_all(self) -> None:
        for name in self._plan.faults:
            await asyncio.sleep(self._fault_rng.uniform(2, 4))
            await self._strike(ALL_FAULTS[name])

    async def _strike(self, fault: Fault) -> None:
        clock = asyncio.get_running_loop().time
        strike = FaultWindow(fault.name, clock())
        self.timeline.strikes.append(strike)
        for _ in range(BURST):
            self._next()
        say(f"{fault.name} strikes after {len(self.timeline.scripts)} withdrawals and deposits")
        killed = await fault.strike(self._arena, self._fault_rng)
        strike.over_at = clock()
        if fault.kills_worker:
            owner = self._arena.network.owner(killed[0]).entity_id
            strike.served_s = await self._partitions_served(owner) - strike.over_at
        await self._settled()
        await asyncio.gather(*(self._arena.start(name) for name in killed))
        recovered = strike.recovered_s(self.timeline.of(strike))
        say(f"{fault.name} is over, recovered {'not yet' if recovered is None else f'in {recovered:.1f} s'}")

    async def _settled(self) -> None:
        """Wait until there is no backlog, within a limit: the next fault may strike before."""
        clock = asyncio.get_running_loop().time
        began = clock()
        while clock() < began + LATE_SECONDS or self.timeline.backlog(clock()):
            if clock() > began + self._plan.settle_s:
                return
            await asyncio.sleep(LOOK_SECONDS)

    async def _partitions_served(self, entity_id: str) -> float:
        """Put a withdrawal on every partition; return the time at which the last of them had its verdict."""
        probes: dict[int, WithdrawalScript] = {}
        while len(probes) < PARTITIONS_REAL:
            story = new_story(self._stream_rng, "unserved", entity_id, entity_id)
            self._begin(story)
            while story.partition < 0:
                await asyncio.sleep(LOOK_SECONDS / 10)
            probes.setdefault(story.partition, story)
        for story in probes.values():
            await story.until(story.expected)
        return max(story.served_at or 0.0 for story in probes.values())

    async def _until_quiet(self) -> None:
        """Wait until nothing is on its way any more; what still is after the limit is judged as it stands."""
        clock = asyncio.get_running_loop().time
        ends = clock() + self._plan.quiet_s
        before = ""
        while clock() < ends:
            restless = await self._restless()
            if not restless:
                say("all is quiet")
                return
            if restless != before:
                say(f"not quiet yet: {restless}")
            before = restless
            await asyncio.sleep(LOOK_SECONDS * 10)
        say("it did not get quiet within the limit")

    async def _restless(self) -> str:
        """What is still on its way, in words; empty if nothing is."""
        parts = [f"{len(self._telling)} stories"] if self._telling else []
        for entity_id, member in self._arena.network.members.items():
            tables = self._arena.network.tables(entity_id)
            try:
                counts = {
                    "calls": await tables.count("calls"),
                    "unsent": await tables.count("outbox", "sent_at IS NULL"),
                    "parked": await tables.count("parked"),
                }
            except UNREADABLE:
                return "the database does not answer"
            inputs = Topics(member.topic_prefix)
            counts["behind"] = await behind(
                self._arena.kafka.bootstrap, member.group, [inputs.physical(name) for name in AGENTS]
            )
            parts += [f"{entity_id} {name} {count}" for name, count in counts.items() if count]
        return ", ".join(parts)


def say(text: str) -> None:
    """Print a progress line to standard error; the results go to standard output."""
    sys.stderr.write(f"chaos: {text}\n")
    sys.stderr.flush()
