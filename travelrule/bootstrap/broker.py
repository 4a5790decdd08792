"""The broker of the settings: its publisher, and the check of its topics."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from streams.admin import compare_topics
from streams.connection import Connection, connect
from streams.diagnosis import require_broker
from streams.publisher import KafkaPublisher, NotAllowedError
from streams.rights import denied, require_worker_rights
from streams.topics import Topics
from travelrule import logs
from travelrule.errors import ConfigurationError
from travelrule.settings import Settings

log = logs.get("topics")


async def check_topics(settings: Settings, connection: Connection) -> None:
    """Raise ``ConfigurationError`` if a topic is missing or its configuration loses events, ``ServiceUnavailable`` if
    no broker answers or a right of a worker is missing. Other differences are logged. Nothing is created.
    """
    await check_rights(settings, connection)
    reports = await compare_topics(connection, Topics(settings.topic_prefix))
    wrong = [report for report in reports if report.serious]
    if wrong:
        names = "; ".join(f"{report.topic}: {report.detail}" for report in wrong)
        fix = "run `travelrule topics apply`, with --alter for those that differ"
        raise ConfigurationError("TRAVELRULE_BROKER_URL", f"its topics are not those of this version ({names}): {fix}")
    for report in reports:
        if report.action == "differs":
            log.warning("topic-differs", topic=report.topic, detail=report.detail)


async def check_rights(settings: Settings, connection: Connection) -> None:
    """Raise ``ServiceUnavailable`` if the login lacks a right that a worker needs, or if no broker answers."""
    if not connection.embedded:
        await require_broker(connection)
        await require_worker_rights(connection, Topics(settings.topic_prefix), settings.consumer_group)


@asynccontextmanager
async def open_publisher(settings: Settings) -> AsyncIterator[KafkaPublisher]:
    """A connected publisher, stopped afterwards. Raise ``ServiceUnavailable`` if no broker answers, or if one refuses
    a record of this login.
    """
    connection, topics = connect(settings), Topics(settings.topic_prefix)
    publisher = KafkaPublisher(connection, topics)
    await publisher.start()
    try:
        yield publisher
    except NotAllowedError as error:
        raise denied(connection, f"Write on {topics.physical(error.topic)}") from error
    finally:
        await publisher.stop()
