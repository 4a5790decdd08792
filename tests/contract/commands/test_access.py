"""The documented rights on a broker that checks them: enough for each principal, and no more."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer
from aiokafka.errors import TopicAuthorizationFailedError

from schemas.registry import TOPICS
from schemas.topic_access import PRINCIPALS, rights
from tests.contract.commands.authorizing_kafka import AuthorizingKafka
from tests.contract.commands.logged_worker import LoggedWorker
from tests.services import run
from tests.support.command_line import Cli, withdraw

pytestmark = pytest.mark.services


@pytest.fixture
def kafka(own_directory: Callable[[str], Path], installed: Cli) -> Iterator[AuthorizingKafka]:
    """A broker with the rights of the page and the topics, made by who may make them."""
    node = AuthorizingKafka(own_directory("access"), run.run_owner())
    node.start()
    node.grant()
    installed.set(**node.settings("platform"))
    assert installed.run("topics", "apply").code != 0, "the platform makes no topic"
    installed.set(**node.settings("administrator"))
    assert installed.run("topics", "apply").code == 0
    assert installed.run("topics", "apply", "--check").code == 0
    yield node
    node.kill()


async def writes(kafka: AuthorizingKafka, principal: str) -> set[str]:
    """The topics that take a record of this principal."""
    producer = AIOKafkaProducer(**kafka.connection(principal).client_options())
    await producer.start()
    taken = set()
    try:
        for name in TOPICS:
            try:
                await producer.send_and_wait(f"travelrule.{name}", b"no event", f"by-{principal}".encode())
                taken.add(name)
            except TopicAuthorizationFailedError:
                continue
    finally:
        await producer.stop()
    return taken


async def reads(kafka: AuthorizingKafka, principal: str, topic: str, key: str) -> None:
    """Read a topic as this principal, in its group, until a record with this key comes."""
    consumer = AIOKafkaConsumer(
        f"travelrule.{topic}",
        **kafka.connection(principal).client_options(),
        group_id=principal,
        auto_offset_reset="earliest",
    )
    await consumer.start()
    try:
        async with asyncio.timeout(60):
            while (await consumer.getone()).key != key.encode():
                continue
        await consumer.commit()
    finally:
        await consumer.stop()


def test_each_principal_writes_what_the_page_says_and_the_worker_needs_no_more(
    kafka: AuthorizingKafka, installed: Cli
) -> None:
    for principal in PRINCIPALS:
        wanted = {name for name, operations in rights(principal) if "Write" in operations}
        assert asyncio.run(writes(kafka, principal)) == wanted, principal

    installed.within(withdraw)
    worker = LoggedWorker(installed, kafka, **kafka.settings("worker"))
    worker.start()
    try:
        asyncio.run(reads(kafka, "support", "deadletters", "by-platform"))
        installed.set(**kafka.settings("operator"))
        words = ("decide", "w-1", "deny", "--actor", "o", "--reason", "r", "--wait", "--timeout", "120")
        assert installed.ask(*words).json["outcome"] == "applied"
        asyncio.run(reads(kafka, "platform", "verdicts", "w-1"))
    finally:
        worker.kill()
