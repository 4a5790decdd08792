"""Lines of libraries: what they say of machines is shown, what they could quote of a person is not."""

import io
import json
import logging
from collections import namedtuple
from collections.abc import Iterator
from typing import Any

import pytest
from aiokafka import TopicPartition
from aiokafka.errors import KafkaConnectionError, NotLeaderForPartitionError
from aiokafka.structs import BrokerMetadata

from tests.e2e import planted_people
from tests.unit.frame.log_state import logging_kept
from travelrule import logs
from travelrule.bootstrap.log_names import library_messages
from travelrule.library_messages import LibraryMessages
from travelrule.log_fields import WITHHELD
from travelrule.settings import Settings

PERSONAL: list[Any] = [
    *("Annabel Bergström", "Bergstrom", "bergstrom", "annabel.bergstrom", "annabel@bergstrom.example", "김코드"),
    *("rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY", "rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY:77001"),
    *("bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq:77001", "0x52908400098527886E0F7030069857D2E4169EE7"),
    *("c-1001", "77001", "customer-quillfeather-3317", "1990-02-03", "DE89370400440532013000", "anna.berg:1001"),
    *("fe80::1%Bergstrom", "[fe80::1%Bergstrom]:80", "BergstromErro", "BergstromRequestAnna", "error bergstrom"),
    *(532013000, 19900203, 250.5, b"Bergstrom", "250.50", "travelrule.withdrawals/Bergstrom"),
    *({"name": "Bergstrom"}, object(), ("Bergstrom", 12), ["Bergstrom"], ValueError("Bergstrom")),
    namedtuple("Row", "topic partition")("Bergstrom", 1),  # noqa: PYI024 -- as a client library makes them
    KafkaConnectionError("Bergstrom"),
]
SETTINGS = Settings(
    broker_url="kafka://kafka-0.brokers.example.net:9092,kafka:9093",
    database_url="postgresql+asyncpg://someone:secret@db.example.net/travelrule",
    hub_url="https://hub.example.org",
    consumer_group="workers",
    topic_prefix="eu.",
)


@pytest.fixture(autouse=True)
def kept() -> Iterator[None]:
    with logging_kept():
        yield


@pytest.fixture
def out() -> io.StringIO:
    stream = io.StringIO()
    logs.configure("json", stream=stream, messages=library_messages(SETTINGS))
    return stream


def messages(out: io.StringIO) -> list[str]:
    return [json.loads(line)["message"] for line in out.getvalue().splitlines()]


def test_a_line_tells_node_host_port_topic_partition_group_and_error(out: io.StringIO) -> None:
    log = logging.getLogger("aiokafka.consumer.group_coordinator")
    refused = ConnectionRefusedError(111, "Connect call failed ('10.0.0.1', 9092)")
    log.warning("Marking the coordinator dead (node %s)for group %s.", 3, "workers")
    log.error('Unable connect to "%s:%s": %s', "kafka-1.brokers.example.net", 9092, refused)
    log.error("Failed fetch messages from %s: %r", 2, KafkaConnectionError("x"))
    log.warning(
        "Topic %s, partition %s: %s", "eu.withdrawals", TopicPartition("eu.txids", 5), NotLeaderForPartitionError
    )
    log.error("Error sending %s to node %s [%s]", "HeartbeatRequest_v1", 1, "NodeNotReadyError")
    log.warning("Discovered %s of %s", BrokerMetadata(1, "broker-7", 9092, None), [0, 1, 2])
    log.warning("%(host)s at %(share)d%%", {"host": "db.example.net", "share": 12})
    assert messages(out) == [
        "Marking the coordinator dead (node 3)for group workers.",
        'Unable connect to "kafka-1.brokers.example.net:9092": ConnectionRefusedError (errno-111)',
        "Failed fetch messages from 2: KafkaConnectionError",
        "Topic eu.withdrawals, partition eu.txids-5: NotLeaderForPartitionError",
        "Error sending HeartbeatRequest_v1 to node 1 [NodeNotReadyError]",
        "Discovered 1 (broker-7:9092) of [0, 1, 2]",
        "db.example.net at 12%",
    ]


@pytest.mark.parametrize("value", PERSONAL, ids=range(len(PERSONAL)))
def test_what_may_be_personal_is_withheld_in_every_place(out: io.StringIO, value: Any) -> None:
    log = logging.getLogger("aiokafka")
    log.warning("key %s", value)
    log.warning("key %r of node %s", value, 1)
    log.warning("%s:%s is refused", value, "77001")
    log.warning("several %s", [value, (value,)])
    log.warning("named %(name)s", {"name": value})
    log.warning("partition %s", TopicPartition(value, value))
    assert len(messages(out)) == 6
    # The time of a line may hold any three digits, so only what the library said is searched.
    text = "\n".join(messages(out)).lower()
    for piece in ("berg", "anna", "김", "pepper", "77001", "0x529", "bc1q", "1001", "1990", "532013", "250", "quill"):
        assert piece not in text


@pytest.mark.parametrize(
    "value", ["rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY", "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq", "Berg", "a b"]
)
def test_an_address_before_a_port_is_no_host(out: io.StringIO, value: str) -> None:
    logging.getLogger("aiokafka").warning('"%s:%s"', value, 7001)
    assert messages(out) == [f'"{WITHHELD}:7001"']


def test_the_hunt_for_planted_people_finds_none_in_lines_of_libraries(out: io.StringIO) -> None:
    hunt = planted_people.Hunt()
    for library in ("aiokafka", "faust", "mode", "asyncpg", "sqlalchemy.pool", "uvicorn.error", "aiohttp", "httpx"):
        log = logging.getLogger(library)
        for piece in planted_people.PIECES:
            error = ValueError(piece)
            row = {"name": piece, "list": [piece]}
            log.warning("Could not send %s to node %s: %r", piece, 1, error)
            log.error(f"[^--{piece}]: row {piece}", exc_info=error)  # noqa: G004 -- as some libraries do
            log.error("%(name)s in %(list)s", row)
            log.warning("%s:%s and %s", piece, 9092, (piece, row, piece.encode(), TopicPartition(piece, 3)))
    text = out.getvalue().encode()
    assert text.count(b"Could not send") >= 1
    assert hunt.found("".join(planted_people.PIECES).encode()), "the hunt finds what is there"
    assert hunt.found(text) == set()


def test_a_message_that_was_put_together_before_is_withheld_whatever_it_holds(out: io.StringIO) -> None:
    name = "Bergstrom"
    logging.getLogger("aiokafka").warning(f"no leader for {name} at %s", 1)  # noqa: G004 -- as some libraries do
    assert messages(out) == [WITHHELD]


def test_too_few_and_too_many_arguments_break_nothing(out: io.StringIO) -> None:
    logging.getLogger("faust").error("%d events of %s", 3)  # noqa: PLE1206
    logging.getLogger("faust").error("one %s", 1, 2)  # noqa: PLE1205
    logging.getLogger("faust").error("%d events", "Bergstrom")
    logging.getLogger("faust").error("100%")
    assert messages(out) == [f"3 events of {WITHHELD}", "one 1", f"{WITHHELD} events", "100%"]


def test_a_long_list_is_cut() -> None:
    assert LibraryMessages().shown(list(range(20))) == "[0, 1, 2, 3, 4, 5, 6, 7, and 12 more]"


@pytest.mark.parametrize("library", ["aiosqlite", "sqlalchemy.engine", "uvicorn.error", "streams.app", "httpx", "any"])
def test_libraries_are_heard_from_warning_on_at_every_level(library: str) -> None:
    stream = io.StringIO()
    logs.configure("json", "debug", stream=stream)
    logging.getLogger(library).setLevel(logging.DEBUG)  # as some set it themselves
    logging.getLogger(library).debug("executing %s", "Bergstrom")
    logging.getLogger(library).info("started")
    logs.get("engine").debug("x")
    logging.getLogger(library).warning("heard")
    assert [json.loads(line)["logger"] for line in stream.getvalue().splitlines()] == ["engine", library]
    logging.getLogger(library).setLevel(logging.NOTSET)
