"""The one loop of all periodic work, on a clock that passes only while everything waits."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable
from itertools import pairwise

import pytest

from tests.support import manual_time
from travelrule import metrics
from travelrule.engine.periodic_job import PAUSE_SECONDS_MAX, Outage, PeriodicJob

INTERVAL = 7.0


def is_outage(error: BaseException) -> bool:
    return isinstance(error, OSError)


class Work:
    """Records when its step runs; ``fate`` is the outcome of the step of that number."""

    def __init__(self, fate: Callable[[int], bool | Exception], wake: asyncio.Event | None = None) -> None:
        self.fate = fate
        self.wake = wake
        self.at: list[float] = []
        self.lease: Callable[[], Awaitable[bool]] | None = None

    async def step(self) -> bool:
        self.at.append(asyncio.get_running_loop().time())
        outcome = self.fate(len(self.at))
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    async def during(self, seconds: float) -> None:
        job = PeriodicJob("work", self.step, interval=INTERVAL, failed=is_outage, lease=self.lease, wake=self.wake)
        try:
            async with asyncio.timeout(seconds):
                await job.run()
        except TimeoutError:
            return


def played(work: Work, seconds: float) -> list[float]:
    manual_time.run(work.during(seconds))
    return work.at


def test_a_step_with_more_to_do_is_repeated_at_once_and_an_idle_one_after_the_interval() -> None:
    assert played(Work(lambda number: number < 3), 20) == [0, 0, 0, 7, 14]


def test_pauses_double_up_to_a_bound_and_restart_after_a_success(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    before = failures()
    at = played(Work(lambda number: False if number == 7 else OSError()), 40)
    assert at == [0, 0.5, 1.5, 3.5, 7.5, 12.5, 17.5, 24.5, 25, 26, 28, 32, 37]
    assert max(later - earlier for earlier, later in pairwise(at[:7])) == PAUSE_SECONDS_MAX
    assert failures() - before == 12
    said = [record.getMessage() for record in caplog.records]
    assert said == ["database-unavailable", "database-available", "database-unavailable"]


def test_an_outage_of_days_keeps_its_bound() -> None:
    outage = Outage("work")
    assert {outage.record_failure(OSError()) for _ in range(5000)} == {0.5, 1, 2, 4, 5}


def test_a_commit_ends_the_rest_and_one_that_comes_during_the_step_is_not_missed() -> None:
    wake = asyncio.Event()

    def fate(number: int) -> bool:
        if number == 1:
            wake.set()
        return False

    async def woken(work: Work) -> None:
        asyncio.get_running_loop().call_later(3, wake.set)
        await work.during(12)

    work = Work(fate, wake)
    manual_time.run(woken(work))
    assert work.at == [0, 0, 3, 10]


@pytest.mark.parametrize("fails_in", ["step", "lease"])
def test_a_commit_that_was_announced_before_the_outage_causes_no_spin(fails_in: str) -> None:
    """The lease is taken first: an event that is set then must still be cleared."""
    wake = asyncio.Event()
    wake.set()
    asked: list[float] = []

    async def lease() -> bool:
        asked.append(asyncio.get_running_loop().time())
        if fails_in == "lease":
            raise OSError
        return True

    work = Work(lambda _: OSError(), wake)
    work.lease = lease
    manual_time.run(work.during(8))
    assert asked == [0, 0.5, 1.5, 3.5, 7.5]


def test_a_commit_shortens_a_pause_but_not_below_the_shortest() -> None:
    wake = asyncio.Event()

    async def each_tenth(work: Work) -> None:
        loop = asyncio.get_running_loop()
        for tenth in range(1, 100):
            loop.call_later(tenth / 10, wake.set)
        await work.during(9.9)

    work = Work(lambda _: OSError(), wake)
    manual_time.run(each_tenth(work))
    assert len(work.at) <= 20
    assert min(later - earlier for earlier, later in pairwise(work.at)) >= 0.5


def test_the_owner_of_the_lease_works_and_the_others_ask_at_intervals_however_often_they_are_woken() -> None:
    wake = asyncio.Event()
    asked: list[float] = []

    async def lease() -> bool:
        asked.append(asyncio.get_running_loop().time())
        wake.set()  # a commit of this process, each time
        return len(asked) == 3

    work = Work(lambda _: True, wake)
    work.lease = lease
    manual_time.run(work.during(20))
    assert asked[:3] == [0, 7, 14]
    assert work.at == [14]


def test_what_is_no_outage_ends_the_job() -> None:
    work = Work(lambda number: OSError() if number == 1 else ZeroDivisionError())
    with pytest.raises(ZeroDivisionError):
        manual_time.run(work.during(60))
    assert work.at == [0, 0.5]


def failures() -> float:
    return metrics.JOB_FAILURES_TOTAL.labels(periodic_job="work")._value.get()


def last_successes() -> dict[str, float]:
    samples = next(iter(metrics.JOB_LAST_SUCCESS_TIMESTAMP_SECONDS.collect())).samples
    return {sample.labels["periodic_job"]: sample.value for sample in samples}


def test_a_job_whose_step_never_ends_reports_no_last_success_that_an_alert_would_take_for_old() -> None:
    async def listen() -> bool:
        return await asyncio.Event().wait()

    async def listening() -> None:
        for name, endless in (("endless", True), ("in rounds", False)):
            job = PeriodicJob(name, listen, interval=INTERVAL, failed=is_outage, endless=endless)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(60):
                    await job.run()

    manual_time.run(listening())
    assert "endless" not in last_successes()
    assert last_successes()["in rounds"] == 0, "a job that never completed a round since the start is reported"
