"""What an operator learns of peers that were turned away."""

from __future__ import annotations

import pytest

from travelrule.listener.refused_peers import REPORT_SECONDS, RefusedPeers, source_of
from travelrule.metrics import REGISTRY


def test_an_attack_counts_in_full_and_is_logged_once_a_minute(caplog: pytest.LogCaptureFixture) -> None:
    now = 0.0
    peers = RefusedPeers("counted", lambda: now)
    for number in range(1_000):
        peers.add("foreign", f"192.0.2.{number % 250}")
    peers.add("handshake", "192.0.2.1")
    assert len(caplog.records) == 2, "one line for each reason"
    now = REPORT_SECONDS
    peers.add("foreign", "192.0.2.9")
    assert len(caplog.records) == 3
    labels = {"listener": "counted", "reason": "foreign"}
    assert REGISTRY.get_sample_value("travelrule_connections_refused_total", labels) == 1_001


@pytest.mark.parametrize(
    ("host", "source"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff::9", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("::ffff:192.0.2.7", "::ffff:192.0.2.7"),
    ],
)
def test_a_source_is_what_one_host_owns(host: str, source: str) -> None:
    assert source_of(host) == source
