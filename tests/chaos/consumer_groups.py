"""Consumer groups as the broker reports them."""

from __future__ import annotations

import asyncio

from confluent_kafka import ConsumerGroupState, ConsumerGroupTopicPartitions, KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.admin._listoffsets import OffsetSpec

LOOK_SECONDS = 0.05
ANSWER_SECONDS = 10
REBALANCING = (ConsumerGroupState.PREPARING_REBALANCING, ConsumerGroupState.COMPLETING_REBALANCING)
PATIENCE_SECONDS = 60.0


def _admin(bootstrap: str) -> AdminClient:
    return AdminClient({"bootstrap.servers": bootstrap, "log_level": 0})


async def until_rebalancing(bootstrap: str, group: str) -> None:
    """Wait until the group has rebalanced its partitions."""
    admin = _admin(bootstrap)

    def state() -> ConsumerGroupState:
        described = admin.describe_consumer_groups([group], request_timeout=ANSWER_SECONDS)[group]
        group_state: ConsumerGroupState = described.result().state
        return group_state

    async with asyncio.timeout(PATIENCE_SECONDS):
        while await asyncio.to_thread(state) not in REBALANCING:
            await asyncio.sleep(LOOK_SECONDS)


async def behind(bootstrap: str, group: str, topics: list[str]) -> int:
    """How many records of the topics the group has not committed; -1 while the broker does not report it."""
    try:
        return await asyncio.to_thread(_behind, bootstrap, group, topics)
    except KafkaException:
        return -1


def _behind(bootstrap: str, group: str, topics: list[str]) -> int:
    admin = _admin(bootstrap)
    known = admin.list_topics(timeout=ANSWER_SECONDS).topics
    partitions = [TopicPartition(topic, number) for topic in topics for number in known[topic].partitions]
    latest = OffsetSpec.latest()  # type: ignore[no-untyped-call]
    asked = dict.fromkeys(partitions, latest)
    ends = {
        (partition.topic, partition.partition): future.result().offset
        for partition, future in admin.list_offsets(asked, request_timeout=ANSWER_SECONDS).items()
    }
    wanted = [ConsumerGroupTopicPartitions(group, partitions)]
    committed = admin.list_consumer_group_offsets(wanted, request_timeout=ANSWER_SECONDS)[group].result()
    return sum(max(ends[one.topic, one.partition] - max(one.offset, 0), 0) for one in committed.topic_partitions or ())
