"""The services of one test run: one directory that all of its processes share, gone when the run ends."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psutil

from tests.services.kafka import KafkaNode
from tests.services.postgres import GIVEN, GivenPostgres, PostgresServer, open_postgres

_DIRECTORY = "TEST_SERVICES_DIRECTORY"
_OWNER = "TEST_SERVICES_OWNER"
_PREFIX = "travelrule-services-"


def open_run() -> None:
    """Begin a run in the controlling process; its children find it through the environment.

    The DSN of a given server moves to another name, because the program refuses ``TRAVELRULE_*`` names
    that it does not know.
    """
    if given := os.environ.pop("TRAVELRULE_TEST_DATABASE_URL", None):
        os.environ[GIVEN] = given
    _sweep()
    os.environ[_OWNER] = str(os.getpid())
    os.environ[_DIRECTORY] = tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-")
    Path(os.environ[_DIRECTORY]).chmod(0o755)  # PostgreSQL runs as another user


def close_run() -> None:
    """End every service of the run and remove its files; only in the process that began it."""
    if os.environ.get(_OWNER) != str(os.getpid()):
        return
    directory = Path(os.environ.pop(_DIRECTORY))
    del os.environ[_OWNER]
    end_services(directory)
    shutil.rmtree(directory, ignore_errors=True)


def end_services(directory: Path) -> None:
    """SIGKILL whatever was started under the directory: the run is over, its data are not needed."""
    for pid_file in directory.glob("**/pid"):
        with contextlib.suppress(psutil.NoSuchProcess, ValueError):
            process = psutil.Process(int(pid_file.read_text()))
            victims = [process, *process.children(recursive=True)]
            for victim in victims:
                victim.kill()
            psutil.wait_procs(victims, timeout=10)


def _sweep() -> None:
    """Remove what a killed run left on disk (its processes died with it)."""
    for left in Path(tempfile.gettempdir()).glob(f"{_PREFIX}[0-9]*-*"):
        owner = left.name.removeprefix(_PREFIX).partition("-")[0]
        if not psutil.pid_exists(int(owner)):
            shutil.rmtree(left, ignore_errors=True)


def run_directory() -> Path:
    """The directory of this run."""
    return Path(os.environ[_DIRECTORY])


def run_owner() -> int:
    """The process whose end is the end of the run."""
    return int(os.environ[_OWNER])


@contextlib.contextmanager
def _alone(name: str) -> Iterator[Path]:
    with (run_directory() / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield run_directory() / name


def shared_kafka() -> KafkaNode:
    """The broker of this run, started on first use."""
    with _alone("kafka") as directory:
        node = KafkaNode(directory, run_owner())
        node.start()
        return node


def shared_postgres() -> PostgresServer | GivenPostgres:
    """The PostgreSQL of this run, started on first use."""
    with _alone("postgres") as directory:
        server = open_postgres(directory, run_owner())
        server.start()
        return server
