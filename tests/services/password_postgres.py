"""A real PostgreSQL with password authentication: the server of other tests trusts everybody on loopback."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

from tests.services import PostgresServer
from tests.support.authority import Authority

PASSWORD = "Right-Planted"
"""Of the roles ``app`` and ``certified``, which may connect and nothing else."""
_TRUSTED = "host all postgres 127.0.0.1/32 trust\n"


class PasswordPostgres:
    """A server with the roles ``app`` (a password, no rights) and ``postgres`` (trusted, for the tests)."""

    rules = f"{_TRUSTED}host all all 127.0.0.1/32 scram-sha-256\n"

    def __init__(self, directory: Path, owner: int) -> None:
        self.server = PostgresServer(directory, owner)
        self._data = directory / "data"

    def start(self) -> None:
        """Start it with its rules in force."""
        self.server.start()
        (self._data / "pg_hba.conf").write_text(self.rules)
        self.server.execute(f"CREATE ROLE app LOGIN PASSWORD '{PASSWORD}'")
        self.reload(lambda: not self._opens_without_password())

    def kill(self) -> None:
        """End it."""
        self.server.kill()

    def execute(self, statement: str) -> None:
        """Run one statement as ``postgres``."""
        self.server.execute(statement)

    def create_database(self) -> str:
        """The name of a fresh, empty database."""
        return self.server.create_database()

    def url(self, database: str, password: str = PASSWORD, user: str = "app", options: str = "") -> str:
        """The value of ``DATABASE_URL``."""
        return f"postgresql+asyncpg://{user}:{password}@127.0.0.1:{self.port}/{database}{options}"

    @property
    def port(self) -> int:
        """Where it listens."""
        return urlsplit(self.server.dsn("postgres")).port or 0

    def reload(self, done: Callable[[], bool]) -> None:
        """Let the server read its configuration again; returns when ``done`` is true for a new session."""
        self.server.execute("SELECT pg_reload_conf()")
        while not done():
            pass  # the server reloads by itself, a moment later

    def _opens_without_password(self) -> bool:
        rules = "SELECT count(*) AS wanted FROM pg_hba_file_rules WHERE auth_method = 'scram-sha-256'"
        return int(self.server.fetch(rules)[0]["wanted"]) != self.rules.count("scram-sha-256")


class TlsPostgres(PasswordPostgres):
    """The same with TLS only, a certificate of ``issuer`` for ``127.0.0.1``, and the roles ``certified``, which has
    to show a certificate of its name too, and ``migrator``, which owns databases that ``app`` works in.
    """

    rules = (
        f"{_TRUSTED}hostssl all certified 127.0.0.1/32 scram-sha-256 clientcert=verify-full\n"
        "hostssl all all 127.0.0.1/32 scram-sha-256\n"
    )

    def __init__(self, directory: Path, owner: int) -> None:
        super().__init__(directory, owner)
        self.issuer = Authority(directory, "issuer")
        self._own, self._late = self.issuer.issue("postgres"), self.issuer.issue("late-postgres", expired=True)

    def start(self) -> None:
        """Start it with its rules and certificate in force."""
        super().start()
        for role in ("certified", "migrator"):
            self.execute(f"CREATE ROLE {role} LOGIN PASSWORD '{PASSWORD}'")
        self.execute(f"ALTER SYSTEM SET ssl_ca_file = '{self._given(self.issuer.path)}'")
        self.execute("ALTER SYSTEM SET ssl = on")
        self.show()

    def show(self, *, expired: bool = False) -> None:
        """Present its certificate, or one that expired yesterday."""
        certificate, key = (self._given(file) for file in (self._late if expired else self._own))
        self.execute(f"ALTER SYSTEM SET ssl_cert_file = '{certificate}'")
        self.execute(f"ALTER SYSTEM SET ssl_key_file = '{key}'")
        self.reload(lambda: str(self.server.fetch("SHOW ssl_key_file")[0][0]) == str(key))

    def _given(self, file: Path) -> Path:
        """A copy that only the server may read: it refuses another key."""
        copy = self._data / file.name
        shutil.copyfile(file, copy)
        copy.chmod(0o600)
        shutil.chown(copy, self._data.owner(), self._data.group())
        return copy
