"""A real PostgreSQL with password authentication: the server of other tests trusts everybody on loopback."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

from tests.services import PostgresServer

PASSWORD = "Right-Planted"
"""Of the role ``app``, which may connect and nothing else."""


class PasswordPostgres:
    """A server with the roles ``app`` (a password, no rights) and ``postgres`` (trusted, for the tests)."""

    def __init__(self, directory: Path, owner: int) -> None:
        self._server = PostgresServer(directory, owner)
        self._rules = directory / "data" / "pg_hba.conf"

    def start(self) -> None:
        """Start it with its rules in force."""
        self._server.start()
        self._rules.write_text("host all postgres 127.0.0.1/32 trust\nhost all all 127.0.0.1/32 scram-sha-256\n")
        self._server.execute(f"CREATE ROLE app LOGIN PASSWORD '{PASSWORD}'")
        self._server.execute("SELECT pg_reload_conf()")
        while self._opens_without_password():
            pass  # the server reloads by itself, a moment later

    def kill(self) -> None:
        """End it."""
        self._server.kill()

    def execute(self, statement: str) -> None:
        """Run one statement as ``postgres``."""
        self._server.execute(statement)

    def create_database(self) -> str:
        """The name of a fresh, empty database."""
        return self._server.create_database()

    def url(self, database: str, password: str = PASSWORD, user: str = "app", options: str = "") -> str:
        """The value of ``DATABASE_URL``."""
        port = urlsplit(self._server.dsn("postgres")).port
        return f"postgresql+asyncpg://{user}:{password}@127.0.0.1:{port}/{database}{options}"

    def _opens_without_password(self) -> bool:
        rules = "SELECT count(*) AS wanted FROM pg_hba_file_rules WHERE auth_method = 'scram-sha-256'"
        return int(self._server.fetch(rules)[0]["wanted"]) != 1
