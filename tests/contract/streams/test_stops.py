"""A worker ends when it is asked to, also while its group waits for a member that does not answer."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from streams.connection import Connection
from streams.topics import Topics
from streams.worker import ABANDON_SECONDS
from tests.contract.streams.worker import Committer, consuming
from tests.contract.streams.worker_processes import QUICK, new_topics, settings_for
from tests.services import KafkaNode
from tests.services.process import ROOT

pytestmark = pytest.mark.services

STOP_SECONDS = 5
"""The time that ``worker`` allows for a stop."""
ENDED_SECONDS = 2 * (STOP_SECONDS + 3 * ABANDON_SECONDS)
PATIENT_SECONDS = 120
"""The group waits so long for the silent member: longer than the worker may take to end."""

MEMBER = """
import asyncio, sys
from aiokafka import AIOKafkaConsumer
from aiokafka.coordinator.assignors.roundrobin import RoundRobinPartitionAssignor

async def main(bootstrap, group, *topics):
    patient = int(topics[-1]) * 1000
    consumer = AIOKafkaConsumer(
        *topics[:-1], bootstrap_servers=bootstrap, group_id=group, session_timeout_ms=patient,
        rebalance_timeout_ms=patient, partition_assignment_strategy=[RoundRobinPartitionAssignor],
        heartbeat_interval_ms=300,
    )
    await consumer.start()
    while not consumer.assignment():
        await asyncio.sleep(0.05)
    print("joined", flush=True)
    await asyncio.Event().wait()

asyncio.run(main(*sys.argv[1:]))
"""


@contextmanager
def member(kafka: KafkaNode, topics: Topics) -> Iterator[subprocess.Popen[bytes]]:
    group = settings_for(kafka, topics).consumer_group
    arguments = [kafka.bootstrap, group, *topics.inputs(), str(PATIENT_SECONDS)]
    with subprocess.Popen([sys.executable, "-c", MEMBER, *arguments], cwd=ROOT, stdout=subprocess.PIPE) as process:
        yield process
        process.kill()


def _line(process: subprocess.Popen[bytes]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().decode().strip()


def test_a_worker_ends_during_a_rebalance_that_does_not(kafka: KafkaNode) -> None:
    topics = new_topics(kafka)
    command = [sys.executable, "-m", "tests.contract.streams.stopping_worker", kafka.bootstrap, topics.prefix]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as worker:
        try:
            assert _line(worker) == "joined"
            with member(kafka, topics) as silent:
                assert _line(silent) == "joined"
                silent.send_signal(signal.SIGSTOP)
                with member(kafka, topics):  # a third member: all have to join again, and one never does
                    assert _line(worker) == "rebalancing"
                    assert worker.stdin is not None
                    worker.stdin.write(b"stop\n")
                    worker.stdin.flush()
                    assert worker.wait(ENDED_SECONDS) == 0
        finally:
            worker.kill()


async def test_a_watch_that_fails_ends_the_worker(kafka: KafkaNode, monkeypatch: pytest.MonkeyPatch) -> None:
    topics = await asyncio.to_thread(new_topics, kafka, 1)

    async def broken(_: object) -> None:
        raise LookupError("nobody watches")

    monkeypatch.setattr("streams.backlog.Backlog.look", broken)
    async with consuming(
        settings_for(kafka, topics), Connection((kafka.bootstrap,)), Committer(), timing=QUICK
    ) as worker:
        async with asyncio.timeout(60):
            assert isinstance(await worker.failure(), LookupError)
