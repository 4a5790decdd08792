"""The metrics of every process after real traffic: each declared one is there, none holds an id, promtool agrees."""

from __future__ import annotations

import asyncio
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import aiohttp
import pytest
import pytest_asyncio
from prometheus_client import Metric
from prometheus_client.parser import text_string_to_metric_families

from tests.e2e.network import RealNetwork, until
from tests.monitoring.test_metric_names import checked
from travelrule.commands.demo.scenarios import SCENARIOS, DemoStage
from travelrule.commands.demo.session import outcome_of
from travelrule.metric_registry import MetricSpec
from travelrule.metrics import METRICS

pytestmark = [pytest.mark.services, pytest.mark.after_traffic, pytest.mark.asyncio(loop_scope="session")]

NEEDS_A_FAULT = {
    "travelrule_calls_exhausted_total": "a counterparty that fails every attempt; tests/unit/engine/calls",
    "travelrule_circuit_open": "a counterparty that fails in a row; tests/unit/engine/calls",
    "travelrule_connections_refused_total": "a foreign or broken peer; tests/unit/listener",
    "travelrule_directory_changes_total": "a member that changes; tests/contract/engine/directory",
    "travelrule_gateway_limited_total": "a member over its rate; tests/unit/gateway",
    "travelrule_job_failures_total": "a database that fails; tests/unit/engine",
    "travelrule_key_mismatches_total": "a key that was exchanged; tests/unit/engine/calls, tests/unit/gateway",
    "travelrule_retention_removed_total": "a policy with retention; tests/contract/engine/retention",
}
"""Counters that normal traffic does not increase, with what does, and the tests that show it."""

SERIES_MAX = 3_000
"""Of one process. Prometheus's guide: keep the cardinality of a metric low, of a whole process in the thousands."""
VALUES_MAX = 80
"""Different values of one label of one metric: the largest set is that of reasons and operations."""
LIKE_AN_ID = re.compile(r"[0-9a-fA-F]{16,}|[0-9a-f]{8}-[0-9a-f]{4}|[A-Za-z0-9]{26,}|\d{6,}")
"""Hashes, UUIDs, addresses, numbers of accounts."""
FINGERPRINTS = {("travelrule_policy_info", "version")}
"""Labels with a hash that is no secret: the start of the SHA-256 of the policy's rules."""


@dataclass(frozen=True)
class Page:
    """The metrics of one process."""

    process: str
    text: str
    families: dict[str, Metric]

    def samples(self, spec: MetricSpec) -> Iterable[tuple[str, dict[str, str], float]]:
        """Name, labels and value of each sample of one metric."""
        family = self.families.get(spec.name.removesuffix("_total") if spec.type == "counter" else spec.name)
        return [] if family is None else [(one.name, one.labels, one.value) for one in family.samples]

    def has_seen(self, spec: MetricSpec) -> bool:
        """Whether something was counted or measured; a gauge counts if it is there."""
        if spec.type == "gauge":
            return bool(self.samples(spec))
        names = {spec.name, f"{spec.name}_count"}
        return any(name in names and value > 0 for name, _, value in self.samples(spec))


async def pages_of(network: RealNetwork) -> list[Page]:
    pages = []
    async with aiohttp.ClientSession() as session:
        for name, url in network.metrics_pages().items():
            async with session.get(url) as answer:
                text = await answer.text()
            pages.append(Page(name, text, {family.name: family for family in text_string_to_metric_families(text)}))
    return pages


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def pages(network: RealNetwork) -> list[Page]:
    """All pages, after every scenario and the first rounds of all periodic jobs."""
    for title in SCENARIOS.keys() - network.played:
        assert await outcome_of(SCENARIOS[title](DemoStage(network))) == "ok"
        network.played.add(title)

    async def unseen() -> set[str]:
        seen = await pages_of(network)
        return {spec.name for spec in METRICS if not any(page.has_seen(spec) for page in seen)}

    async def complete() -> bool:
        return await unseen() <= NEEDS_A_FAULT.keys()

    try:
        await until(complete, "every metric was observed")
    except AssertionError:
        missing = sorted(await unseen() - NEEDS_A_FAULT.keys())
        raise AssertionError(f"declared, and never observed in real traffic: {missing}") from None
    return await pages_of(network)


async def test_every_declared_metric_is_observed_or_needs_a_fault(pages: list[Page]) -> None:
    seen = {spec.name for spec in METRICS if any(page.has_seen(spec) for page in pages)}
    assert {spec.name for spec in METRICS} - seen <= NEEDS_A_FAULT.keys()
    assert NEEDS_A_FAULT.keys() <= {spec.name for spec in METRICS}


async def test_a_process_serves_the_gauges_of_its_roles_only(pages: list[Page]) -> None:
    gauges = {spec.name for spec in METRICS if spec.type == "gauge" and not spec.labels}
    shown = {page.process: gauges & page.families.keys() for page in pages}
    for process, names in shown.items():
        assert ("travelrule_outbox_unsent" in names) == ("worker" in process), process
        assert ("travelrule_heartbeat_timestamp_seconds" in names) == (process != "sandbox"), process
        assert ("travelrule_database_connections_max" in names) == (process != "sandbox"), process


async def test_labels_are_those_that_are_declared_and_hold_no_id(pages: list[Page], network: RealNetwork) -> None:
    known = await _ids(network)
    for page in pages:
        values: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
        for spec, labels in _labelled(page):
            assert labels.keys() == set(spec.labels), spec.name
            for label, value in labels.items():
                values[spec.name, label].add(value)
        assert {place: seen for place, seen in values.items() if len(seen) > VALUES_MAX} == {}
        for place, seen in values.items():
            suspect = {value for value in seen if value in known or LIKE_AN_ID.search(value)}
            assert place in FINGERPRINTS or suspect == set(), f"{page.process}: {place}"
        assert page.text.count("\n") < SERIES_MAX, page.process


def _labelled(page: Page) -> Iterator[tuple[MetricSpec, dict[str, str]]]:
    for spec in METRICS:
        for _, labels, _ in page.samples(spec):
            yield spec, {name: value for name, value in labels.items() if name != "le"}


async def _ids(network: RealNetwork) -> set[str]:
    """Every id, customer and txid in the databases: of subjects, exchanges, calls and withdrawals."""
    found: set[str] = set()
    for entity_id in network.members:
        tables = network.tables(entity_id)
        for query in (
            "SELECT subject FROM subjects",
            "SELECT split_part(subject, ':', 2) FROM subjects WHERE kind IN ('withdrawal', 'deposit', 'wallet')",
            "SELECT transfer_id FROM exchanges",
            "SELECT txid FROM exchanges WHERE txid IS NOT NULL",
            "SELECT id FROM calls",
            "SELECT wallet_id FROM wallets",
        ):
            found |= {str(next(iter(row.values()))) for row in await tables.rows(query)}
    assert len(found) > len(SCENARIOS)
    return found


async def test_promtool_finds_no_fault_on_any_page(pages: list[Page]) -> None:
    for page in pages:
        assert await asyncio.to_thread(checked, page.text.encode()) == (0, ""), page.process
