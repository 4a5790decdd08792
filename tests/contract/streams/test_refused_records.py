"""Records that a real broker will never accept: distinguished from an outage, and without effect on others."""

from __future__ import annotations

import asyncio
import itertools
import os

import pytest
from aiokafka import AIOKafkaConsumer

from schemas.registry import DEAD_LETTER_BYTES
from streams import publisher as module
from streams.admin import apply_topics
from streams.connection import Connection
from streams.dead_letter_headers import DeadLetterHeaders
from streams.producer_session import RECORD_BYTES_MAX, ProducerSession
from streams.publisher import KafkaPublisher, RecordRefusedError
from streams.topics import Topics
from tests.contract.store.rows import NOW
from tests.services import KafkaNode
from travelrule.engine.apply.dead_letter_copy import dead_letter_copy
from travelrule.machine.input import RawMessage, Rejected

pytestmark = pytest.mark.services
_numbers = itertools.count()
LARGE = 3_000_000


class Place:
    """Topics as ``topics apply`` makes them, and how many producers were started."""

    def __init__(self, kafka: KafkaNode, monkeypatch: pytest.MonkeyPatch) -> None:
        self.connection = Connection((kafka.bootstrap,))
        self.topics = Topics(f"refused{os.getpid()}-{next(_numbers)}.")
        self.publisher = KafkaPublisher(self.connection, self.topics)
        self.sessions = 0

        def session(*arguments: object) -> ProducerSession:
            self.sessions += 1
            return ProducerSession(*arguments)  # type: ignore[arg-type]

        monkeypatch.setattr(module, "ProducerSession", session)

    async def values(self, topic: str, count: int) -> list[bytes]:
        consumer = AIOKafkaConsumer(
            self.topics.physical(topic), **self.connection.client_options(), auto_offset_reset="earliest"
        )
        await consumer.start()
        try:
            async with asyncio.timeout(30):
                return [(await consumer.getone()).value for _ in range(count)]
        finally:
            await consumer.stop()


@pytest.fixture
async def place(kafka: KafkaNode, monkeypatch: pytest.MonkeyPatch) -> Place:
    made = Place(kafka, monkeypatch)
    await apply_topics(made.connection, made.topics)
    return made


async def test_a_record_that_is_too_large_is_refused_for_good_and_the_next_one_is_taken(place: Place) -> None:
    await place.publisher.start()
    with pytest.raises(RecordRefusedError) as refusal:
        await place.publisher.publish("verdicts", b"a", b"x" * LARGE, [])
    assert refusal.value.again is False
    await place.publisher.publish("verdicts", b"a", b"next", [])
    await place.publisher.stop()
    assert await place.values("verdicts", 1) == [b"next"]
    assert place.sessions <= 3, "the first, the one that asked alone, the one for what follows"


async def test_one_that_this_client_never_sends_costs_no_producer(place: Place) -> None:
    await place.publisher.start()
    for _ in range(5):
        with pytest.raises(RecordRefusedError):
            await place.publisher.publish("verdicts", b"a", b"x" * RECORD_BYTES_MAX, [])
    await place.publisher.publish("verdicts", b"a", b"next", [])
    await place.publisher.stop()
    assert place.sessions == 1


async def test_those_that_were_in_the_same_batch_are_taken(place: Place, kafka: KafkaNode) -> None:
    """A broker refuses a whole batch: only a record that it refuses alone is refused finally."""
    topics = Topics(f"{place.topics.prefix}small.")
    kafka.create_topics([topics.physical("verdicts")], partitions=1, config={"max.message.bytes": "700"})
    publisher = KafkaPublisher(place.connection, topics)
    await publisher.start()
    outcomes = await asyncio.gather(
        *(publisher.publish("verdicts", b"%d" % number, b"x" * 200, []) for number in range(10)),
        publisher.publish("verdicts", b"large", b"x" * 900, []),
        return_exceptions=True,
    )
    await publisher.stop()
    assert outcomes[:10] == [None] * 10
    assert isinstance(outcomes[10], RecordRefusedError)


async def test_the_copy_of_a_large_dead_letter_is_taken(place: Place) -> None:
    raw = RawMessage("withdrawals", 0, 7, b"k" * 10_000, b"x" * LARGE, (("h", b"y" * 200_000),))
    headers = DeadLetterHeaders(place.topics)(Rejected(raw, "TOO_LARGE"), NOW)
    copy = dead_letter_copy(raw.key, raw.value or b"", headers)
    await place.publisher.start()
    await place.publisher.publish("deadletters", copy.key or b"", copy.value, list(copy.headers))
    await place.publisher.stop()
    (value,) = await place.values("deadletters", 1)
    assert LARGE > DEAD_LETTER_BYTES > len(value) > DEAD_LETTER_BYTES * 0.9
