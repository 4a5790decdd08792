"""Topics, settings and worker processes of the tests that take brokers or workers away."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from streams.app import Timing
from streams.topics import Topics
from tests.services import KafkaCluster, KafkaNode
from tests.services.process import ROOT
from travelrule.settings import Settings

QUICK = Timing(commit_interval_s=0.2, heartbeat_s=0.5, session_s=3.0, rebalance_s=20.0)
_numbers = itertools.count()


def new_topics(kafka: KafkaNode | KafkaCluster, partitions: int = 4) -> Topics:
    """The topics of one test, with a prefix of their own."""
    topics = Topics(f"loss{os.getpid()}-{next(_numbers)}.")
    kafka.create_topics(list(topics.specs()), partitions=partitions)
    return topics


def settings_for(kafka: KafkaNode | KafkaCluster, topics: Topics) -> Settings:
    """Settings whose consumer group belongs to these topics alone."""
    return Settings(
        broker_url=f"kafka://{kafka.bootstrap}",
        topic_prefix=topics.prefix,
        consumer_group=f"{topics.prefix}group",
    )


@contextmanager
def file_worker(kafka: KafkaNode | KafkaCluster, topics: Topics, file: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A worker in a process of its own, which appends what it commits to ``file``."""
    command = [sys.executable, "-m", "tests.contract.streams.file_worker"]
    with subprocess.Popen(
        [*command, kafka.bootstrap, topics.prefix, str(file), "0.05"], cwd=ROOT, stderr=subprocess.DEVNULL
    ) as process:
        yield process
        process.kill()
