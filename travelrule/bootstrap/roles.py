"""``travelrule serve``: the named roles in one process, until a signal or a failure that needs a restart.

Order of a regular shutdown: stop consuming, commit what was consumed, finish open requests, close. A part that fails
for any other reason than an unreachable database or broker ends the process with exit 1: unacknowledged records are
delivered again, leases expire, and no state is only in memory. Ports are bound first.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import socket
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from streams.codec import reader
from streams.connection import Connection, connect
from streams.embedded import EmbeddedBroker, own_or_find
from streams.topics import Topics
from travelrule import logs
from travelrule.bootstrap.broker import check_topics
from travelrule.bootstrap.gateway_role import serve_gateway, serve_until
from travelrule.bootstrap.installation import (
    Installation,
    open_counterparties,
    open_hub,
    open_installation,
    open_lists,
    verify_keys,
)
from travelrule.bootstrap.list_import import load_first_lists
from travelrule.bootstrap.process_metrics import show_build, watch_event_loop
from travelrule.bootstrap.shutdown import Shutdown
from travelrule.bootstrap.worker_role import WorkerRole
from travelrule.engine.heartbeat import HeartbeatJob
from travelrule.engine.intake import Intake
from travelrule.environment import PREFIX
from travelrule.gateway.tls import Tls, server_context
from travelrule.health import Check, create_health, health_server
from travelrule.listener.bound_sockets import bound
from travelrule.setting_types import HostPort
from travelrule.settings import Settings
from travelrule.store import schema_version
from travelrule.store.database import Database, is_infrastructure_failure

COLLECT_AFTER = (20_000, 20, 50)
"""Thresholds of the garbage collector for its three generations."""

ROLES = ("worker", "gateway", "console")
METRICS, GATEWAY = f"{PREFIX}METRICS_LISTEN", f"{PREFIX}GATEWAY_LISTEN"

log = logs.get("serve")


@dataclass(frozen=True, slots=True)
class HealthChecks:
    """The checks of ``/livez`` and ``/readyz``; they are added while the process starts."""

    live: dict[str, Check] = field(default_factory=dict)
    ready: dict[str, Check] = field(default_factory=dict)


async def serve_roles(settings: Settings, roles: frozenset[str]) -> None:
    """Run ``roles`` until SIGTERM or SIGINT."""
    stop = Shutdown()
    stop.install()
    if "gateway" in roles:
        server_context(Tls.of(settings))  # an unusable file is reported before anything is started
    with bound(_listens(settings, roles)) as sockets:
        serving = asyncio.create_task(_open_and_serve(settings, roles, sockets, stop))
        given_up = await stop.while_starting(serving)
    log.info("stopped", role=",".join(sorted(roles)), reason="while starting" if given_up else None)


def _listens(settings: Settings, roles: frozenset[str]) -> dict[str, HostPort]:
    listens = {METRICS: settings.metrics_listen}
    if "gateway" in roles:
        listens[GATEWAY] = settings.gateway_listen
    return listens


async def _open_and_serve(
    settings: Settings, roles: frozenset[str], sockets: dict[str, list[socket.socket]], stop: Shutdown
) -> None:
    show_build()
    probes = HealthChecks(ready={"started": lambda: stop.started})
    server = health_server(create_health(probes.live, probes.ready))
    health = asyncio.create_task(serve_until(server, sockets[METRICS], stop.asked))
    try:
        await _check_database(settings)
        async with _broker(settings, needed="worker" in roles) as connection:
            opened = await open_installation(settings)
            opened.database.show_metrics()
            try:
                async with opened.database.explained():
                    await load_first_lists(opened)
                await _serve(opened, roles, connection, sockets, stop, probes, health)
            finally:
                await opened.close()
    finally:
        health.cancel()
        await asyncio.gather(health, return_exceptions=True)


async def _check_database(settings: Settings) -> None:
    """Check the keys against the database before anything else. Upgrade an embedded database, which this installation
    owns alone.
    """
    database = Database.of(settings)
    try:
        async with database.explained():
            await database.check()
            await verify_keys(settings, database)
            if not database.is_postgresql:
                await schema_version.upgrade(database)
    finally:
        await database.dispose()


@asynccontextmanager
async def _broker(settings: Settings, *, needed: bool) -> AsyncIterator[Connection | None]:
    if not needed:
        yield None
        return
    owned: EmbeddedBroker | None = None
    if settings.embedded_broker:
        names = list(Topics(settings.topic_prefix).specs())
        owned = await asyncio.to_thread(own_or_find, settings.data_dir, names)
    try:
        connection = await asyncio.to_thread(connect, settings)
        await check_topics(settings, connection)
        yield connection
    finally:
        if owned is not None:
            owned.close()


async def _serve(
    opened: Installation,
    roles: frozenset[str],
    connection: Connection | None,
    sockets: dict[str, list[socket.socket]],
    stop: Shutdown,
    probes: HealthChecks,
    health: asyncio.Task[None],
) -> None:
    hub = open_hub(opened)
    counterparties = open_counterparties(opened, hub)
    lists = open_lists(opened)
    await lists.start()
    probes.ready["database"] = opened.reads.ready
    intake = Intake(opened.engine, reader(opened.clock), database_failed=is_infrastructure_failure)
    counterparties.tell = intake.submit
    worker = None
    if connection is not None:
        worker = WorkerRole(opened, connection, hub, counterparties, intake, lists)
        await worker.start()
        probes.live["worker"] = worker.alive
        probes.ready["broker"] = worker.ready
    stop.started = True
    services: list[Coroutine[Any, Any, None]] = [
        intake.run(),
        watch_event_loop(),
        HeartbeatJob(intake, opened.leases.write_heartbeat).run(is_infrastructure_failure),
        opened.policy.run(is_infrastructure_failure),
        lists.run(is_infrastructure_failure),
    ]
    if worker is not None:
        services += [*worker.background(), worker.failure()]
    if "gateway" in roles:
        services.append(serve_gateway(opened, intake, counterparties, lists, sockets[GATEWAY], stop.asked))
    _settle_memory()
    log.info("started", role=",".join(sorted(roles)), vasp=opened.entity_id)
    try:
        await _until_stopped([health, *(asyncio.create_task(service) for service in services)], stop, worker)
    finally:
        await hub.aclose()


def _settle_memory() -> None:
    """Exclude everything loaded at the start from garbage collection.

    Reference counting frees the objects of a batch. With the default thresholds a fifth of a busy worker's time was
    spent on the search for cycles among modules and models.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(*COLLECT_AFTER)


async def _until_stopped(tasks: list[asyncio.Task[None]], stop: Shutdown, worker: WorkerRole | None) -> None:
    stopping = asyncio.create_task(stop.asked.wait())
    try:
        await asyncio.wait({stopping, *tasks}, return_when=asyncio.FIRST_COMPLETED)
        failed = [] if stop.asked.is_set() else [_reason(task) for task in tasks if task.done()]
        for reason in failed:
            log.error("role-failed", error=reason)
        stop.ask()
        if worker is not None:
            # The committer still runs: consumed records are committed and acknowledged first.
            await worker.stop()
        if failed:
            raise failed[0]
    finally:
        for task in (*tasks, stopping):
            task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.gather(*tasks, stopping, return_exceptions=True)


def _reason(task: asyncio.Task[None]) -> BaseException:
    """The reason why a service that should run until the end of the process ended."""
    if not task.cancelled() and (error := task.exception()) is not None:
        return error
    return RuntimeError("a service ended by itself")
