"""Faults of counterparties and of the directory: keys, silence, slowness."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from uuid import uuid4

from tests.chaos.members import ADDRESSES
from tests.drills.network import Ground
from tests.drills.outages import WORKER
from tests.e2e.member import Member
from travelrule.commands.demo.risks import SLOW_TXID
from travelrule.commands.demo.scenarios import withdrawal
from travelrule.commands.demo.vasp import new_seed

SILENT = 12
KYT_REQUESTS = 6


def _expiring(member: Member) -> list[dict[str, str]]:
    at = datetime.now(UTC) + timedelta(days=1)
    return [{"pubkey": member.public_key, "expiresAt": at.strftime("%Y-%m-%dT%H:%M:%SZ")}]


@asynccontextmanager
async def own_key_expiring(ground: Ground) -> AsyncIterator[None]:
    """The directory lists our key until tomorrow; then it is registered with a later expiry."""
    await ground.entry(ground.north, pubkeys=_expiring(ground.north))
    yield
    await ground.entry(ground.north)


@asynccontextmanager
async def own_key_replaced(ground: Ground) -> AsyncIterator[None]:
    """The worker is deployed with an unregistered key; then with the registered one again."""
    registered = ground.north.seeds
    try:
        ground.north.seeds = [new_seed()]
        await ground.network.processes[WORKER].stop()
        await ground.start(WORKER)
        yield
    finally:
        ground.north.seeds = registered
    await ground.network.processes[WORKER].stop()
    await ground.start(WORKER)


@asynccontextmanager
async def their_key_expiring(ground: Ground) -> AsyncIterator[None]:
    """The directory lists a counterparty's key until tomorrow."""
    await ground.entry(ground.network.south, pubkeys=_expiring(ground.network.south))
    yield
    await ground.entry(ground.network.south)


@asynccontextmanager
async def counterparty_silent(ground: Ground) -> AsyncIterator[None]:
    """A counterparty that is listed as up does not answer many withdrawals."""
    await ground.fault("address-search", "status", member="south", status=408)
    ids = [await ground.request() for _ in range(SILENT)]
    yield
    await ground.no_fault()
    for withdrawal_id in ids:
        await ground.until_allowed(withdrawal_id)


@asynccontextmanager
async def one_unanswered(ground: Ground) -> AsyncIterator[None]:
    """Every attempt of one call fails, too few to open the circuit; the withdrawal is on hold and denied."""
    await ground.fault("address-search", "status", member="south", status=408)
    withdrawal_id = await ground.request()
    await ground.platform.verdict(withdrawal_id, "hold", "COUNTERPARTY_UNREACHABLE")
    yield
    line = "travelrule decide withdrawal:ID deny --actor WHO --reason TEXT"
    await ground.follow("TravelRuleCallsExhausted", line, ID=withdrawal_id, WHO="alice", TEXT="rehearsal")
    await ground.platform.verdict(withdrawal_id, "deny", "OPERATOR")
    await ground.no_fault()


@asynccontextmanager
async def counterparty_slow(ground: Ground) -> AsyncIterator[None]:
    """A counterparty answers later than our policy's limit for verdicts; other withdrawals follow it."""
    await ground.fault("address-search", "latency", member="south", delaySeconds=6)
    asking = asyncio.create_task(_ask(ground))
    try:
        yield
    finally:
        asking.cancel()
        await ground.no_fault()
        for _ in range(20):
            await ground.until_allowed(await ground.request())


async def _ask(ground: Ground) -> None:
    while True:
        await ground.request()
        await asyncio.sleep(1.0)  # the platform's own pace


@asynccontextmanager
async def gateway_locked(ground: Ground) -> AsyncIterator[None]:
    """A session of somebody else locks what the gateway needs, while the hub asks for addresses and calls back."""
    for _ in range(KYT_REQUESTS):
        await ground.analyse(SLOW_TXID)
        await asyncio.sleep(1.0)  # the callbacks then arrive apart, and the counter is seen to rise
    asking = asyncio.create_task(_withdraw_to_north(ground))
    try:
        async with ground.locked("wallets", "inputs"):
            yield
    finally:
        asking.cancel()


async def _withdraw_to_north(ground: Ground) -> None:
    while True:
        withdrawal_id = str(uuid4())
        destination = {"kind": "vasp", "vaspEntityId": "north", "address": ADDRESSES["north"], "tag": "1"}
        data = withdrawal(withdrawal_id) | {"destination": destination}
        await ground.network.platforms["south"].send("withdrawals", "withdrawal.requested.v1", withdrawal_id, data)
        await asyncio.sleep(0.5)  # the other platform's pace
