"""The worker role of one process: agents, committer, calls, relay, timers and the periodic jobs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from agents import register_all
from streams.app import create_app
from streams.connection import Connection
from streams.consumer_metrics import show_consumer
from streams.delivery import Inlet
from streams.progress import CommitProgress
from streams.publisher import KafkaPublisher
from streams.topics import Topics
from streams.worker import FaustWorker
from travelrule.bootstrap.installation import Installation, audit_key, open_searches
from travelrule.client.hub import HubClient
from travelrule.engine.audit.continuous_check import AuditCheckJob
from travelrule.engine.audit.log import AuditLogJob
from travelrule.engine.audit.verifier import AuditVerifier
from travelrule.engine.calls.attempt_router import AttemptRouter
from travelrule.engine.calls.call_dispatcher import HELD, CallDispatcher
from travelrule.engine.calls.call_executor import CallExecutor
from travelrule.engine.calls.hub_watch import HubWatch
from travelrule.engine.case_gauges import CaseGaugeJob
from travelrule.engine.directory.counterparties import CounterpartyDirectory
from travelrule.engine.directory.refresher import DirectoryRefreshJob
from travelrule.engine.gauges import GaugeJob
from travelrule.engine.intake import Intake
from travelrule.engine.lists.active_lists import ActiveLists
from travelrule.engine.lists.list_age import ListAgeJob
from travelrule.engine.lists.owner_screening import OwnerScreeningJob
from travelrule.engine.local_lookups.local_answers import LocalAnswers
from travelrule.engine.local_lookups.look_up_executor import LookUpExecutor
from travelrule.engine.messages.message_dispatcher import MessageDispatcher
from travelrule.engine.outbox.relay import Relay
from travelrule.engine.periodic_job import PeriodicJob
from travelrule.engine.queries.authorizations import AuthorizationReader
from travelrule.engine.registry import MACHINES
from travelrule.engine.retention.job import RetentionJob
from travelrule.engine.timers import TimerJob
from travelrule.store.commit_listener import CommitListener
from travelrule.store.database import Database, is_infrastructure_failure
from travelrule.store.owner_screenings import OwnerScreeningRepository

LAG_SECONDS = 2.0
RECONNECT_SECONDS = 2.0


class WorkerRole:
    """Everything that consumes, calls and publishes. ``intake`` receives Kafka records, call results and timers."""

    def __init__(
        self,
        opened: Installation,
        connection: Connection,
        hub: HubClient,
        counterparties: CounterpartyDirectory,
        intake: Intake,
        lists: ActiveLists,
    ) -> None:
        topics = Topics(opened.settings.topic_prefix)
        self._opened = opened
        self._progress = CommitProgress()
        self._publisher = KafkaPublisher(connection, topics)
        app = create_app(opened.settings, connection)
        self._faust = FaustWorker(app, connection, topics, self._progress)
        register_all(app, topics, Inlet(topics, intake.put, self._progress, self._faust.fail))
        signal = opened.engine.committed
        self._relay = Relay(opened.outbox, self._publisher, signal.outbox, opened.clock, opened.engine.alert)
        opened.engine.events = self._relay
        watch = HubWatch()
        executor = CallExecutor(
            opened.vault,
            hub,
            counterparties,
            opened.keyring,
            opened.policy,
            opened.clock,
            searches=open_searches(opened),
            watch=watch,
        )
        authorizations = AuthorizationReader(opened.database, opened.entity_id, opened.vault, opened.reads)
        look_ups = LookUpExecutor(opened.vault, LocalAnswers(opened.reads, authorizations, lists))
        router = AttemptRouter(executor, look_ups)
        self._caller = CallDispatcher(
            opened.calls, router, intake.submit, opened.engine.alert, signal.calls, opened.clock, held=HELD
        )
        opened.engine.calls = self._caller
        self._teller = MessageDispatcher(
            opened.database, opened.entity_id, opened.vault, opened.leases, intake.submit_in_order, signal.tells
        )
        self._timers = TimerJob(
            opened.database, opened.entity_id, opened.leases, intake.submit, opened.engine.alert, opened.clock
        )
        self._refresher = DirectoryRefreshJob(
            counterparties,
            opened.directory.fetches,
            opened.calls,
            opened.leases,
            intake.submit,
            opened.engine.alert,
            opened.clock,
            interval_seconds=opened.settings.health_refresh_seconds,
            networks_seconds=opened.settings.directory_refresh_seconds,
            watch=watch,
        )
        self._audit = _open_audit(opened)
        self._list_watch = ListAgeJob(opened.lists, opened.leases, opened.policy, opened.engine.alert, opened.clock)
        self._owner_screening = OwnerScreeningJob(
            OwnerScreeningRepository(opened.database, opened.entity_id, opened.vault.unwrap, opened.vault.open),
            lists,
            opened.leases,
            opened.policy,
            intake.submit,
            signal.wallets,
            opened.clock,
        )
        self._retention = _open_retention(opened)
        self._gauges = _open_gauges(opened)

    async def start(self) -> None:
        """Connect to the broker and join the group."""
        await self._publisher.start()
        await self._faust.start()

    def background(self) -> list[Coroutine[Any, Any, None]]:
        """The loops of this role; none of them ends by itself."""
        loops: list[Callable[[Callable[[BaseException], bool]], Coroutine[Any, Any, None]]] = [
            self._relay.run,
            self._caller.run,
            self._teller.run,
            self._timers.run,
            self._refresher.run,
            *(job.run for job in self._audit),
            *(job.run for job in self._gauges),
            self._list_watch.run,
            self._owner_screening.run,
            self._retention.run,
        ]
        work = [self._watch_lag()]
        if self._opened.database.is_postgresql:
            work.append(follow_commits(self._opened.database, self._opened.engine.committed.announce))
        return [*work, *(loop(is_infrastructure_failure) for loop in loops)]

    async def failure(self) -> None:
        """Raise the reason when the consumer fails."""
        raise await self._faust.failure()

    def alive(self) -> bool:
        """Whether the consumer makes progress, or has nothing to do."""
        return self._faust.alive()

    def ready(self) -> bool:
        """Whether this process consumes what is assigned to it."""
        return self._faust.ready()

    async def stop(self) -> None:
        """Stop consuming, wait for the committer, finish open calls, then stop publishing."""
        await self._faust.stop()
        await self._caller.drain()
        await self._publisher.stop()

    async def _watch_lag(self) -> None:
        while True:
            show_consumer(self._faust)
            await asyncio.sleep(LAG_SECONDS)


async def follow_commits(database: Database, heard: Callable[[str], None]) -> None:
    """Announce other processes' commits in this one; a lost connection is opened again."""
    listener = CommitListener(database, heard)

    async def step() -> bool:
        await listener.listen()
        return False

    failed = is_infrastructure_failure
    await PeriodicJob("notify", step, interval=RECONNECT_SECONDS, failed=failed, endless=True).run()


def _open_audit(opened: Installation) -> tuple[AuditLogJob, AuditCheckJob]:
    key, given = audit_key(opened.settings), (opened.database, opened.entity_id)

    def verifier() -> AuditVerifier:
        return AuditVerifier(*given, opened.vault, MACHINES, opened.policies, opened.policy().own, key.public_base64)

    return (
        AuditLogJob(*given, key, opened.leases, opened.clock),
        AuditCheckJob(*given, verifier, key.public_base64, opened.leases, opened.clock),
    )


def _open_gauges(opened: Installation) -> tuple[GaugeJob, CaseGaugeJob]:
    given = opened.database, opened.entity_id, opened.clock
    return GaugeJob(*given), CaseGaugeJob(*given)


def _open_retention(opened: Installation) -> RetentionJob:
    return RetentionJob(
        opened.database, opened.entity_id, opened.vault, MACHINES, opened.leases, opened.policy, opened.clock
    )
