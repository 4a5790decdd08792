"""The embedded broker: librdkafka's mock cluster inside one of our processes. For trying out only.

The first process of a ``DATA_DIR`` owns it: it locks ``broker.lock`` while it runs and writes ``broker.json`` (address
and process id), where others read the address. Records are in the owner's memory and are lost when it ends. There is
no compaction and no CreateTopics, and about 5 MB are kept per partition.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import IO

import orjson
from confluent_kafka import KafkaException, Producer

from schemas.registry import PARTITIONS_EMBEDDED
from travelrule import logs
from travelrule.errors import ServiceUnavailable

WARNING = "embedded broker: for trying out only; events are kept in memory (about 5 MB per partition, no compaction)"
_START_SECONDS = 10.0
_LOOK_SECONDS = 0.05

log = logs.get("broker")


class EmbeddedBroker:
    """The mock cluster, owned by this process. Created by ``own_or_find``."""

    def __init__(self, directory: Path, lock: IO[bytes], topics: Sequence[str]) -> None:
        self._lock = lock
        self._file = directory / "broker.json"
        self._cluster = Producer(
            {
                "bootstrap.servers": "127.0.0.1:1",  # replaced by the mock cluster's own
                "test.mock.num.brokers": 1,
                "client.id": "travelrule-embedded-broker",
                "log_level": 2,
            }
        )
        self.addresses = self._make(topics)
        _write(self._file, {"pid": os.getpid(), "bootstrap": list(self.addresses)})
        log.warning("embedded-broker-started", detail=WARNING, partitions=PARTITIONS_EMBEDDED)

    def _make(self, topics: Sequence[str]) -> tuple[str, ...]:
        """Create the topics by requesting their metadata: the mock cluster has no CreateTopics."""
        try:
            for topic in topics:
                self._cluster.list_topics(topic, timeout=_START_SECONDS)
            brokers = self._cluster.list_topics(timeout=_START_SECONDS).brokers.values()
        except KafkaException as error:
            raise ServiceUnavailable("broker", "the embedded broker did not start") from error
        return tuple(f"{broker.host}:{broker.port}" for broker in brokers)

    def close(self) -> None:
        """Stop the broker and unlock the directory. Clients must be stopped first."""
        if self._lock.closed:
            return
        self._file.unlink(missing_ok=True)
        del self._cluster
        self._lock.close()


def own_or_find(directory: Path, topics: Sequence[str]) -> EmbeddedBroker | None:
    """Own the broker of ``directory``, with ``topics`` (names with prefix); None if another process owns it.

    Raises ServiceUnavailable if the broker does not start or ``directory`` cannot be written.
    """
    try:
        directory.mkdir(parents=True, exist_ok=True)
        lock = (directory / "broker.lock").open("ab")
    except OSError as error:
        raise ServiceUnavailable("broker", "DATA_DIR must be a folder that can be written") from error
    if not _locked(lock):
        lock.close()
        return None
    try:
        return EmbeddedBroker(directory, lock, topics)
    except BaseException:
        lock.close()
        raise


def find(directory: Path, patience_s: float = _START_SECONDS) -> tuple[str, ...]:
    """Return the address of the broker that another process (or this one) owns.

    Raises ServiceUnavailable immediately if no process owns it, and after ``patience_s`` if the owner wrote no address.
    """
    deadline = time.monotonic() + patience_s
    while _is_owned(directory):
        if (found := _read(directory / "broker.json")) is not None:
            return found
        if time.monotonic() > deadline:
            raise ServiceUnavailable("broker", "the process that owns the embedded broker does not get ready")
        time.sleep(_LOOK_SECONDS)  # between two reads of the file that the owner writes
    raise ServiceUnavailable(
        "broker", "no running process owns the embedded broker of DATA_DIR: start `travelrule serve` there first"
    )


def _is_owned(directory: Path) -> bool:
    try:
        with (directory / "broker.lock").open("rb") as lock:
            return not _locked(lock)
    except OSError:
        return False


def _locked(lock: IO[bytes]) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _write(file: Path, content: dict[str, object]) -> None:
    """Write atomically: a reader never gets half a file."""
    draft = file.with_suffix(f".{os.getpid()}")
    draft.write_bytes(orjson.dumps(content))
    draft.replace(file)


def _read(file: Path) -> tuple[str, ...] | None:
    """Return the address, if the process that wrote it runs (a killed owner leaves its file)."""
    try:
        content = orjson.loads(file.read_bytes())
        os.kill(int(content["pid"]), 0)
        return tuple(str(address) for address in content["bootstrap"])
    except (OSError, ValueError, TypeError, KeyError):
        return None
