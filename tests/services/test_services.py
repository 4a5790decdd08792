"""The services that other tests rely on: they come back with their data, and they die with the run."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
from confluent_kafka import Producer

from tests.services import Chromium, GivenPostgres, KafkaCluster, KafkaNode, PostgresServer, run
from tests.services.process import ROOT

pytestmark = pytest.mark.services


def _ends(process: psutil.Process, seconds: float = 10) -> bool:
    try:
        process.wait(seconds)
    except psutil.TimeoutExpired:
        return process.status() == psutil.STATUS_ZOMBIE
    return True


def test_kafka_comes_back_on_its_port_with_its_data(own_kafka: KafkaNode) -> None:
    own_kafka.create_topics(["kept"], partitions=1)
    producer = Producer({"bootstrap.servers": own_kafka.bootstrap, "log_level": 0})
    producer.produce("kept", b"value")
    assert producer.flush(10) == 0
    own_kafka.kill()
    assert not own_kafka.answers()
    own_kafka.start()
    producer.produce("kept", b"value")
    assert producer.flush(20) == 0


def test_creating_topics_twice_changes_nothing(kafka: KafkaNode) -> None:
    kafka.create_topics(["twice"], partitions=3)
    kafka.create_topics(["twice"], partitions=3)
    assert kafka.answers()


@pytest.mark.operations
def test_a_cluster_gives_leaders_away_and_back(kafka_cluster: KafkaCluster) -> None:
    kafka_cluster.create_topics(["moved"], partitions=6)
    at_first = kafka_cluster.leaders("moved")
    assert set(at_first.values()) == {1, 2, 3}
    kafka_cluster.move_leaders_from(2, ["moved"])
    assert set(kafka_cluster.leaders("moved").values()) == {1, 3}
    kafka_cluster.elect_preferred_leaders()
    assert kafka_cluster.leaders("moved") == at_first == kafka_cluster.preferred_leaders("moved")


@pytest.mark.operations
@pytest.mark.parametrize("loss", [KafkaNode.kill, KafkaNode.freeze])
def test_a_cluster_takes_records_without_one_broker(
    kafka_cluster: KafkaCluster, loss: Callable[[KafkaNode], None]
) -> None:
    kafka_cluster.create_topics(["taken"], partitions=3)
    quick = {"topic.metadata.refresh.interval.ms": 500, "socket.timeout.ms": 3000, "request.timeout.ms": 2000}
    producer = Producer({"bootstrap.servers": kafka_cluster.bootstrap, "acks": "all", "log_level": 0, **quick})
    loss(kafka_cluster.node(1))
    for partition in range(3):
        producer.produce("taken", b"value", partition=partition)
    assert producer.flush(60) == 0
    loss(kafka_cluster.node(2))
    refused: list[object] = []
    alone = Producer({"bootstrap.servers": kafka_cluster.bootstrap, "log_level": 0, "message.timeout.ms": 4000})
    alone.produce("taken", b"held by one broker only", on_delivery=lambda error, _: refused.append(error))
    assert alone.flush(60) == 0
    assert refused[0] is not None
    for node in kafka_cluster.nodes:
        node.thaw()
    kafka_cluster.start()
    kafka_cluster.elect_preferred_leaders()


def test_postgres_comes_back_with_what_was_committed(own_postgres: PostgresServer) -> None:
    own_postgres.execute("CREATE TABLE kept AS SELECT 7 AS n")
    own_postgres.kill()
    assert not own_postgres.answers()
    own_postgres.start()
    assert own_postgres.fetch("SELECT n FROM kept")[0]["n"] == 7
    own_postgres.stop()
    assert not own_postgres.answers()


def test_databases_are_separate_copies_of_a_template(postgres: PostgresServer | GivenPostgres) -> None:
    built: list[str] = []
    for _ in range(2):
        assert postgres.template("template_of_services", built.append) == "template_of_services"
    assert len(built) <= 1
    first, second = (postgres.create_database("template_of_services") for _ in range(2))
    assert first != second
    postgres.drop_database(first)
    postgres.drop_database(second)


def test_two_runs_of_a_fixture_get_two_databases(pg_database: str, postgres: PostgresServer) -> None:
    name = pg_database.rsplit("/", 1)[1]
    assert pg_database.startswith("postgresql+asyncpg://")
    assert postgres.fetch("SELECT 1 FROM pg_database WHERE datname = $1", name)


@pytest.mark.parametrize("victim", ["owner", "warden"])
def test_a_service_dies_with_its_owner(victim: str, own_directory: Callable[[str], Path]) -> None:
    directory = own_directory(victim)
    directory.mkdir(exist_ok=True)
    script = (
        "import sys, pathlib, time\n"
        "from tests.services.process import ServiceProcess\n"
        "import os\n"
        "d = pathlib.Path(sys.argv[1])\n"
        "ServiceProcess(d, 'sleeper', os.getpid()).start(['sleep', '600'], (d / 'pid').exists)\n"
        "print('up', flush=True)\n"
        "time.sleep(600)\n"
    )
    with subprocess.Popen([sys.executable, "-c", script, str(directory)], cwd=ROOT, stdout=subprocess.PIPE) as owner:
        assert owner.stdout is not None
        assert owner.stdout.readline() == b"up\n"
        sleeper = psutil.Process(int((directory / "pid").read_text()))
        os.kill(owner.pid if victim == "owner" else sleeper.ppid(), 9)
        assert _ends(sleeper)
        owner.kill()


def test_chromium_dies_with_what_drives_it(own_directory: Callable[[str], Path]) -> None:
    browser = Chromium(own_directory("chromium"), run.run_owner())
    browser.start()
    driver = browser.process.running()
    assert driver is not None
    processes = driver.children(recursive=True)
    assert processes
    browser.process.send(signal.SIGKILL)
    assert all(_ends(process) for process in processes)
    browser.abandon()


def test_a_command_that_fails_is_told_with_its_log(own_directory: Callable[[str], Path]) -> None:
    from tests.services.process import ServiceError, ServiceProcess

    directory = own_directory("failing")
    directory.mkdir(exist_ok=True)
    with pytest.raises(ServiceError, match=r"ended with status 3\s+no such thing"):
        ServiceProcess(directory, "failing", os.getpid()).start(
            ["sh", "-c", "echo no such thing; exit 3"], lambda: False
        )
