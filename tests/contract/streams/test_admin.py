from __future__ import annotations

import asyncio
import itertools
import os

import pytest
from aiokafka import AIOKafkaConsumer

from schemas.registry import TOPICS
from streams.admin import apply_topics, wanted_config
from streams.connection import Connection
from streams.publisher import KafkaPublisher
from streams.topics import Topics
from tests.services import KafkaNode
from travelrule.errors import ServiceUnavailable

pytestmark = pytest.mark.services
_numbers = itertools.count()
NOWHERE = Connection(("127.0.0.1:1",))


def _topics() -> Topics:
    return Topics(f"admin{os.getpid()}-{next(_numbers)}.")


async def test_topics_are_made_once(kafka: KafkaNode) -> None:
    connection, topics = Connection((kafka.bootstrap,)), _topics()
    made = await apply_topics(connection, topics)
    assert [report.topic for report in made] == list(topics.specs())
    assert {report.action for report in made} == {"created"}
    again = await apply_topics(connection, topics)
    assert {(report.action, report.detail) for report in again} == {("unchanged", "")}


async def test_two_at_once_make_them_too(kafka: KafkaNode) -> None:
    connection, topics = Connection((kafka.bootstrap,)), _topics()
    both = await asyncio.gather(*(apply_topics(connection, topics) for _ in range(2)))
    assert {report.action for reports in both for report in reports} <= {"created", "unchanged"}


async def test_what_is_otherwise_is_said_and_left_alone(kafka: KafkaNode) -> None:
    connection, topics = Connection((kafka.bootstrap,)), _topics()
    kafka.create_topics([topics.physical("wallets")], partitions=3, config={"cleanup.policy": "delete"})
    for _ in range(2):
        reports = {report.topic: report for report in await apply_topics(connection, topics)}
        wallets = reports[topics.physical("wallets")]
        assert wallets.action == "differs"
        assert wallets.detail == "3 partitions, wanted 12; cleanup.policy is delete, wanted compact"


async def test_a_dead_letter_may_be_larger_than_what_it_holds(kafka: KafkaNode) -> None:
    connection, topics = Connection((kafka.bootstrap,)), _topics()
    await apply_topics(connection, topics)
    publisher = KafkaPublisher(connection, topics)
    await publisher.start()
    await publisher.publish("deadletters", b"k", b"x" * 1_500_000, [])
    await publisher.stop()
    consumer = AIOKafkaConsumer(
        topics.physical("deadletters"), **connection.client_options(), auto_offset_reset="earliest"
    )
    await consumer.start()
    try:
        assert len((await asyncio.wait_for(consumer.getone(), 60)).value) == 1_500_000
    finally:
        await consumer.stop()


def test_three_brokers_ask_for_two_copies_in_sync() -> None:
    assert wanted_config(TOPICS["wallets"], 3) == {"cleanup.policy": "compact", "min.insync.replicas": "2"}
    assert wanted_config(TOPICS["txids"], 1) == {"cleanup.policy": "delete"}


async def test_no_broker_is_exit_3() -> None:
    with pytest.raises(ServiceUnavailable) as refused:
        await apply_topics(NOWHERE, _topics())
    assert refused.value.exit_code == 3
    with pytest.raises(ServiceUnavailable):
        await KafkaPublisher(NOWHERE, _topics()).start()
