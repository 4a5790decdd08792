"""What the login of this process may do at the broker, as the broker itself reports it.

A missing right shows late and badly: a topic without ``Describe`` looks like one that does not exist, one without
``Read`` is never consumed, and an event for one without ``Write`` waits in the outbox. So a process asks first.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterable, Mapping
from typing import Any

from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.conn import create_conn
from aiokafka.errors import (
    GroupAuthorizationFailedError,
    GroupCoordinatorNotAvailableError,
    GroupLoadInProgressError,
    IncompatibleBrokerVersion,
    KafkaError,
    TopicAuthorizationFailedError,
)
from aiokafka.protocol.api import Request, RequestStruct, Response
from aiokafka.protocol.types import Array, Boolean, Int16, Int32, Schema, String

from schemas.topic_access import rights
from streams.connection import LOGIN, TLS, Connection
from streams.topics import Topics
from travelrule.environment import PREFIX
from travelrule.errors import ServiceUnavailable
from travelrule.setting_types import HostPort

ANSWER_SECONDS = 10.0
LOOK_SECONDS = 0.1
BIT = {"Read": 3, "Write": 4}
"""Position of each operation in the answer's bit field, as Kafka's protocol numbers them."""
NOT_TOLD = -(2**31)
GROUP = f"{PREFIX}CONSUMER_GROUP"
_TEXT, _NUMBERS = String("utf-8"), Array(Int32)


class _TopicRights(Response):
    """Metadata of topics with the operations that the login may do; aiokafka ends at version 5."""

    API_KEY, API_VERSION = 3, 8
    SCHEMA = Schema(
        ("throttle_time_ms", Int32),
        ("brokers", Array(("node_id", Int32), ("host", _TEXT), ("port", Int32), ("rack", _TEXT))),
        ("cluster_id", _TEXT),
        ("controller_id", Int32),
        (
            "topics",
            Array(
                ("error_code", Int16),
                ("topic", _TEXT),
                ("is_internal", Boolean),
                (
                    "partitions",
                    Array(
                        ("error_code", Int16),
                        ("partition", Int32),
                        ("leader", Int32),
                        ("leader_epoch", Int32),
                        ("replicas", _NUMBERS),
                        ("isr", _NUMBERS),
                        ("offline_replicas", _NUMBERS),
                    ),
                ),
                ("authorized_operations", Int32),
            ),
        ),
        ("cluster_authorized_operations", Int32),
    )


class _TopicRightsQuestion(RequestStruct):
    API_KEY, API_VERSION = 3, 8
    RESPONSE_TYPE = _TopicRights
    SCHEMA = Schema(("topics", Array(_TEXT)), ("create", Boolean), ("of_cluster", Boolean), ("of_topics", Boolean))


class TopicRightsRequest(Request[_TopicRightsQuestion]):
    """Asks for the rights on topics; creates none."""

    API_KEY = 3

    def __init__(self, topics: list[str]) -> None:
        self._topics = topics

    def build(self, request_struct_class: type[_TopicRightsQuestion]) -> _TopicRightsQuestion:
        """Return the request in the version that the broker takes."""
        return request_struct_class(self._topics, False, False, True)  # noqa: FBT003


async def require_worker_rights(connection: Connection, topics: Topics, group: str) -> None:
    """Raise ``ServiceUnavailable``, which names every missing right of a worker and its login.

    Topics that are not there are left to the comparison of topics; a broker older than 2.3 cannot be asked.
    """
    wanted = {topics.physical(name): [one for one in operations if one in BIT] for name, operations in rights("worker")}
    try:
        async with asyncio.timeout(ANSWER_SECONDS):
            missing = _missing(wanted, await _granted(connection, list(wanted)))
            if not await _may_read(connection, group):
                missing.append(f"Read on the group {group} ({GROUP})")
    except (IncompatibleBrokerVersion, TimeoutError):
        return
    except (KafkaError, OSError):
        return  # the next step reports a broker that went away
    if missing:
        raise denied(connection, ", ".join(missing))


def denied(connection: Connection, what: str) -> ServiceUnavailable:
    """The failure of a login that lacks rights; ``what`` lists them, ``Write on TOPIC``."""
    fix = f"grant {what} to {login_of(connection)}: docs/access.md has the commands"
    return ServiceUnavailable("broker", fix, "denies its user", ",".join(connection.addresses))


def login_of(connection: Connection) -> str:
    """Whose rights count, by the setting that names it."""
    if connection.sasl is not None:
        return f"the user of {LOGIN}USERNAME"
    if connection.files.certificate is not None:
        return f"the subject of {TLS}CERTIFICATE_FILE"
    return f"a login ({LOGIN}MECHANISM or {TLS}CERTIFICATE_FILE): there is none"


def _missing(wanted: Mapping[str, Iterable[str]], granted: Mapping[str, int]) -> list[str]:
    lacking: dict[str, list[str]] = {}
    for topic, operations in wanted.items():
        for operation in operations:
            if topic in granted and not granted[topic] >> BIT[operation] & 1:
                lacking.setdefault(operation, []).append(topic)
    return [f"{operation} on {', '.join(names)}" for operation, names in lacking.items()]


async def _granted(connection: Connection, names: list[str]) -> dict[str, int]:
    """Return the bit field of each topic that exists or that this login may not see (0)."""
    opened = await _opened(connection)
    try:
        answer: Any = await opened.send(TopicRightsRequest(names))
    finally:
        opened.close()
    granted = {}
    for code, name, _, _, operations in answer.topics:
        if code == TopicAuthorizationFailedError.errno:
            granted[name] = 0
        elif code == 0 and operations != NOT_TOLD:
            granted[name] = operations
    return granted


async def _opened(connection: Connection) -> Any:
    """Return a connection to the first broker that accepts one."""
    options = connection.client_options()
    *others, last = [HostPort.parse(address) for address in options.pop("bootstrap_servers")]
    for where in others:
        with contextlib.suppress(KafkaError, OSError):
            return await create_conn(where.host, where.port, **options)
    return await create_conn(last.host, last.port, **options)


async def _may_read(connection: Connection, group: str) -> bool:
    """Whether this login may see the group. Aiokafka drops the operations from the answer, so a login with the right
    ``Describe`` alone is not found out here.
    """
    admin = AIOKafkaAdminClient(**connection.client_options(), client_id="travelrule-rights")
    try:
        await admin.start()
        while True:
            try:
                answers: list[Any] = await admin.describe_consumer_groups([group])
            except GroupAuthorizationFailedError:
                return False
            except (GroupCoordinatorNotAvailableError, GroupLoadInProgressError):
                await asyncio.sleep(LOOK_SECONDS)  # brokers send no notification; the caller has a limit
                continue
            return all(one[0] != GroupAuthorizationFailedError.errno for answer in answers for one in answer.groups)
    finally:
        await admin.close()
