"""An installation whose gateway answers an address verification."""

from __future__ import annotations

import pytest

from tests.contract.listener.role import furnished
from tests.support.command_line import Cli
from tests.support.command_line_fixtures import cli, installed

__all__ = ["cli", "installed"]


@pytest.fixture
def member(installed: Cli) -> Cli:
    return furnished(installed)
