"""The hub fails, the counterparties do not: withdrawals wait without an operator's action and continue afterwards."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

import pytest

from tests.support.installation import EngineInstallation, robot
from travelrule import metrics
from travelrule.engine.calls.circuit_breaker import FAILURES_TO_OPEN
from travelrule.engine.calls.hub_watch import FAILURES_TO_DOWN, RESUMED_PER_SECOND, HubWatch
from travelrule.engine.directory.fetch_schedule import STALE_INTERVALS
from travelrule.engine.vault import Vault
from travelrule.machine.retry_policy import HUB_MAX_SECONDS
from travelrule.store import tables
from travelrule.store.database import Database

INTERVAL_SECONDS = 20


@pytest.fixture
async def north(database: Database, vault: Vault) -> AsyncIterator[EngineInstallation]:
    made = EngineInstallation(database, vault, [robot()])
    async with aclosing(made.hub), made.control:
        await made.listing()
        yield made


async def second(north: EngineInstallation) -> None:
    """A second passes: the refresher looks, calls are made."""
    north.clock.forward(1)
    await north.refresher.round()
    await north.calls_all()


async def words(north: EngineInstallation) -> dict[str, dict[str, Any]]:
    """The last verdict of each withdrawal."""
    return {data["subject"]: data for data in await north.said("verdicts")}


async def test_a_few_seconds_without_the_hub_end_in_verdicts_within_seconds(north: EngineInstallation) -> None:
    north.wire.down = True
    for number in range(8):
        await north.withdraw(f"w-{number}")
        await second(north)
    north.wire.down = False
    for _ in range(6):
        await second(north)
    last = await words(north)
    assert [data["reasons"] for data in last.values()] == [["VERIFIED"]] * 8
    said = [(tuple(data["reasons"]), tuple(data["needs"])) for data in await north.said("verdicts")]
    assert set(said) == {(("HUB_UNREACHABLE",), ()), (("VERIFIED",), ())}
    assert await north.alerts() == []


async def test_after_a_long_outage_all_go_on_by_themselves_and_not_in_one_second(north: EngineInstallation) -> None:
    withdrawals = 60
    north.wire.down = True
    for number in range(withdrawals):
        await north.withdraw(f"w-{number}")
    await north.calls_all()
    for _ in range(12):
        north.clock.forward(59)
        await second(north)
    last = await words(north)
    assert len(last) == withdrawals
    assert {(data["verdict"], *data["reasons"], *data["needs"]) for data in last.values()} == {
        ("hold", "HUB_UNREACHABLE")
    }
    assert len(await north.said("verdicts")) == withdrawals, "said once, however often it is tried"
    assert set(await north.alerts()) == {"DIRECTORY_STALE"}
    held = await north.rows(tables.calls)
    assert {row.tries for row in held if row.tries > 3} == set(), "the hub was not asked by each of them all the time"
    north.wire.down = False
    began = north.clock()
    for _ in range(INTERVAL_SECONDS + 10):
        await second(north)
    assert {tuple(data["reasons"]) for data in (await words(north)).values()} == {("VERIFIED",)}
    per_second = Counter(entry["time"] for entry in north.seen("address-search") if entry["time"] > began.isoformat())
    assert sum(per_second.values()) == withdrawals
    assert max(per_second.values()) <= 2 * RESUMED_PER_SECOND


async def test_a_process_that_saw_no_outage_takes_over_what_another_one_left(north: EngineInstallation) -> None:
    north.wire.down = True
    await north.withdraw()
    for _ in range(6):
        await second(north)
    north.wire.down = False
    other = north.another_caller("p2", north.another_view(), HubWatch())
    north.clock.forward(1.5 * HUB_MAX_SECONDS)
    for _ in range(5):
        await north.call(other)
    assert (await north.verdicts())[-1] == ("allow", "VERIFIED")


async def test_a_process_without_calls_sees_the_end_of_an_outage_by_the_fetch_of_another(
    north: EngineInstallation,
) -> None:
    await north.refresher.round()  # it holds the lease
    watch = HubWatch()
    idle = north.another_refresher("p2", north.another_view(), watch)
    for _ in range(FAILURES_TO_DOWN):
        watch.record_failure(north.clock())
    await idle.round()
    assert not watch.up, "the last fetch began before the failures"
    for _ in range(INTERVAL_SECONDS + 5):
        await second(north)
        await idle.round()
    assert watch.up
    assert metrics.REGISTRY.get_sample_value("travelrule_hub_up") == 1


async def test_an_authorization_that_was_lost_three_times_is_finished_and_made_again_within_seconds(
    north: EngineInstallation,
) -> None:
    north.wire.lost["/v1/code/transfer/south"] = 3
    await north.withdraw()
    for _ in range(40):
        await second(north)
        await north.fire_timers()
    sent = [entry["ids"]["transferId"] for entry in north.seen("transfer-authorization")]
    assert len(sent) == 4
    assert len(set(sent[:3])) == 1
    assert sent[3] != sent[0]
    assert [entry["ids"]["transferId"] for entry in north.seen("finish")] == [sent[0]]
    assert await north.verdicts() == [("hold", "HUB_UNREACHABLE"), ("allow", "VERIFIED")]
    assert await north.alerts() == []


@pytest.mark.parametrize(
    ("status", "code", "reason"),
    [
        (429, "TOO_MANY_REQUESTS", "HUB_UNREACHABLE"),
        (500, "CODE_SERVER_INTERNAL_ERROR", "HUB_UNREACHABLE"),
        (502, "", "HUB_UNREACHABLE"),
        (504, "", "HUB_UNREACHABLE"),
        (408, "BENEFICIARY_VASP_REQUEST_TIMEOUT", "COUNTERPARTY_UNREACHABLE"),
        (503, "VASP_BACKEND_INTERNAL_ERROR", "COUNTERPARTY_UNREACHABLE"),
        (500, "RECEIVED_WRONG_JSON_MESSAGE", "COUNTERPARTY_UNREACHABLE"),
        (500, "RECEIVED_MSG_MISSING_FIELD", "COUNTERPARTY_UNREACHABLE"),
    ],
)
async def test_the_verdict_says_whose_failure_it_is(
    north: EngineInstallation, status: int, code: str, reason: str
) -> None:
    await north.fault(operation="address-search", fault="status", status=status, errorType=code)
    await north.withdraw()
    for _ in range(40):
        await second(north)
    assert await north.verdicts() == [("hold", reason)]
    await north.clear_faults()
    if reason == "HUB_UNREACHABLE":
        for _ in range(80):
            await second(north)
        assert (await north.verdicts())[-1] == ("allow", "VERIFIED")


async def test_a_failure_of_the_hub_does_not_count_against_a_counterparty(north: EngineInstallation) -> None:
    north.wire.down = True
    for number in range(2 * FAILURES_TO_OPEN):
        await north.withdraw(f"w-{number}")
    for _ in range(10):
        await second(north)
    assert north.caller._bulkheads.is_closed("south")


async def test_the_gauge_follows_the_hub_and_a_failed_counterparty_is_an_answer_of_it(
    north: EngineInstallation,
) -> None:
    def up() -> float | None:
        return metrics.REGISTRY.get_sample_value("travelrule_hub_up")

    await north.fault(operation="address-search", fault="status", status=408)
    await north.withdraw()
    for _ in range(10):
        await second(north)
    assert up() == 1
    north.wire.down = True
    await north.withdraw("w-2")
    for _ in range(10):
        await second(north)
    assert up() == 0
    north.wire.down = False
    for _ in range(20):
        await second(north)
    assert up() == 1


async def test_a_report_that_is_owed_is_sent_when_the_hub_is_back_and_not_at_its_next_turn(
    north: EngineInstallation,
) -> None:
    await north.withdraw()
    await north.calls_all()
    north.wire.down = True
    await north.send()
    for _ in range(10):
        north.clock.forward(59)
        await second(north)
    north.wire.down = False
    for _ in range(INTERVAL_SECONDS + 5):
        await second(north)
    assert len(north.seen("txid-report")) == 1
    assert await north.rows(tables.calls) == []


async def test_a_list_that_is_too_old_is_the_hubs_failure(north: EngineInstallation) -> None:
    await north.fault(operation="vasp-list", fault="status", status=500)
    north.clock.forward(STALE_INTERVALS * INTERVAL_SECONDS + 1)
    await north.withdraw()
    for _ in range(5):
        await second(north)
    assert await north.verdicts() == [("hold", "HUB_UNREACHABLE")]
    assert north.seen("address-search") == []
    await north.clear_faults()
    for _ in range(INTERVAL_SECONDS + 5):
        await second(north)
    assert (await north.verdicts())[-1] == ("allow", "VERIFIED")
