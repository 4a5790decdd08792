"""Fixtures of a command line on an installation of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from streams.embedded import own_or_find
from streams.topics import Topics
from tests.contract.store.databases import sqlite_url
from tests.support.command_line import Cli


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    """Settings only: no database yet."""
    return Cli(tmp_path, monkeypatch)


@pytest.fixture
def installed(cli: Cli) -> Cli:
    """An installation with its tables."""
    (cli.folder / "data").mkdir()
    sqlite_url(cli.folder / "data")
    (cli.folder / "data" / "store.sqlite3").rename(cli.folder / "data" / "travelrule.sqlite3")
    return cli


@pytest.fixture
def broker(installed: Cli) -> Iterator[tuple[str, ...]]:
    """The embedded broker of the installation, owned by this process as ``serve`` would."""
    owned = own_or_find(installed.folder / "data", list(Topics("travelrule.").specs()))
    assert owned is not None
    yield owned.addresses
    owned.close()
