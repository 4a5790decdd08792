"""A real PostgreSQL (15 or later): a given one, or Debian's binaries on loopback."""

from __future__ import annotations

import asyncio
import fcntl
import json
import os
import re
import secrets
import shutil
import signal
import subprocess
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit, urlunsplit

import asyncpg

from tests.services.debian import install
from tests.services.ports import free_port
from tests.services.process import ServiceError, ServiceProcess

GIVEN = "TEST_SERVICES_DATABASE_URL"
_LEAST_MAJOR = 15
_NAME = re.compile(r"[a-z_][a-z0-9_]{0,62}")


def binaries() -> Path:
    """The folder of ``initdb`` and ``postgres``; installs Debian's package when that is allowed."""
    if found := _installed():
        return found
    install("postgresql")
    if found := _installed():
        return found
    raise ServiceError("PostgreSQL 15 or later is missing: apt-get install postgresql")


def _installed() -> Path | None:
    majors = [int(p.parent.name) for p in Path("/usr/lib/postgresql").glob("*/bin") if p.parent.name.isdigit()]
    newest = max((major for major in majors if major >= _LEAST_MAJOR), default=None)
    return Path(f"/usr/lib/postgresql/{newest}/bin") if newest else None


class Databases:
    """Makes and drops databases on a server that is known by the URL of its maintenance database."""

    def __init__(self, url: str, directory: Path) -> None:
        self._parts = urlsplit(url.replace("postgresql+asyncpg://", "postgresql://"))
        self._directory = directory

    def dsn(self, database: str) -> str:
        """The SQLAlchemy URL of a database on this server."""
        return urlunsplit(self._parts._replace(scheme="postgresql+asyncpg", path=f"/{quote(database)}"))

    def create_database(self, template: str = "template0") -> str:
        """A fresh database, copied from a template; returns its name."""
        name = f"t_{secrets.token_hex(6)}"
        self.execute(f"CREATE DATABASE {_checked(name)} TEMPLATE {_checked(template)}")
        return name

    def drop_database(self, name: str) -> None:
        """Drop it, ending the connections that are still open."""
        self.execute(f"DROP DATABASE IF EXISTS {_checked(name)} WITH (FORCE)")

    def template(self, name: str, build: Callable[[str], None]) -> str:
        """The named template database; ``build(dsn)`` fills it once per server, for the first caller."""
        with (self._directory / "templates.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not self.fetch("SELECT 1 FROM pg_database WHERE datname = $1 AND datistemplate", name):
                self.drop_database(name)
                self.execute(f"CREATE DATABASE {_checked(name)} TEMPLATE template0")
                build(self.dsn(name))
                self.execute(f"ALTER DATABASE {_checked(name)} IS_TEMPLATE true ALLOW_CONNECTIONS false")
        return name

    def execute(self, statement: str) -> None:
        """Run one statement in the maintenance database."""
        self.fetch(statement)

    def fetch(self, statement: str, *values: object) -> list[Any]:
        """Run one query in the maintenance database."""
        return _in_own_loop(self._fetch(statement, *values))

    async def _fetch(self, statement: str, *values: object) -> list[Any]:
        connection = await asyncpg.connect(urlunsplit(self._parts), timeout=5)
        try:
            return list(await connection.fetch(statement, *values))
        finally:
            await connection.close()

    def answers(self) -> bool:
        """Whether a query is answered."""
        try:
            return bool(self.fetch("SELECT 1"))
        except (OSError, asyncpg.PostgresError, TimeoutError):
            return False


def _checked(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise ValueError(f"not a plain database name: {name!r}")
    return name


def _in_own_loop(work: Coroutine[Any, Any, list[Any]]) -> list[Any]:
    # Fixtures are called inside and outside of running loops; a thread of its own suits both.
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()


class GivenPostgres(Databases):
    """The server of ``TRAVELRULE_TEST_DATABASE_URL``: someone else runs it, so no stop or kill here."""

    def start(self) -> None:
        """Check that it is there."""
        if not self.answers():
            raise ServiceError("the PostgreSQL of TRAVELRULE_TEST_DATABASE_URL does not answer")

    def stop(self) -> None:
        """Refused."""
        raise ServiceError("the given PostgreSQL is not ours to stop: unset TRAVELRULE_TEST_DATABASE_URL")

    kill = freeze = thaw = stop


class PostgresServer(Databases):
    """A server that belongs to a directory: data, port and process id stay there over restarts."""

    def __init__(self, directory: Path, owner: int, *, fsync: bool = True) -> None:
        self._user = "postgres" if os.geteuid() == 0 else None  # initdb refuses to run as root
        self._bin = binaries()
        self._data = directory / "data"
        self._fsync = fsync
        port_file = directory / "port"
        if not port_file.exists():
            self._initdb(directory)
            port_file.write_text(json.dumps(free_port()))
        self._port = int(port_file.read_text())
        self._process = ServiceProcess(directory, "postgres", owner, self._user)
        super().__init__(f"postgresql://postgres@127.0.0.1:{self._port}/postgres", directory)

    def _initdb(self, directory: Path) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        if self._user:
            shutil.chown(directory, self._user)
        command = [str(self._bin / "initdb"), "-D", str(self._data), "-U", "postgres", "-A", "trust"]
        done = subprocess.run(
            [*command, "-E", "UTF8", "--locale=C.UTF-8", "--no-sync"],
            user=self._user,
            group=self._user,
            extra_groups=[] if self._user else None,
            cwd=directory,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise ServiceError(f"initdb failed:\n{done.stdout}\n{done.stderr}")

    def start(self) -> None:
        """Start it on its old data and port; returns when it answers a query."""
        options = {
            "port": self._port,
            "listen_addresses": "127.0.0.1",
            "unix_socket_directories": self._data.parent,
            "fsync": "on" if self._fsync else "off",
            "max_connections": 200,
            "shared_buffers": "128MB",
        }
        command = [str(self._bin / "postgres"), "-D", str(self._data)]
        for name, value in options.items():
            command += ["-c", f"{name}={value}"]
        self._process.start(command, self.answers)

    def stop(self) -> None:
        """A fast shutdown: sessions are ended, a checkpoint is written."""
        self._process.stop(signal.SIGINT)

    def kill(self) -> None:
        """SIGKILL to the server and its backends: the next start recovers from the log."""
        self._process.kill()

    def freeze(self) -> None:
        """SIGSTOP to the postmaster: no new connections."""
        self._process.send(signal.SIGSTOP)

    def thaw(self) -> None:
        """SIGCONT."""
        self._process.send(signal.SIGCONT)


def open_postgres(directory: Path, owner: int, *, fsync: bool = True) -> GivenPostgres | PostgresServer:
    """The server that the environment names, else one of our own in the directory (not started yet)."""
    directory.mkdir(parents=True, exist_ok=True)
    if given := os.environ.get(GIVEN):
        return GivenPostgres(given, directory)
    return PostgresServer(directory, owner, fsync=fsync)
