from __future__ import annotations

from streams.progress import CommitProgress


class Clocks:
    wall = 1000.0
    steady = 50.0


def _progress(clocks: Clocks) -> CommitProgress:
    return CommitProgress(lambda: clocks.wall, lambda: clocks.steady)


def test_lag_is_the_age_of_the_oldest_unacknowledged_record_of_a_topic() -> None:
    progress = _progress(Clocks())
    progress.taken("txids", 0, 7, 990.0)
    progress.taken("txids", 1, 3, 980.0)
    progress.taken("wallets", 0, 1, 999.0)
    assert progress.lag_seconds() == {"txids": 20.0, "wallets": 1.0}
    progress.acknowledged("txids", 1, 3)
    assert progress.lag_seconds() == {"txids": 10.0, "wallets": 1.0}
    progress.acknowledged("txids", 0, 7)
    progress.acknowledged("wallets", 0, 1)
    assert progress.lag_seconds() == {}
    assert progress.pending == 0


def test_a_record_of_the_future_has_no_negative_age() -> None:
    progress = _progress(Clocks())
    progress.taken("txids", 0, 7, 2000.0)
    assert progress.lag_seconds() == {"txids": 0.0}


def test_only_time_with_work_and_without_acknowledgement_is_a_stall() -> None:
    clocks = Clocks()
    progress = _progress(clocks)
    clocks.steady += 500
    assert progress.stalled_seconds() == 0
    progress.taken("txids", 0, 1, 990.0)
    progress.taken("txids", 0, 2, 990.0)
    clocks.steady += 7
    assert progress.stalled_seconds() == 7
    progress.acknowledged("txids", 0, 1)
    clocks.steady += 2
    assert progress.stalled_seconds() == 2
    progress.acknowledged("txids", 0, 2)
    assert progress.stalled_seconds() == 0


def test_new_records_do_not_hide_that_nothing_is_acknowledged() -> None:
    clocks = Clocks()
    progress = _progress(clocks)
    for offset in range(10):
        progress.taken("txids", 0, offset, 990.0)
        clocks.steady += 1
    assert progress.stalled_seconds() == 10


def test_a_redelivered_record_counts_once() -> None:
    progress = _progress(Clocks())
    progress.taken("txids", 0, 1, 990.0)
    progress.taken("txids", 0, 1, 990.0)
    progress.acknowledged("txids", 0, 1)
    progress.acknowledged("txids", 0, 1)
    assert progress.pending == 0
