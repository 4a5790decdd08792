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
from tests.services.ports import free_port
from tests.services.process import ServiceError, ServiceProcess

_PROPERTIES = """\
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:{controller}
listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}
advertised.listeners=PLAINTEXT://127.0.0.1:{port}
controller.listener.names=CONTROLLER
inter.broker.listener.name=PLAINTEXT
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
log.dirs={data}
auto.create.topics.enable=false
num.partitions=4
offsets.topic.num.partitions=4
offsets.topic.replication.factor=1
transaction.state.log.num.partitions=4
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
share.coordinator.state.topic.num.partitions=1
group.initial.rebalance.delay.ms=0
group.min.session.timeout.ms=1000
log.cleaner.threads=1
log.cleaner.dedupe.buffer.size=8388608
num.network.threads=2
num.io.threads=4
num.recovery.threads.per.data.dir=1
"""
_JVM = ("-Xms96m", "-Xmx320m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Djava.awt.headless=true")
_LOGGING = "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn"


class KafkaNode:
    """A broker that belongs to a directory: data, port and process id stay there over restarts."""

    def __init__(self, directory: Path, owner: int) -> None:
        self._directory = directory
        self._process = ServiceProcess(directory, "kafka", owner)
        self._properties = directory / "server.properties"
        if not self._properties.exists():
            self._format()
        listeners = next(line for line in self._properties.read_text().splitlines() if line.startswith("advertised"))
        self.bootstrap = listeners.partition("//")[2]

    def _format(self) -> None:
        self._directory.mkdir(parents=True, exist_ok=True)
        text = _PROPERTIES.format(port=free_port(), controller=free_port(), data=self._directory / "data")
        draft = self._directory / "draft.properties"
        draft.write_text(text)
        command = [java(), *_JVM, _LOGGING, "-cp", kafka_classpath(), "kafka.tools.StorageTool", "format"]
        cluster = uuid.uuid4().hex[:22]
        done = subprocess.run(
            [*command, "--cluster-id", cluster, "--config", str(draft)],
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
        """Whether it answers a metadata request and knows itself as a broker."""
        try:
            return bool(self._admin().list_topics(timeout=1).brokers)
        except KafkaException:
            return False

    def create_topics(
        self,
        names: Sequence[str],
        partitions: int = 4,
        config: Mapping[str, str] | None = None,
    ) -> None:
        """Create topics that are not there yet; returns when every partition has a leader."""
        admin = self._admin()
        present = admin.list_topics(timeout=10).topics
        missing = [NewTopic(name, partitions, 1, config=dict(config or {})) for name in names if name not in present]
        for future in admin.create_topics(missing).values() if missing else ():
            # Another test process may create the same topic at the same moment; what counts is checked below.
            with contextlib.suppress(KafkaException):
                future.result(timeout=20)
        for name in names:
            while not self._has_leaders(admin, name):
                pass

    @staticmethod
    def _has_leaders(admin: AdminClient, name: str) -> bool:
        topic = admin.list_topics(name, timeout=10).topics[name]
        return bool(topic.partitions) and all(part.leader >= 0 for part in topic.partitions.values())

    def _admin(self) -> AdminClient:
        return AdminClient(
            {"bootstrap.servers": self.bootstrap, "log_level": 0, "socket.timeout.ms": 3000},
            logger=_SILENT,
        )


class _Silent:
    """Takes librdkafka's lines about refused connections, which are expected while a broker starts."""

    def log(self, *_: object) -> None:
        """Drop the line."""

    debug = info = warning = error = critical = log


_SILENT = _Silent()
