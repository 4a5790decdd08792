"""Makes the topics of the registry at a real broker, and says what an existing one has otherwise."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Literal

from aiokafka.admin import AIOKafkaAdminClient, NewTopic
from aiokafka.admin.config_resource import ConfigResource, ConfigResourceType
from aiokafka.errors import KafkaError, TopicAlreadyExistsError, for_code

from schemas.registry import RECORD_BYTES, TopicSpec
from streams.connection import Connection
from streams.topics import Topics
from travelrule.errors import ServiceUnavailable

REPLICAS = 3
IN_SYNC = 2
ADMIN_SECONDS = 20.0
LOOK_SECONDS = 0.05


@dataclass(frozen=True, slots=True)
class TopicReport:
    """What became of one topic (name with prefix). ``differs``: it was there, ``detail`` says what is otherwise."""

    topic: str
    action: Literal["created", "unchanged", "differs", "failed"]
    detail: str = ""


def wanted_config(spec: TopicSpec, replicas: int) -> dict[str, str]:
    """The topic settings that we rely on; everything else is the operator's."""
    config = {"cleanup.policy": "compact" if spec.compacted else "delete"}
    if replicas >= REPLICAS:
        config["min.insync.replicas"] = str(IN_SYNC)
    if spec.bytes_max > RECORD_BYTES:
        config["max.message.bytes"] = str(spec.bytes_max)
    return config


async def apply_topics(connection: Connection, topics: Topics) -> list[TopicReport]:
    """Create what is missing. An existing topic is never changed: more partitions would give keys another
    partition and so events another order. Raises ServiceUnavailable if no broker answers.
    """
    return await _with_admin(connection, topics, _apply)


async def compare_topics(connection: Connection, topics: Topics) -> list[TopicReport]:
    """Say what is missing (``failed``) or otherwise than the registry wants; nothing is changed.

    The embedded broker knows no topic settings: there only the presence counts.
    """
    return await _with_admin(connection, topics, _presence if connection.embedded else _compare_all)


async def _with_admin(
    connection: Connection,
    topics: Topics,
    work: Callable[[AIOKafkaAdminClient, Topics], Awaitable[list[TopicReport]]],
) -> list[TopicReport]:
    admin = AIOKafkaAdminClient(**connection.client_options(), client_id="travelrule-topics")
    try:
        async with asyncio.timeout(ADMIN_SECONDS):
            await admin.start()
            return await work(admin, topics)
    except (KafkaError, OSError, TimeoutError) as error:
        raise ServiceUnavailable("broker", "check TRAVELRULE_BROKER_URL and the login") from error
    finally:
        await admin.close()


async def _presence(admin: AIOKafkaAdminClient, topics: Topics) -> list[TopicReport]:
    present = set(await admin.list_topics())
    return [
        TopicReport(name, "unchanged") if name in present else TopicReport(name, "failed", "missing")
        for name in topics.specs()
    ]


async def _compare_all(admin: AIOKafkaAdminClient, topics: Topics) -> list[TopicReport]:
    replicas = min(REPLICAS, len((await admin.describe_cluster())["brokers"]))
    present = set(await admin.list_topics())
    return [
        await _compare(admin, name, spec, replicas) if name in present else TopicReport(name, "failed", "missing")
        for name, spec in topics.specs().items()
    ]


async def _apply(admin: AIOKafkaAdminClient, topics: Topics) -> list[TopicReport]:
    brokers = len((await admin.describe_cluster())["brokers"])
    replicas = min(REPLICAS, brokers)
    specs = topics.specs()
    present = set(await admin.list_topics())
    reports = await _create(admin, {name: spec for name, spec in specs.items() if name not in present}, replicas)
    for name, spec in specs.items():
        if name in present:
            reports[name] = await _compare(admin, name, spec, replicas)
    return [reports[name] for name in specs]


async def _create(admin: AIOKafkaAdminClient, missing: dict[str, TopicSpec], replicas: int) -> dict[str, TopicReport]:
    if not missing:
        return {}
    answer = await admin.create_topics(
        [
            NewTopic(name, spec.partitions_real, replicas, topic_configs=wanted_config(spec, replicas))
            for name, spec in missing.items()
        ]
    )
    reports = {}
    for name, code, *_ in answer.topic_errors:
        error = for_code(code)
        if code == 0:
            reports[name] = TopicReport(name, "created", f"{missing[name].partitions_real} partitions")
        elif error is TopicAlreadyExistsError:
            reports[name] = TopicReport(name, "unchanged", "another process made it just now")
        else:
            reports[name] = TopicReport(name, "failed", error.__name__)
    await _visible(admin, [name for name, report in reports.items() if report.action != "failed"])
    return reports


async def _visible(admin: AIOKafkaAdminClient, names: list[str]) -> None:
    """Wait until brokers know what the controller has just made: whoever comes next may rely on it."""
    while names:
        described = await admin.describe_topics(names)
        if all(topic["partitions"] and not topic["error_code"] for topic in described):
            return
        await asyncio.sleep(LOOK_SECONDS)  # a broker has no way to tell


async def _compare(admin: AIOKafkaAdminClient, name: str, spec: TopicSpec, replicas: int) -> TopicReport:
    described = (await admin.describe_topics([name]))[0]
    partitions = len(described["partitions"])
    found = await _config(admin, name)
    differences = [
        f"{key} is {found.get(key, 'not set')}, wanted {value}"
        for key, value in wanted_config(spec, replicas).items()
        if found.get(key) != value
    ]
    if partitions != spec.partitions_real:
        differences.insert(0, f"{partitions} partitions, wanted {spec.partitions_real}")
    return TopicReport(name, "differs" if differences else "unchanged", "; ".join(differences))


async def _config(admin: AIOKafkaAdminClient, name: str) -> dict[str, str]:
    answers: list[Any] = await admin.describe_configs([ConfigResource(ConfigResourceType.TOPIC, name)])
    return {entry[0]: entry[1] for answer in answers for resource in answer.resources for entry in resource[4]}
