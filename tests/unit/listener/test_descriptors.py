"""How many connections fit into the limit of open files."""

from __future__ import annotations

import resource
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from travelrule.listener import descriptors
from travelrule.listener.descriptors import DESCRIPTORS_MAX, raise_limit, within
from travelrule.listener.limits import ListenerLimits


@pytest.fixture
def lowered() -> Iterator[int]:
    """A soft limit below the hard one, of this process."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (512, hard))
    yield min(hard, DESCRIPTORS_MAX) if hard != resource.RLIM_INFINITY else DESCRIPTORS_MAX
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_the_soft_limit_is_raised_to_the_hard_one(lowered: int) -> None:
    assert raise_limit() == lowered
    assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] == lowered
    assert raise_limit() == lowered


@pytest.mark.parametrize(
    ("given_limits", "holds"),
    [
        ((100, 100), 100),
        ((resource.RLIM_INFINITY, resource.RLIM_INFINITY), DESCRIPTORS_MAX),
        ((DESCRIPTORS_MAX + 1, DESCRIPTORS_MAX + 1), DESCRIPTORS_MAX + 1),
        ((1_024, resource.RLIM_INFINITY), DESCRIPTORS_MAX),
    ],
)
def test_limits_of_other_systems(monkeypatch: pytest.MonkeyPatch, given_limits: tuple[int, int], holds: int) -> None:
    changed: list[tuple[int, int]] = []
    monkeypatch.setattr(resource, "getrlimit", lambda _: given_limits)
    monkeypatch.setattr(resource, "setrlimit", lambda _, both: changed.append(both))
    assert raise_limit() == holds
    assert all(hard == given_limits[1] for _, hard in changed)


def test_a_limit_that_cannot_be_raised_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise ValueError("current limit exceeds maximum limit")

    monkeypatch.setattr(resource, "getrlimit", lambda _: (256, resource.RLIM_INFINITY))
    monkeypatch.setattr(resource, "setrlimit", refuse)
    assert raise_limit() == 256


@given(st.integers(4, 5_000), st.integers(0, 2_000), st.integers(1, 2_000), st.integers(1, 2_000))
def test_connections_and_what_is_reserved_fit_together(
    available: int, reserved: int, connections: int, per_source: int
) -> None:
    limits = ListenerLimits(connections=connections, connections_per_source=per_source)
    fitting = within(limits, available, reserved)
    assert fitting.connections + min(reserved, available // 2) <= available
    assert 1 <= fitting.connections <= connections
    assert fitting.connections_per_source <= per_source
    if connections + reserved <= available:
        assert fitting == limits


def test_a_low_limit_is_named_once_at_the_start(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(descriptors, "raise_limit", lambda: 512)
    fitting = descriptors.fitted("gateway", ListenerLimits(), 256)
    assert (fitting.connections, fitting.connections_per_source) == (256, 128)
    assert [record.message for record in caplog.records] == ["few-descriptors"]
    caplog.clear()
    monkeypatch.setattr(descriptors, "raise_limit", lambda: 4_096)
    assert descriptors.fitted("gateway", ListenerLimits(), 256) == ListenerLimits()
    assert caplog.records == []
