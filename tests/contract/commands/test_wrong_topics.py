"""``serve`` and ``topics apply`` on brokers whose topics are missing or set up differently."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from aiokafka.admin import AIOKafkaAdminClient

from schemas.registry import TOPICS
from streams.connection import Connection
from streams.publisher import KafkaPublisher, TopicMissingError
from streams.topics import Topics
from tests.services import KafkaNode, run
from tests.services.kafka import admin_client
from tests.services.ports import free_port
from tests.support.command_line import Cli
from travelrule.bootstrap.broker import check_topics
from travelrule.settings import Settings

pytestmark = pytest.mark.services


@pytest.fixture
def creating_kafka(own_directory: Callable[[str], Path]) -> Iterator[KafkaNode]:
    """A broker that creates what it is asked for, as many are set up."""
    folder = own_directory("kafka")
    node = KafkaNode(folder, run.run_owner())
    file = folder / "server.properties"
    text = file.read_text()
    assert "auto.create.topics.enable=false" in text
    file.write_text(text.replace("auto.create.topics.enable=false", "auto.create.topics.enable=true"))
    node.start()
    yield node
    node.kill()


def topics_of(kafka: KafkaNode) -> set[str]:
    return {name for name in admin_client(kafka.bootstrap).list_topics(timeout=10).topics if not name.startswith("__")}


def test_serve_before_topics_apply_refuses_and_leaves_nothing_behind(installed: Cli, creating_kafka: KafkaNode) -> None:
    installed.set(BROKER_URL=f"kafka://{creating_kafka.bootstrap}", TOPIC_PREFIX="early.")
    answer = installed.run("serve", "worker")
    assert answer.code == 2
    assert "early.withdrawals: missing" in answer.err
    assert "travelrule topics apply" in answer.err
    assert installed.ask("topics", "apply", "--check").code == 1
    assert installed.ask("doctor").code == 1
    assert topics_of(creating_kafka) == set()


async def test_no_client_of_ours_creates_what_it_asks_for(creating_kafka: KafkaNode) -> None:
    connection, topics = Connection((creating_kafka.bootstrap,)), Topics("asked.")
    publisher = KafkaPublisher(connection, topics, acknowledge_s=3)
    await publisher.start()
    with pytest.raises(TopicMissingError):
        await publisher.publish("verdicts", b"a", b"x", [])
    await publisher.stop()
    admin = AIOKafkaAdminClient(**connection.client_options())
    await admin.start()
    try:
        (described,) = await admin.describe_topics([topics.physical("withdrawals")])
        assert described["partitions"] == []
    finally:
        await admin.close()
    assert topics_of(creating_kafka) == set()


def test_topics_that_lose_events_are_refused_and_others_only_logged(
    installed: Cli, kafka: KafkaNode, caplog: pytest.LogCaptureFixture
) -> None:
    prefix = f"otherwise{free_port()}."
    installed.set(BROKER_URL=f"kafka://{kafka.bootstrap}", TOPIC_PREFIX=prefix)
    kafka.create_topics([f"{prefix}exchanges"], partitions=3, config={"cleanup.policy": "delete"})
    assert installed.ask("topics", "apply").code == 1
    answer = installed.run("serve", "worker")
    assert answer.code == 2
    assert f"{prefix}exchanges: 3 partitions, wanted 12; cleanup.policy is delete, wanted compact" in answer.err
    assert installed.ask("topics", "apply", "--alter").code == 1, "partitions are never changed"
    asyncio.run(check_topics(Settings.load(), Connection((kafka.bootstrap,))))
    assert [record.getMessage() for record in caplog.records].count("topic-differs") == 1
    assert installed.ask("topics", "apply", "--check").code == 1


def test_check_changes_nothing_and_excludes_alter(installed: Cli, kafka: KafkaNode) -> None:
    prefix = f"check{free_port()}."
    installed.set(BROKER_URL=f"kafka://{kafka.bootstrap}", TOPIC_PREFIX=prefix)
    missing = installed.ask("topics", "apply", "--check")
    assert (missing.code, {line["action"] for line in missing.lines}) == (1, {"failed"})
    assert installed.ask("topics", "apply", "--check", "--alter").code == 2
    assert not any(name.startswith(prefix) for name in topics_of(kafka))
    assert installed.ask("topics", "apply").code == 0
    again = installed.ask("topics", "apply", "--check")
    assert (again.code, len(again.lines)) == (0, len(TOPICS))
    assert installed.ask("topics", "apply", "--alter").code == 0
