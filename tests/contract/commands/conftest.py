"""The command line's fixtures, for tests that start processes or need services."""

from tests.unit.commands.conftest import broker, cli, installed

__all__ = ["broker", "cli", "installed"]
