"""Metrics of the process itself: which program runs, how late its event loop is, and its pool of connections."""

from __future__ import annotations

import asyncio
import platform
from importlib.metadata import version

from travelrule import metrics

LOOK_SECONDS = 0.5


def show_build() -> None:
    """Serve the version of the program and of Python."""
    metrics.BUILD_INFO.labels(version=version("travelrule"), python=platform.python_version()).set(1)


async def watch_event_loop() -> None:
    """Measure until cancelled how much later than asked for this task resumes."""
    loop = asyncio.get_running_loop()
    while True:
        wanted = loop.time() + LOOK_SECONDS
        await asyncio.sleep(LOOK_SECONDS)
        metrics.EVENT_LOOP_LAG_SECONDS.observe(max(loop.time() - wanted, 0.0))
