"""The Faust application: transport and group membership, nothing else (ADR 0004).

State is in SQL; the committer and the outbox guarantee delivery. Every relevant setting is passed here and none is read
from the environment, where a Kubernetes service named ``web`` would set Faust's ``WEB_PORT``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import faust
from faust.types import TopicT, TransportT
from mode import ServiceT

from streams.connection import Connection, connect
from streams.consumer import KafkaTransport
from travelrule.settings import Settings


@dataclass(frozen=True, slots=True)
class Timing:
    """Time limits of a consumer group, in seconds."""

    commit_interval_s: float = 0.5
    heartbeat_s: float = 1.0
    """Other members are notified of a lost one by the answer to their next heartbeat, so the interval is short."""
    session_s: float = 15.0
    """Without a heartbeat for this long, a worker's partitions are assigned to the others."""
    rebalance_s: float = 60.0
    metadata_s: float = 2.0
    """Longest age of the consumer's list of leaders: a partition assigned to it may have moved to another leader while
    another member read it. With this value a takeover takes less than 1.2 times the session timeout."""
    request_s: float = 40.0


# The mock cluster ends a rebalance only after the session timeout less one second, even if all members have joined.
EMBEDDED_TIMING = Timing(heartbeat_s=1.0, session_s=4.0)
STREAM_BUFFER = 128
"""Records per topic that are buffered in Faust; all are fetched again after each rebalance."""
POLL_RECORDS = 250


class KafkaApp(faust.App):
    """A Faust application without tables, directories and statistics."""

    def on_init_dependencies(self) -> Iterable[ServiceT]:
        """Remove the monitor: it is called several times per record, for web pages that we do not serve."""
        services = super().on_init_dependencies()
        self.sensors.remove(self.monitor)
        return services

    def _new_transport(self) -> TransportT:
        """Use our consumer; Faust has no setting for it."""
        return KafkaTransport(self.conf.broker_consumer, self)

    def _create_directories(self) -> None:
        """Create none: the file system may be read-only."""


def create_app(settings: Settings, connection: Connection | None = None, timing: Timing | None = None) -> faust.App:
    """Create the application, without connecting and without touching an event loop.

    ``connection`` defaults to that of the settings (ServiceUnavailable if the embedded broker of ``DATA_DIR`` has no
    owner). ``timing`` is for tests that kill workers.
    """
    connection = connection or connect(settings)
    timing = timing or (EMBEDDED_TIMING if connection.embedded else Timing())
    return KafkaApp(
        settings.consumer_group,
        env={},
        autodiscover=False,
        broker=connection.faust_broker(),
        broker_credentials=connection.faust_credentials(),
        broker_client_id="travelrule-worker",
        broker_commit_interval=timing.commit_interval_s,
        broker_commit_every=1000,
        broker_heartbeat_interval=timing.heartbeat_s,
        broker_session_timeout=timing.session_s,
        broker_rebalance_timeout=timing.rebalance_s,
        broker_request_timeout=timing.request_s,
        broker_max_poll_records=POLL_RECORDS,
        consumer_auto_offset_reset="earliest",
        consumer_group_instance_id=settings.consumer_instance_id,
        consumer_metadata_max_age_ms=int(timing.metadata_s * 1000),
        processing_guarantee="at_least_once",
        key_serializer="raw",
        value_serializer="raw",
        producer_acks=-1,
        producer_request_timeout=30.0,
        stream_buffer_maxsize=STREAM_BUFFER,
        stream_wait_empty=True,
        table_standby_replicas=0,
        topic_allow_declare=False,
        topic_disable_leader=True,
        topic_replication_factor=3,
        web_enabled=False,
        web_tables_enabled=False,
        web_router_enabled=False,
        web_metrics_enabled=False,
        web_stats_enabled=False,
        web_graph_enabled=False,
        store="memory://",
        cache="memory://",
        worker_redirect_stdouts=False,
    )


def bytes_topic(app: faust.App, name: str) -> TopicT:
    """Return the topic of this name (with prefix) as raw bytes: our codec decodes, so that a fault is a value."""
    return app.topic(
        name,
        key_type=bytes,
        value_type=bytes,
        key_serializer="raw",
        value_serializer="raw",
        allow_empty=True,  # tombstones
    )
