"""What a Prometheus scrapes of the real network: one job for each VASP, one instance for each process."""

from __future__ import annotations

from urllib.parse import urlsplit

from tests.e2e.network import RealNetwork
from tests.services.prometheus import ScrapeTarget


def scrape_targets(network: RealNetwork) -> list[ScrapeTarget]:
    """The metrics pages of all processes, running or not: ports are known before the processes start."""
    return [
        ScrapeTarget(urlsplit(member.page(name, "metrics")).netloc, member.entity_id, {"instance": name})
        for member in network.members.values()
        for name in member.names()
    ]
