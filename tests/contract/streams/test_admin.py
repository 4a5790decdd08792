from __future__ import annotations

import asyncio
import itertools
import os

import pytest
from aiokafka import AIOKafkaConsumer
from confluent_kafka.admin import ConfigResource

from schemas.registry import TOPICS
from streams.admin import TopicState, alter_topics, apply_topics, compare, compare_topics, wanted_config
from streams.connection import Connection
from streams.publisher import KafkaPublisher
from streams.topics import Topics
from tests.services import KafkaNode
from tests.services.kafka import admin_client
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
        assert wallets.serious


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
    assert wanted_config(TOPICS["wallets"], 3)["min.insync.replicas"] == "2"
    wanted = wanted_config(TOPICS["txids"], 1)
    assert wanted == {"cleanup.policy": "delete", "max.message.bytes": "1048588"}


def found(partitions: int = 12, **config: str) -> TopicState:
    usual = {"cleanup.policy": "delete", "max.message.bytes": "1048588", "min.insync.replicas": "2"}
    given = {name.replace("_", "."): value for name, value in config.items()}
    return TopicState(partitions, {**usual, **given}, {})


@pytest.mark.parametrize(
    ("there", "action", "serious"),
    [
        (found(), "unchanged", False),
        (found(max_message_bytes="9000000"), "unchanged", False),
        (found(partitions=24), "differs", False),
        (found(min_insync_replicas="1"), "differs", False),
        (found(max_message_bytes="1000000"), "differs", True),
        (found(cleanup_policy="compact"), "differs", True),
        (found(cleanup_policy="compact,delete"), "differs", True),
        (TopicState(12, None, {}), "differs", False),
    ],
)
def test_what_loses_events_is_serious_and_the_rest_is_the_operators_risk(
    there: TopicState, action: str, serious: bool
) -> None:
    report = compare("travelrule.verdicts", TOPICS["verdicts"], 3, there)
    assert (report.action, report.serious, bool(report.detail)) == (action, serious, action == "differs")


async def test_altering_changes_configuration_only_and_keeps_what_else_was_set(kafka: KafkaNode) -> None:
    connection, topics = Connection((kafka.bootstrap,)), _topics()
    own = {"retention.ms": "123456", "max.message.bytes": "500000"}
    kafka.create_topics([topics.physical("verdicts")], partitions=12, config=own)
    kafka.create_topics([topics.physical("wallets")], partitions=3, config={"cleanup.policy": "delete"})
    kafka.create_topics([topics.physical("alerts")], partitions=12, config={"max.message.bytes": "7000000"})
    before = {report.topic: report for report in await apply_topics(connection, topics)}
    assert before[topics.physical("verdicts")].serious
    assert before[topics.physical("wallets")].serious
    altered = {report.topic: report for report in await alter_topics(connection, topics)}
    assert altered[topics.physical("verdicts")].action == "altered"
    assert altered[topics.physical("wallets")].action == "differs"
    assert altered[topics.physical("wallets")].detail.startswith("3 partitions, wanted 12")
    assert altered[topics.physical("alerts")].action == "unchanged"
    after = await compare_topics(connection, topics)
    assert [report.topic for report in after if report.action != "unchanged"] == [topics.physical("wallets")]
    assert not any(report.serious for report in after)
    configs = kafka_configs(kafka, topics.physical("verdicts"))
    assert (configs["retention.ms"], configs["max.message.bytes"]) == ("123456", "1048588")


def kafka_configs(kafka: KafkaNode, name: str) -> dict[str, str]:
    resource = ConfigResource("topic", name)
    admin = admin_client(kafka.bootstrap)
    entries = admin.describe_configs([resource])[resource].result(20)
    return {key: entry.value for key, entry in entries.items()}


async def test_no_broker_is_exit_3() -> None:
    with pytest.raises(ServiceUnavailable) as refused:
        await apply_topics(NOWHERE, _topics())
    assert refused.value.exit_code == 3
    with pytest.raises(ServiceUnavailable):
        await KafkaPublisher(NOWHERE, _topics()).start()
