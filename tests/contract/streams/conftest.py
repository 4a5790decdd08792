"""Both brokers behind one fixture: what holds on the real one has to hold on the embedded one."""

from __future__ import annotations

import itertools
import os
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from streams import embedded
from streams.connection import Connection
from streams.topics import Topics
from tests.contract.streams.broker_topics import BrokerTopics
from travelrule.settings import Settings

_numbers = itertools.count()


@pytest.fixture(params=["embedded", pytest.param("kafka", marks=pytest.mark.services)])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[BrokerTopics]:
    topics = Topics(f"t{os.getpid()}-{next(_numbers)}.")

    def settings(broker_url: str) -> Settings:
        return Settings(
            broker_url=broker_url,
            topic_prefix=topics.prefix,
            consumer_group=f"{topics.prefix}group",
            data_dir=tmp_path,
        )

    if request.param == "embedded":
        broker = embedded.own_or_find(tmp_path, list(topics.specs()))
        assert broker is not None
        yield BrokerTopics(Connection(broker.addresses, embedded=True), topics, settings("embedded://"))
        broker.close()
    else:
        kafka = request.getfixturevalue("kafka")
        kafka.create_topics(list(topics.specs()), partitions=4)
        yield BrokerTopics(Connection((kafka.bootstrap,)), topics, settings(f"kafka://{kafka.bootstrap}"))


@pytest.fixture
async def publisher(place: BrokerTopics) -> AsyncIterator[object]:
    from streams.publisher import KafkaPublisher

    publisher = KafkaPublisher(place.connection, place.topics)
    await publisher.start()
    yield publisher
    await publisher.stop()
