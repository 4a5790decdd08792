"""Root fixtures: a real Kafka and a real PostgreSQL, shared by all processes of the run, and a real Chromium."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterator
from pathlib import Path

import pytest

from tests.services import Chromium, GivenPostgres, KafkaCluster, KafkaNode, PostgresServer, run
from tests.support.leaks import leaked_since, open_descriptors


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):  # the controlling process, not one of the workers of xdist
        run.open_run()


def pytest_unconfigure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        run.close_run()


_BEFORE = pytest.StashKey[frozenset[tuple[str, str]]]()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    item.stash[_BEFORE] = open_descriptors()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None, None, None]:
    """A leak is an error of the test that made it."""
    yield
    if leaked := leaked_since(item.stash[_BEFORE]):
        pytest.fail("left open:\n" + "\n".join(leaked), pytrace=False)


@pytest.fixture(scope="session")
def kafka() -> KafkaNode:
    """The broker of the run, shared with other tests: who stops brokers takes ``own_kafka``."""
    return run.shared_kafka()


@pytest.fixture(scope="session")
def postgres() -> PostgresServer | GivenPostgres:
    """The PostgreSQL of the run, shared: who stops servers takes ``own_postgres``."""
    return run.shared_postgres()


@pytest.fixture(scope="session")
def chromium() -> Iterator[Chromium]:
    """A browser of this process, with an empty profile; the tests that take it share its cookies and storage."""
    directory = run.run_directory() / f"chromium-{os.getpid()}"
    browser = Chromium(directory, run.run_owner())
    browser.start()
    yield browser
    browser.stop()


@pytest.fixture
def pg_database(postgres: PostgresServer | GivenPostgres) -> Iterator[str]:
    """The URL of a fresh, empty database, dropped after the test."""
    name = postgres.create_database()
    yield postgres.dsn(name)
    postgres.drop_database(name)


@pytest.fixture
def own_directory(request: pytest.FixtureRequest) -> Callable[[str], Path]:
    """A directory of this test alone inside the run's directory (short, so that socket paths fit)."""
    return lambda name: run.run_directory() / f"{name}-{abs(hash(request.node.nodeid)) % 10**8:08d}"


@pytest.fixture
def own_kafka(own_directory: Callable[[str], Path]) -> Iterator[KafkaNode]:
    """A broker of this test alone, which it may stop, kill and freeze."""
    node = KafkaNode(own_directory("kafka"), run.run_owner())
    node.start()
    yield node
    node.kill()


@pytest.fixture
def kafka_cluster(own_directory: Callable[[str], Path]) -> Iterator[KafkaCluster]:
    """Three brokers of this test alone, which it may stop, kill, freeze and take leaders from."""
    cluster = KafkaCluster(own_directory("cluster"), run.run_owner())
    cluster.start()
    yield cluster
    cluster.kill()


@pytest.fixture
def own_postgres(own_directory: Callable[[str], Path]) -> Iterator[PostgresServer]:
    """A PostgreSQL of this test alone, which it may stop, kill and freeze."""
    server = PostgresServer(own_directory("postgres"), run.run_owner())
    server.start()
    yield server
    server.kill()
