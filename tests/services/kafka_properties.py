"""The server.properties of a broker on loopback, alone or as a member of a cluster."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tests.services.ports import free_port

_PROPERTIES = """\
process.roles=broker,controller
node.id={node}
controller.quorum.voters={voters}
listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}
advertised.listeners=PLAINTEXT://127.0.0.1:{port}
controller.listener.names=CONTROLLER
inter.broker.listener.name=PLAINTEXT
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
log.dirs={data}
auto.create.topics.enable=false
num.partitions=4
offsets.topic.num.partitions=4
offsets.topic.replication.factor={replicas}
transaction.state.log.num.partitions=4
transaction.state.log.replication.factor={replicas}
transaction.state.log.min.isr={in_sync}
share.coordinator.state.topic.replication.factor={replicas}
share.coordinator.state.topic.min.isr={in_sync}
share.coordinator.state.topic.num.partitions=1
group.initial.rebalance.delay.ms=0
group.min.session.timeout.ms=1000
log.cleaner.threads=1
log.cleaner.dedupe.buffer.size=8388608
num.network.threads=2
num.io.threads=4
num.recovery.threads.per.data.dir=1
"""

# Leaders move when a test asks for it, not when a timer of the controller comes round.
_CLUSTER = """\
min.insync.replicas={in_sync}
default.replication.factor={replicas}
auto.leader.rebalance.enable=false
broker.session.timeout.ms=6000
broker.heartbeat.interval.ms=1000
num.replica.fetchers=1
"""


@dataclass(frozen=True, slots=True)
class Member:
    """Where a broker listens, and which controllers it votes with; a node alone votes for itself."""

    node: int
    port: int
    controller: int
    voters: str
    replicas: int = 1

    @property
    def in_sync(self) -> int:
        """Replicas that hold a record before it is acknowledged."""
        return max(1, self.replicas - 1)

    def properties(self, data: Path) -> str:
        """The text of its server.properties."""
        text = _PROPERTIES + (_CLUSTER if self.replicas > 1 else "")
        return text.format(
            node=self.node,
            port=self.port,
            controller=self.controller,
            voters=self.voters,
            replicas=self.replicas,
            in_sync=self.in_sync,
            data=data,
        )


def members(count: int) -> list[Member]:
    """Members of one new cluster with so many brokers; each is broker and controller."""
    ports = [(free_port(), free_port()) for _ in range(count)]
    voters = ",".join(f"{node}@127.0.0.1:{controller}" for node, (_, controller) in enumerate(ports, 1))
    return [Member(node, port, controller, voters, count) for node, (port, controller) in enumerate(ports, 1)]
