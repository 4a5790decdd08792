"""The policy that every process loads, and the gauges that are counted in the database."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.contract.store.rows import NOW, after, call, event, write
from tests.support.hub import HandClock
from tests.support.vasps import NORTH as OWN
from travelrule import metrics
from travelrule.engine import gauges as gauges_module
from travelrule.engine.gauges import GaugeJob
from travelrule.engine.policy import active as rules_module
from travelrule.engine.policy.active import ActivePolicy
from travelrule.errors import ConfigurationError
from travelrule.policy.policy import Policy
from travelrule.store import tables
from travelrule.store.database import Database
from travelrule.store.policies import PolicyRepository

STRICT = 'deny_list = ["west"]\n'


@pytest.fixture
def clock() -> HandClock:
    made = HandClock()
    made.now = NOW
    return made


def rules(database: Database, clock: HandClock, file: Path | None = None) -> ActivePolicy:
    return ActivePolicy(PolicyRepository(database, "north"), OWN, file, clock)


async def test_the_first_start_puts_the_built_in_policy_in_force(database: Database, clock: HandClock) -> None:
    active = rules(database, clock)
    await active.load()
    stored = await PolicyRepository(database, "north").active()
    assert stored is not None
    assert (stored.version, stored.content) == (Policy.default().version, "")
    assert active().version == stored.version
    assert active().own == OWN


async def test_the_first_start_puts_the_file_of_the_settings_in_force_and_later_starts_do_not(
    database: Database, clock: HandClock, tmp_path: Path
) -> None:
    file = tmp_path / "policy.toml"
    file.write_text(STRICT)
    await rules(database, clock, file).load()
    file.write_text('deny_list = ["east"]\n')
    again = rules(database, clock, file)
    await again.load()
    assert again().deny_list == ("west",), "the database is the truth: a file that changed is applied by a person"


@pytest.mark.parametrize("content", [None, b"\xff\xfe", b"deny_list = 7\n", b"not toml"])
async def test_a_first_file_that_is_no_policy_is_a_fault_of_the_settings(
    database: Database, clock: HandClock, tmp_path: Path, content: bytes | None
) -> None:
    file = tmp_path / "policy.toml"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(ConfigurationError, match="POLICY_FILE"):
        await rules(database, clock, file).load()
    assert await PolicyRepository(database, "north").active() is None


async def test_another_process_takes_up_a_new_version_and_an_old_one_that_came_back(
    database: Database, clock: HandClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rules_module, "REFRESH_SECONDS", 0.01)
    active, policies = rules(database, clock), PolicyRepository(database, "north")
    await active.load()
    first = active()
    task = asyncio.create_task(active.run(lambda _: False))
    try:
        for content in (STRICT, ""):
            wanted = Policy.from_toml(content)
            await policies.activate(wanted.version, content, clock())
            async with asyncio.timeout(60):
                while active().version != wanted.version:
                    await asyncio.sleep(0.01)
            assert active().own == OWN
        assert active().version == first.version
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def test_what_an_older_release_activated_gets_a_version_of_this_one_once(
    database: Database, clock: HandClock
) -> None:
    """Verdicts name the version of this release, so it must be found; the older one stays for older verdicts."""
    policies = PolicyRepository(database, "north")
    await policies.activate("0123456789abcdef", STRICT, clock())
    active = rules(database, clock)
    await active.load()
    version = Policy.from_toml(STRICT).version
    assert active().version == version
    for _ in range(3):
        await rules(database, clock).load()
        await active.load()
    older, newer = await policies.by_version("0123456789abcdef"), await policies.by_version(version)
    assert older is not None
    assert newer is not None
    assert older.content == newer.content == STRICT
    async with database.read() as connection:
        assert len((await connection.execute(tables.policies.select())).all()) == 2


async def test_the_loops_outlive_a_database_failure_and_nothing_else(
    database: Database, clock: HandClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rules_module, "REFRESH_SECONDS", 0)
    monkeypatch.setattr(gauges_module, "INTERVAL_SECONDS", 0)
    active, gauges = rules(database, clock), GaugeJob(database, "north", clock)
    for loop, place, name in ((active, active, "load"), (gauges, gauges, "round")):
        failures: list[BaseException] = [ConnectionResetError(), ZeroDivisionError()]

        async def fail(left: list[BaseException] = failures) -> Any:
            raise left.pop(0)

        monkeypatch.setattr(place, name, fail)
        with pytest.raises(ZeroDivisionError):
            await loop.run(lambda error: isinstance(error, OSError))
        assert failures == []


def value(metric: Any, **labels: str) -> float | None:
    return next(
        (sample.value for family in metric.collect() for sample in family.samples if sample.labels == labels), None
    )


def exchange(name: str, status: str, side: str = "originating", vasp: str = "north") -> dict[str, Any]:
    return {
        "vasp": vasp,
        "side": side,
        "counterparty": "south",
        "transfer_id": name,
        "subject": "withdrawal:w",
        "status": status,
        "chain": "none",
        "txid": None,
        "txid_key": None,
        "vout": None,
        "address_index": None,
        "created_at": NOW,
        "updated_at": NOW,
    }


async def test_the_backlog_is_counted(database: Database, clock: HandClock) -> None:
    await write(
        database, tables.calls, [call("due"), call("due2", due=-5), call("later", due=5), call("x", vasp="south")]
    )
    rows = [
        event("a", created_at=after(-90)),
        event("b"),
        event("c", created_at=after(-900), vasp="south"),
        event("d", created_at=after(-900), sent_at=NOW),
    ]
    for row in rows:
        await write(database, tables.outbox, [row])
    gauges = GaugeJob(database, "north", clock)
    await gauges.round()
    assert value(metrics.CALLS_DUE) == 2
    assert value(metrics.OUTBOX_UNSENT) == 2
    assert value(metrics.OLDEST_UNSENT_SECONDS) == 90
    async with database.begin() as connection:
        await connection.execute(tables.outbox.delete())
        await connection.execute(tables.calls.delete())
    await gauges.round()
    assert [value(metric) for metric in (metrics.CALLS_DUE, metrics.OUTBOX_UNSENT, metrics.OLDEST_UNSENT_SECONDS)] == [
        0,
        0,
        0,
    ]


async def test_open_exchanges_are_counted_and_closed_ones_disappear(database: Database, clock: HandClock) -> None:
    rows = [exchange(f"v{n}", "verified") for n in range(3)] + [exchange("w", "wait")]
    rows += [exchange(f"x{n}", status) for n, status in enumerate(("denied", "canceled", "confirmed"))]
    rows += [exchange("b", "verified", "beneficiary"), exchange("s", "wait", vasp="south")]
    await write(database, tables.exchanges, rows)
    gauges = GaugeJob(database, "north", clock)
    await gauges.round()
    assert value(metrics.EXCHANGES_OPEN, side="originating", status="verified") == 3
    assert value(metrics.EXCHANGES_OPEN, side="originating", status="wait") == 1
    assert value(metrics.EXCHANGES_OPEN, side="beneficiary", status="verified") == 1
    assert value(metrics.EXCHANGES_OPEN, side="originating", status="denied") is None
    async with database.begin() as connection:
        await connection.execute(tables.exchanges.delete())
    await gauges.round()
    assert value(metrics.EXCHANGES_OPEN, side="originating", status="verified") is None
