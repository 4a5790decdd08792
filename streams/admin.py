"""Creates the topics of the registry at a broker, and reports how existing ones differ."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass
from typing import Any, Literal

from aiokafka.admin import AIOKafkaAdminClient, NewTopic
from aiokafka.admin.config_resource import ConfigResource, ConfigResourceType
from aiokafka.errors import (
    ClusterAuthorizationFailedError,
    KafkaError,
    TopicAlreadyExistsError,
    TopicAuthorizationFailedError,
    for_code,
)

from schemas.registry import TopicSpec
from streams.connection import LOGIN, Connection
from streams.diagnosis import require_broker
from streams.topics import Topics
from travelrule.errors import ServiceUnavailable

REPLICAS = 3
IN_SYNC = 2
ADMIN_SECONDS = 20.0
LOOK_SECONDS = 0.05
BYTES, MIN_IN_SYNC = "max.message.bytes", "min.insync.replicas"
NOT_ALLOWED = (
    f"not allowed: grant the user of {LOGIN}USERNAME, or the certificate's subject, the rights of docs/access.md"
)
TOPIC_LEVEL = 1
"""Source code of a setting in Kafka's protocol: set for this topic itself."""


@dataclass(frozen=True, slots=True)
class TopicReport:
    """Result for one topic (name with prefix). ``differs``: it exists, and ``detail`` lists the differences.

    ``serious``: a worker must not use it as it is.
    """

    topic: str
    action: Literal["created", "unchanged", "differs", "altered", "failed"]
    detail: str = ""
    serious: bool = False


@dataclass(frozen=True, slots=True)
class TopicState:
    """A topic at the broker. ``config`` is None if we may not read it; ``own`` are the settings made for this topic."""

    partitions: int
    config: dict[str, str] | None
    own: dict[str, str]


def wanted_config(spec: TopicSpec, replicas: int) -> dict[str, str]:
    """Return the topic settings that we rely on; all others are left to the operator."""
    config = {"cleanup.policy": "compact" if spec.compacted else "delete", BYTES: str(spec.bytes_max)}
    if replicas >= REPLICAS:
        config[MIN_IN_SYNC] = str(IN_SYNC)
    return config


def differences(spec: TopicSpec, replicas: int, config: dict[str, str]) -> dict[str, str]:
    """Return the settings that differ, with the required values. A topic may allow larger records than we need."""
    wanted = wanted_config(spec, replicas)
    if config.get(BYTES, "").isdigit() and int(config[BYTES]) >= spec.bytes_max:
        del wanted[BYTES]
    return {key: value for key, value in wanted.items() if config.get(key) != value}


def compare(name: str, spec: TopicSpec, replicas: int, found: TopicState) -> TopicReport:
    """Report the differences of one topic. Another number of partitions or another ``min.insync.replicas`` is the
    operator's risk; another cleanup policy or a smaller size limit loses events.
    """
    said = []
    if found.partitions != spec.partitions_real:
        said.append(f"{found.partitions} partitions, wanted {spec.partitions_real}")
    if found.config is None:
        return TopicReport(name, "differs", "; ".join([*said, "its configuration cannot be read: check the ACLs"]))
    wrong = differences(spec, replicas, found.config)
    said += [f"{key} is {found.config.get(key, 'not set')}, wanted {value}" for key, value in wrong.items()]
    serious = bool(wrong.keys() - {MIN_IN_SYNC})
    return TopicReport(name, "differs" if said else "unchanged", "; ".join(said), serious)


async def apply_topics(connection: Connection, topics: Topics) -> list[TopicReport]:
    """Create missing topics. An existing topic is not changed: with more partitions a key maps to another
    partition, and its events lose their order. Raises ServiceUnavailable if no broker answers.
    """
    return await _with_admin(connection, topics, _apply)


async def compare_topics(connection: Connection, topics: Topics) -> list[TopicReport]:
    """Report missing topics (``failed``) and those that differ from the registry; change nothing.

    The embedded broker has no topic settings: there only the presence is checked.
    """
    return await _with_admin(connection, topics, _presence if connection.embedded else _compare_all)


async def alter_topics(connection: Connection, topics: Topics) -> list[TopicReport]:
    """Create missing topics and change the configuration of those that differ; partitions are never changed."""
    return await _with_admin(connection, topics, _alter_all)


async def _with_admin(
    connection: Connection,
    topics: Topics,
    work: Callable[[AIOKafkaAdminClient, Topics], Awaitable[list[TopicReport]]],
) -> list[TopicReport]:
    await require_broker(connection)
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
    return [TopicReport(name, "unchanged") if name in present else _missing(name) for name in topics.specs()]


def _missing(name: str, detail: str = "missing") -> TopicReport:
    return TopicReport(name, "failed", detail, serious=True)


async def _compare_all(admin: AIOKafkaAdminClient, topics: Topics) -> list[TopicReport]:
    replicas = min(REPLICAS, len((await admin.describe_cluster())["brokers"]))
    present = set(await admin.list_topics())
    hidden = await _hidden(admin, topics.specs().keys() - present)
    return [
        await _compare(admin, name, spec, replicas)
        if name in present
        else _missing(name, NOT_ALLOWED if name in hidden else "missing")
        for name, spec in topics.specs().items()
    ]


async def _hidden(admin: AIOKafkaAdminClient, names: Collection[str]) -> set[str]:
    """Return those of the topics that this login may not see: for it they do not exist."""
    described = await admin.describe_topics(sorted(names)) if names else []
    return {topic["topic"] for topic in described if topic["error_code"] == TopicAuthorizationFailedError.errno}


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
            denied = error in (TopicAuthorizationFailedError, ClusterAuthorizationFailedError)
            reports[name] = _missing(name, NOT_ALLOWED if denied else error.__name__)
    await _visible(admin, [name for name, report in reports.items() if report.action != "failed"])
    return reports


async def _visible(admin: AIOKafkaAdminClient, names: list[str]) -> None:
    """Wait until every broker lists the topics that the controller has just created: the next client relies on it."""
    while names:
        described = await admin.describe_topics(names)
        if all(topic["partitions"] and not topic["error_code"] for topic in described):
            return
        await asyncio.sleep(LOOK_SECONDS)  # brokers send no notification


async def _compare(admin: AIOKafkaAdminClient, name: str, spec: TopicSpec, replicas: int) -> TopicReport:
    return compare(name, spec, replicas, await _found(admin, name))


async def _found(admin: AIOKafkaAdminClient, name: str) -> TopicState:
    described = (await admin.describe_topics([name]))[0]
    answers: list[Any] = await admin.describe_configs([ConfigResource(ConfigResourceType.TOPIC, name)])
    (resource,) = [resource for answer in answers for resource in answer.resources]
    code, entries = resource[0], resource[4]
    if code:
        return TopicState(len(described["partitions"]), None, {})
    config = {entry[0]: entry[1] for entry in entries}
    return TopicState(
        len(described["partitions"]), config, {entry[0]: entry[1] for entry in entries if _is_own(entry[3])}
    )


def _is_own(source: bool | int) -> bool:  # noqa: FBT001 - the oldest brokers only return whether it is a default
    return not source if isinstance(source, bool) else source == TOPIC_LEVEL


async def _alter_all(admin: AIOKafkaAdminClient, topics: Topics) -> list[TopicReport]:
    replicas = min(REPLICAS, len((await admin.describe_cluster())["brokers"]))
    specs = topics.specs()
    return [
        await _alter(admin, report, specs[report.topic], replicas) if report.action == "differs" else report
        for report in await _apply(admin, topics)
    ]


async def _alter(admin: AIOKafkaAdminClient, report: TopicReport, spec: TopicSpec, replicas: int) -> TopicReport:
    """Alter one topic. The request replaces all settings of the topic, so it repeats those that stay."""
    found = await _found(admin, report.topic)
    wrong = differences(spec, replicas, found.config) if found.config is not None else {}
    if not wrong:
        return report
    resource = ConfigResource(ConfigResourceType.TOPIC, report.topic, configs={**found.own, **wrong})
    for answer in await admin.alter_configs([resource]):
        for code, *_ in answer.resources:
            if code:
                error = for_code(code)
                reason = NOT_ALLOWED if error is TopicAuthorizationFailedError else f"not altered: {error.__name__}"
                return TopicReport(report.topic, "failed", reason, report.serious)
    while True:
        after = await _found(admin, report.topic)
        if after.config is not None and not differences(spec, replicas, after.config):
            break
        await asyncio.sleep(LOOK_SECONDS)  # brokers apply the change one by one
    left = compare(report.topic, spec, replicas, after)
    detail = "; ".join(f"{key} set to {value}" for key, value in wrong.items())
    if left.action == "differs":
        return TopicReport(report.topic, "differs", f"{left.detail}; {detail}")
    return TopicReport(report.topic, "altered", detail)
