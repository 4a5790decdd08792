"""An installation whose gateway answers an address verification."""

from __future__ import annotations

import pytest

from tests.contract.listener.role import furnished
from tests.unit.commands.conftest import cli, installed
from tests.unit.commands.kit import Cli

__all__ = ["cli", "installed"]


@pytest.fixture
def member(installed: Cli) -> Cli:
    return furnished(installed)
