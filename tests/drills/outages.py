"""Faults of services and processes: hub, broker, database, worker, gateway."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import asyncpg
from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.protocol.group import LeaveGroupRequest

from tests.drills.network import Ground

WORKER = "north-worker-0"
GATEWAY = "north-gateway-0"


@asynccontextmanager
async def hub_killed(ground: Ground) -> AsyncIterator[None]:
    """The hub's process is gone."""
    await ground.network.sandbox.kill()
    withdrawal_id = await ground.request()
    yield
    await ground.start_hub()
    await ground.platform.verdict(withdrawal_id, "allow", "VERIFIED")


@asynccontextmanager
async def broker_frozen(ground: Ground) -> AsyncIterator[None]:
    """The broker keeps its connections and answers nothing; an event is decided meanwhile."""
    await asyncio.to_thread(ground.kafka.freeze)
    await ground.entry(ground.network.south, vaspLegalName="South Exchange Renamed Ltd.")
    yield
    await asyncio.to_thread(ground.kafka.thaw)
    await ground.entry(ground.network.south)


@asynccontextmanager
async def database_stopped(ground: Ground) -> AsyncIterator[None]:
    """PostgreSQL does not run."""
    await asyncio.to_thread(ground.postgres.stop)
    yield
    await asyncio.to_thread(ground.postgres.start)


@asynccontextmanager
async def database_frozen(ground: Ground) -> AsyncIterator[None]:
    """PostgreSQL accepts no new connection, and those of north are gone: each task waits for one."""
    dsn = ground.postgres.dsn(ground.network.databases["north"]).replace("+asyncpg", "")
    connection = await asyncpg.connect(dsn)
    await asyncio.to_thread(ground.postgres.freeze)
    others = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
    await connection.execute(f"{others} WHERE datname = current_database() AND pid <> pg_backend_pid()")
    yield
    await asyncio.to_thread(ground.postgres.thaw)
    await connection.close()


@asynccontextmanager
async def table_locked(ground: Ground) -> AsyncIterator[None]:
    """A session of somebody else holds a lock that every transaction needs, while events arrive."""
    sending = asyncio.create_task(_send(ground))
    try:
        async with ground.locked("inputs"):
            yield
    finally:
        sending.cancel()


async def _send(ground: Ground) -> None:
    """Request more and more withdrawals of a coin that is not served: each gets its verdict at once."""
    while True:
        await asyncio.gather(*(ground.request(currency="XLM", network="XLM") for _ in range(20)))
        await asyncio.sleep(0.5)  # the platform's own pace


@asynccontextmanager
async def members_removed(ground: Ground) -> AsyncIterator[None]:
    """A client with rights on the group removes its members again and again: the worker runs and has no partition."""
    admin = AIOKafkaAdminClient(bootstrap_servers=ground.kafka.bootstrap)
    await admin.start()
    removing = asyncio.create_task(_remove(admin, ground.north.group))
    try:
        yield
    finally:
        removing.cancel()
        await asyncio.gather(removing, return_exceptions=True)
        await admin.close()


async def _remove(admin: AIOKafkaAdminClient, group: str) -> None:
    coordinator = await admin.find_coordinator(group)
    while True:
        (answer,) = await admin.describe_consumer_groups([group])
        for member in answer.groups[0][5]:
            await admin._send_request(LeaveGroupRequest(group, member[0]), coordinator)
        await asyncio.sleep(0.2)  # the pace of that client


@asynccontextmanager
async def gateway_killed(ground: Ground) -> AsyncIterator[None]:
    """A process is gone."""
    await ground.network.processes[GATEWAY].kill()
    yield
    await ground.start(GATEWAY)


@asynccontextmanager
async def worker_killed(ground: Ground) -> AsyncIterator[None]:
    """No worker runs, the gateway does."""
    await ground.network.processes[WORKER].kill()
    yield
    await ground.start(WORKER)


@asynccontextmanager
async def everything_killed(ground: Ground) -> AsyncIterator[None]:
    """No process of the installation runs."""
    for name in (WORKER, GATEWAY):
        await ground.network.processes[name].kill()
    yield
    await ground.start(WORKER, GATEWAY)


@asynccontextmanager
async def worker_throttled(ground: Ground) -> AsyncIterator[None]:
    """The worker gets a share of its processor time only, in pieces, as under a container's limit."""
    throttling = asyncio.create_task(_throttle(ground))
    try:
        yield
    finally:
        throttling.cancel()
        await asyncio.gather(throttling, return_exceptions=True)
        ground.network.processes[WORKER].send(signal.SIGCONT)


async def _throttle(ground: Ground) -> None:
    process = ground.network.processes[WORKER]
    while True:
        process.send(signal.SIGSTOP)
        await asyncio.sleep(1.0)  # the time without a processor
        process.send(signal.SIGCONT)
        await asyncio.sleep(0.3)  # the time with one
