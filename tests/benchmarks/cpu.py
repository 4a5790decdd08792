"""CPU seconds of process trees, as the kernel counts them."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping

import psutil


def spent(process: psutil.Process) -> float:
    """User and system seconds of a process, of its living descendants and of the children that have ended.

    PostgreSQL starts a process per connection: one that ends moves into the postmaster's ``children`` times.
    """
    total = 0.0
    with contextlib.suppress(psutil.NoSuchProcess):
        for one in (process, *process.children(recursive=True)):
            with contextlib.suppress(psutil.NoSuchProcess):
                times = one.cpu_times()
                total += times.user + times.system + times.children_user + times.children_system
    return total


class Meter:
    """What named process trees have spent since the meter was made or set back."""

    def __init__(self, trees: Mapping[str, int]) -> None:
        self._processes = {name: psutil.Process(pid) for name, pid in trees.items()}
        self._before = {name: spent(process) for name, process in self._processes.items()}

    def read(self) -> dict[str, float]:
        """Seconds by name."""
        return {name: spent(process) - self._before[name] for name, process in self._processes.items()}


def resident_megabytes(pid: int) -> float:
    """Resident memory of one process."""
    return float(psutil.Process(pid).memory_info().rss) / 1e6
