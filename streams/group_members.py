"""The partitions that the members of a consumer group have, as the broker reports them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from typing import Any

from aiokafka import TopicPartition
from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.coordinator.protocol import ConsumerProtocolMemberAssignment
from aiokafka.errors import for_code


async def assigned_partitions(admin: AIOKafkaAdminClient, group: str) -> set[TopicPartition]:
    """Return the partitions that some member of ``group`` has; none during a rebalance, and without members.

    Raises KafkaError, OSError.
    """
    assigned: set[TopicPartition] = set()
    for response in await admin.describe_consumer_groups([group]):
        for described in response.groups:
            error_code, *_, members = described[:6]
            if error_code:
                raise for_code(error_code)
            for member in members:
                assigned |= set(_partitions(member[4]))
    return assigned


def unserved(partitions: Collection[TopicPartition], assigned: Collection[TopicPartition]) -> dict[str, int]:
    """Return the number of partitions of each topic that no member has; 0 for a topic that is served completely."""
    missing = Counter(partition.topic for partition in partitions if partition not in assigned)
    return {partition.topic: missing[partition.topic] for partition in partitions}


def _partitions(assignment: bytes) -> Iterable[TopicPartition]:
    if not assignment:
        return ()  # a member that joined and has no assignment yet
    decoded: Any = ConsumerProtocolMemberAssignment.decode(assignment)
    partitions: Iterable[TopicPartition] = decoded.partitions()
    return partitions
