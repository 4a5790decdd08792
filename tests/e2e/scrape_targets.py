"""What a Prometheus scrapes of the real network: a job for each VASP and for the hub, an instance for each process."""

from __future__ import annotations

from urllib.parse import urlsplit

from tests.e2e.network import RealNetwork
from tests.services.prometheus import ScrapeTarget


def scrape_targets(network: RealNetwork) -> list[ScrapeTarget]:
    """The metrics pages of all processes, running or not: ports are known before the processes start."""
    members = [
        ScrapeTarget(urlsplit(member.page(name, "metrics")).netloc, member.entity_id, {"instance": name})
        for member in network.members.values()
        for name in member.names()
    ]
    return [*members, ScrapeTarget(f"127.0.0.1:{network.sandbox_metrics_port}", "hub", {"instance": "sandbox"})]
