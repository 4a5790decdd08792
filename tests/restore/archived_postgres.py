"""A PostgreSQL whose write-ahead log is received elsewhere as it is written: the guide's continuous archiving."""

from __future__ import annotations

import shutil
import signal
import subprocess
import time
from pathlib import Path

from tests.services import PostgresServer
from tests.services.postgres import binaries
from tests.services.process import ServiceError, ServiceProcess

PATIENCE_SECONDS = 60


class ArchivedPostgres(PostgresServer):
    """Its base backup and log are in ``archive``, beside its own directory. A commit returns when the log is there."""

    def __init__(self, directory: Path, owner: int) -> None:
        super().__init__(directory / "server", owner)
        self._archive = directory / "archive"
        self._archive.mkdir(exist_ok=True)
        if self._user:
            shutil.chown(self._archive, self._user)
        self._receiver = ServiceProcess(self._archive, "pg_receivewal", owner, self._user)

    def begin_archive(self) -> None:
        """Receive the log, then take the base backup; both run while the server serves."""
        self._run("pg_receivewal", "--slot=archive", "--create-slot")
        log_folder = self._folder("wal")
        command = self._command("pg_receivewal", "--slot=archive", "--synchronous", f"--directory={log_folder}")
        self._receiver.start(command, lambda: any(log_folder.iterdir()))
        self._run("pg_basebackup", "--checkpoint=fast", "--wal-method=none", f"--pgdata={self._archive / 'base'}")
        self.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
        self.execute("SELECT pg_reload_conf()")
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not self.fetch("SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'"):
            assert time.monotonic() < deadline, "commits do not wait for the archive"

    def lose(self) -> None:
        """The machine is gone: no orderly end, and nothing is left of its disk."""
        super().kill()
        shutil.rmtree(self._data)
        self._receiver.stop(signal.SIGINT)

    def kill(self) -> None:
        """SIGKILL to the server and to the process that receives its log."""
        super().kill()
        self._receiver.kill()

    def restore(self) -> None:
        """Start from the base backup, and recover all of the received log."""
        shutil.copytree(self._archive / "base", self._data)
        for part in (self._archive / "wal").glob("*.partial"):
            part.rename(part.with_suffix(""))
        (self._data / "recovery.signal").touch()
        with (self._data / "postgresql.auto.conf").open("a") as file:
            file.write(f"\nrestore_command = 'cp {self._archive / 'wal'}/%f %p'\nsynchronous_standby_names = ''\n")
        if self._user:
            for path in (self._data, *self._data.rglob("*")):
                shutil.chown(path, self._user, self._user)
        self._data.chmod(0o700)
        self.start()
        deadline = time.monotonic() + PATIENCE_SECONDS
        while self.fetch("SELECT pg_is_in_recovery()")[0][0]:
            assert time.monotonic() < deadline, "recovery did not end"

    def _folder(self, name: str) -> Path:
        folder = self._archive / name
        folder.mkdir(exist_ok=True)
        if self._user:
            shutil.chown(folder, self._user, self._user)
        return folder

    def _command(self, program: str, *words: str) -> list[str]:
        return [str(binaries() / program), "--host=127.0.0.1", f"--port={self._port}", "--username=postgres", *words]

    def _run(self, program: str, *words: str) -> None:
        done = subprocess.run(
            self._command(program, *words),
            user=self._user,
            group=self._user,
            extra_groups=[] if self._user else None,
            cwd=self._archive,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise ServiceError(f"{program} failed:\n{done.stderr}")
