"""A real Apache Kafka cluster: three KRaft nodes, each broker and controller, whose leaders tests can move."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import repeat
from pathlib import Path

from confluent_kafka import ElectionType, KafkaError, KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient, PartitionMetadata

from tests.services.kafka import KafkaNode, admin_client, create_topics, new_cluster_id
from tests.services.kafka_properties import members
from tests.services.process import ServiceError

NODES = 3
_LOOK_SECONDS = 0.1


class KafkaCluster:
    """Brokers 1 to 3 under one directory. Topics have three replicas, and two of them have to hold a record."""

    def __init__(self, directory: Path, owner: int) -> None:
        cluster_id = new_cluster_id()
        places = [directory / f"node{number}" for number in range(1, NODES + 1)]
        with ThreadPoolExecutor(NODES) as pool:
            made = pool.map(KafkaNode, places, repeat(owner), members(NODES), repeat(cluster_id))
            self.nodes = list(made)
        self.addresses = tuple(node.bootstrap for node in self.nodes)
        self.bootstrap = ",".join(self.addresses)

    @property
    def broker_url(self) -> str:
        """The value of TRAVELRULE_BROKER_URL."""
        return f"kafka://{self.bootstrap}"

    def node(self, number: int) -> KafkaNode:
        """Broker 1, 2 or 3: the number that ``leaders`` names."""
        return self.nodes[number - 1]

    def start(self) -> None:
        """Start every node that does not run; returns when all of them are in the cluster."""
        with ThreadPoolExecutor(NODES) as pool:
            list(pool.map(KafkaNode.start, self.nodes))
        self._until(lambda: all(self._brokers_seen_by(node) == NODES for node in self.nodes), "all brokers are members")

    def stop(self) -> None:
        """An orderly shutdown of all nodes."""
        with ThreadPoolExecutor(NODES) as pool:
            list(pool.map(KafkaNode.stop, self.nodes))

    def kill(self) -> None:
        """SIGKILL to all nodes."""
        for node in self.nodes:
            node.kill()

    def create_topics(self, names: Sequence[str], partitions: int = 4, config: Mapping[str, str] | None = None) -> None:
        """Create topics that are not there yet, with three replicas; returns when all of these are in sync."""
        create_topics(self.bootstrap, names, partitions, NODES, {"min.insync.replicas": "2", **(config or {})})

    def leaders(self, topic: str) -> dict[int, int]:
        """The broker that leads each partition; -1 while there is none."""
        return {number: part.leader for number, part in self._partitions(topic).items()}

    def preferred_leaders(self, topic: str) -> dict[int, int]:
        """The broker that each partition prefers: its first replica."""
        return {number: part.replicas[0] for number, part in self._partitions(topic).items()}

    def elect_preferred_leaders(
        self, partitions: Collection[TopicPartition] | None = None, seconds: float = 60
    ) -> None:
        """Wait until all replicas are in sync, then give partitions (None: all) back to the leader that they prefer."""
        self.wait_in_sync(seconds)
        admin = admin_client(self.bootstrap)  # held until the answer is there
        wanted = None if partitions is None else list(partitions)
        future = admin.elect_leaders(ElectionType.PREFERRED, wanted)
        for partition, error in future.result(timeout=seconds).items():
            if error is not None and error.code() != KafkaError.ELECTION_NOT_NEEDED:
                raise ServiceError(f"no preferred leader for {partition.topic}/{partition.partition}: {error}")
        self._until(lambda: self._preferred_lead(admin, wanted), "preferred leaders lead", seconds)

    @staticmethod
    def _preferred_lead(admin: AdminClient, partitions: list[TopicPartition] | None) -> bool:
        wanted = None if partitions is None else {(one.topic, one.partition) for one in partitions}
        return all(
            part.leader == part.replicas[0]
            for name, topic in admin.list_topics(timeout=10).topics.items()
            for number, part in topic.partitions.items()
            if wanted is None or (name, number) in wanted
        )

    def wait_in_sync(self, seconds: float = 60) -> None:
        """Return when every replica of every partition is in sync again."""
        self._until(self._in_sync, "all replicas are in sync", seconds)

    def move_leaders_from(self, number: int, topics: Sequence[str]) -> None:
        """Stop the broker and start it again: it leads nothing now, and others lead what was its own."""
        self.node(number).stop()
        self.node(number).start()
        self.wait_in_sync()
        left = [topic for topic in topics if number in self.leaders(topic).values()]
        if left:
            raise ServiceError(f"broker {number} still leads partitions of {left}")

    def _in_sync(self) -> bool:
        described = admin_client(self.bootstrap).list_topics(timeout=5).topics.values()
        parts = [part for topic in described for part in topic.partitions.values()]
        return all(part.leader >= 0 and len(part.isrs) == len(part.replicas) for part in parts)

    def _partitions(self, topic: str) -> dict[int, PartitionMetadata]:
        found: dict[int, PartitionMetadata] = (
            admin_client(self.bootstrap).list_topics(topic, timeout=10).topics[topic].partitions
        )
        return found

    @staticmethod
    def _brokers_seen_by(node: KafkaNode) -> int:
        return len(admin_client(node.bootstrap).list_topics(timeout=5).brokers)

    def _until(self, condition: Callable[[], bool], what: str, seconds: float = 60) -> None:
        deadline = time.monotonic() + seconds
        while True:
            try:
                if condition():
                    return
            except KafkaException:  # a broker that just came back may refuse the first question
                pass
            if time.monotonic() > deadline:
                raise ServiceError(f"not after {seconds} s: {what}")
            time.sleep(_LOOK_SECONDS)  # between two real questions to the brokers
