"""The documented rights on a broker that checks them: enough for each principal, and no more."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator

import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer
from aiokafka.errors import TopicAuthorizationFailedError
from confluent_kafka.admin import ResourceType

from schemas.registry import TOPICS
from schemas.topic_access import PRINCIPALS, rights
from tests.contract.commands.authorizing_kafka import AuthorizingKafka
from tests.contract.commands.logged_worker import LoggedWorker
from tests.contract.commands.test_broker_faults import refused
from tests.services import run
from tests.support.command_line import Cli, withdraw
from tests.unit.commands.test_doctor import checks

pytestmark = pytest.mark.services


@pytest.fixture(scope="module")
def node() -> Iterator[AuthorizingKafka]:
    """A broker with the rights of the page."""
    node = AuthorizingKafka(run.run_directory() / f"access-{os.getpid()}", run.run_owner())
    node.start()
    node.grant()
    yield node
    node.kill()


@pytest.fixture
def kafka(node: AuthorizingKafka, installed: Cli) -> AuthorizingKafka:
    """The same with the topics, made by who may make them."""
    installed.set(**node.settings("platform"))
    answer = installed.ask("topics", "apply")
    assert answer.code != 0, "the platform makes no topic"
    for row in answer.lines:
        assert row["action"] in ("failed", "differs"), row
        if row["action"] == "failed":
            assert "not allowed" in row["detail"], "not: missing"
            assert "TRAVELRULE_BROKER_SASL_USERNAME" in row["detail"]
    installed.set(**node.settings("administrator"))
    assert installed.run("topics", "apply").code == 0
    assert installed.run("topics", "apply", "--check").code == 0
    return node


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


Right = tuple[str, str, ResourceType, str]
TOPIC, GROUP = ResourceType.TOPIC, ResourceType.GROUP
DECISION = ("decide", "withdrawal:w-1", "deny", "--actor", "o", "--reason", "r")
MISSING: dict[str, tuple[Right, tuple[str, ...], str]] = {
    "an input": (
        ("worker", "Read", TOPIC, "travelrule.withdrawals"),
        ("serve", "worker"),
        "Read on travelrule.withdrawals",
    ),
    "an output": (
        ("worker", "Write", TOPIC, "travelrule.verdicts"),
        ("serve", "worker"),
        "Write on travelrule.verdicts",
    ),
    "the group": (
        ("worker", "Read", GROUP, "travelrule"),
        ("serve", "worker"),
        "Read on the group travelrule (TRAVELRULE_CONSUMER_GROUP)",
    ),
    "the only topic that it writes": (
        ("operator", "Write", TOPIC, "travelrule.decisions"),
        DECISION,
        "Write on the topics that it sends to",
    ),
}


@pytest.mark.parametrize(("right", "words", "told"), MISSING.values(), ids=MISSING)
def test_a_missing_right_is_named_with_the_login_that_lacks_it(
    kafka: AuthorizingKafka, installed: Cli, right: Right, words: tuple[str, ...], told: str
) -> None:
    installed.set(**kafka.settings(right[0]))
    installed.within(withdraw)
    kafka.revoke(*right)
    try:
        answer = installed.run(*words)
        refused(answer, "broker denies its user", f"grant {told} to", "TRAVELRULE_BROKER_SASL_USERNAME", "access.md")
        if words == ("serve", "worker"):
            assert told in checks(installed, 1)["broker"]["fix"]
    finally:
        kafka.grant()


def test_a_login_that_writes_elsewhere_only(kafka: AuthorizingKafka, installed: Cli) -> None:
    installed.set(**kafka.settings("platform"))
    installed.within(withdraw)
    answer = installed.run(*DECISION)
    assert answer.code == 3
    refused(answer, "broker denies its user", "grant Write on travelrule.decisions to")
