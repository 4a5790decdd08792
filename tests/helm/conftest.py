"""Every installation of the matrix, rendered once per process."""

from __future__ import annotations

import functools

import pytest

from tests.helm.chart import MINIMAL, Rendered, render
from tests.helm.matrix import MATRIX


@functools.cache
def _installation(name: str) -> tuple[Rendered, ...]:
    return tuple(render(MATRIX[name], base={} if name == "hub only" else MINIMAL))


@pytest.fixture(params=MATRIX)
def installation(request: pytest.FixtureRequest) -> list[Rendered]:
    """The objects of one installation."""
    return list(_installation(request.param))
