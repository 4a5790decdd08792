"""The command line's fixtures, for tests that start processes or need services."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tests.services import run
from tests.services.password_postgres import PasswordPostgres
from tests.services.secured_kafka import SecuredKafka
from tests.support.command_line_fixtures import broker, cli, installed

__all__ = ["broker", "cli", "installed", "password_postgres", "secured_kafka"]


@pytest.fixture(scope="session")
def password_postgres() -> Iterator[PasswordPostgres]:
    """A server that requires passwords."""
    server = PasswordPostgres(run.run_directory() / f"password-{os.getpid()}", run.run_owner())
    server.start()
    yield server
    server.kill()


@pytest.fixture(scope="session")
def secured_kafka() -> Iterator[SecuredKafka]:
    """A broker with a listener that requires a login, one with TLS and one without either."""
    node = SecuredKafka(run.run_directory() / f"secured-{os.getpid()}", run.run_owner())
    node.start()
    yield node
    node.kill()
