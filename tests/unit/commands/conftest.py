"""A command line on an installation of its own."""

from __future__ import annotations

from tests.support.command_line_fixtures import broker, cli, installed

__all__ = ["broker", "cli", "installed"]
