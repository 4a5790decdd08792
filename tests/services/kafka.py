"""A real Apache Kafka broker: one KRaft node that can be stopped, killed, frozen and restarted."""

from __future__ import annotations

import contextlib
import signal
import subprocess
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path

from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from tests.services.kafka_jars import java, kafka_classpath
from tests.services.kafka_properties import Member, members
from tests.services.process import ServiceError, ServiceProcess

_JVM = ("-Xms96m", "-Xmx320m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Djava.awt.headless=true")
_LOGGING = "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn"


def new_cluster_id() -> str:
    """An id that the storage of every node of one cluster is formatted with."""
    return uuid.uuid4().hex[:22]


def admin_client(bootstrap: str) -> AdminClient:
    """A client for tests that keeps quiet while brokers are away."""
    return AdminClient({"bootstrap.servers": bootstrap, "log_level": 0, "socket.timeout.ms": 3000}, logger=_SILENT)


def create_topics(
    bootstrap: str, names: Sequence[str], partitions: int, replicas: int, config: Mapping[str, str]
) -> None:
    """Create topics that are not there yet; returns when every partition has its leader and all its replicas."""
    admin = admin_client(bootstrap)
    present = admin.list_topics(timeout=10).topics
    missing = [NewTopic(name, partitions, replicas, config=dict(config)) for name in names if name not in present]
    for future in admin.create_topics(missing).values() if missing else ():
        # Another test process may create the same topic at the same moment; what counts is checked below.
        with contextlib.suppress(KafkaException):
            future.result(timeout=20)
    for name in names:
        while not _complete(admin, name, replicas):
            pass


def _complete(admin: AdminClient, name: str, replicas: int) -> bool:
    topic = admin.list_topics(name, timeout=10).topics[name]
    parts = topic.partitions.values()
    return bool(parts) and all(part.leader >= 0 and len(part.isrs) >= replicas for part in parts)


class KafkaNode:
    """A broker that belongs to a directory: data, port and process id stay there over restarts."""

    def __init__(self, directory: Path, owner: int, member: Member | None = None, cluster_id: str = "") -> None:
        self._directory = directory
        self._process = ServiceProcess(directory, "kafka", owner)
        self._properties = directory / "server.properties"
        if not self._properties.exists():
            self._format(member or members(1)[0], cluster_id or new_cluster_id())
        listeners = next(line for line in self._properties.read_text().splitlines() if line.startswith("advertised"))
        self.bootstrap = listeners.partition("//")[2]

    def _format(self, member: Member, cluster_id: str) -> None:
        self._directory.mkdir(parents=True, exist_ok=True)
        draft = self._directory / "draft.properties"
        draft.write_text(member.properties(self._directory / "data"))
        command = [java(), *_JVM, _LOGGING, "-cp", kafka_classpath(), "kafka.tools.StorageTool", "format"]
        done = subprocess.run(
            [*command, "--cluster-id", cluster_id, "--config", str(draft)],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise ServiceError(f"kafka storage could not be formatted:\n{done.stdout}\n{done.stderr}")
        draft.replace(self._properties)

    def start(self) -> None:
        """Start it on its old data and port; returns when it answers a metadata request."""
        command = [java(), *_JVM, _LOGGING, "-cp", kafka_classpath(), "kafka.Kafka", str(self._properties)]
        self._process.start(command, self.answers)

    def running(self) -> bool:
        """Whether its process is there (it may be frozen)."""
        return self._process.running() is not None

    def stop(self) -> None:
        """An orderly shutdown."""
        self._process.stop()

    def kill(self) -> None:
        """SIGKILL."""
        self._process.kill()

    def freeze(self) -> None:
        """SIGSTOP: connections stay open, nothing answers."""
        self._process.send(signal.SIGSTOP)

    def thaw(self) -> None:
        """SIGCONT."""
        self._process.send(signal.SIGCONT)

    def answers(self) -> bool:
        """Whether it answers a metadata request and lists itself as a broker."""
        try:
            return bool(admin_client(self.bootstrap).list_topics(timeout=1).brokers)
        except KafkaException:
            return False

    def create_topics(
        self,
        names: Sequence[str],
        partitions: int = 4,
        config: Mapping[str, str] | None = None,
    ) -> None:
        """Create topics that are not there yet; returns when every partition has a leader."""
        create_topics(self.bootstrap, names, partitions, 1, config or {})


class _Silent:
    """Takes librdkafka's lines about refused connections, which are expected while a broker starts."""

    def log(self, *_: object) -> None:
        """Drop the line."""

    debug = info = warning = error = critical = log


_SILENT = _Silent()
