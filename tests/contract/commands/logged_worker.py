"""A worker process whose log is read while it runs."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from tests.contract.commands.test_processes import start
from tests.services import KafkaCluster, KafkaNode
from tests.services.ports import free_port
from tests.support.command_line import Cli

PATIENCE_SECONDS = 180
LOOK_SECONDS = 0.1
MINUTE = timedelta(minutes=1)

Line = dict[str, Any]


class LoggedWorker:
    """``travelrule serve worker`` on a broker; its standard error is a file of JSON lines."""

    def __init__(self, installed: Cli, kafka: KafkaNode | KafkaCluster, **settings: str) -> None:
        self.settings = {
            "BROKER_URL": f"kafka://{kafka.bootstrap}",
            "TOPIC_PREFIX": "logged.",
            "CONSUMER_GROUP": "logged-workers",
            "METRICS_LISTEN": f"127.0.0.1:{free_port()}",
            **settings,
        }
        self.log = installed.folder / "worker.log"
        self._folder: Path = installed.folder
        self._process: subprocess.Popen[str] | None = None
        installed.set(**self.settings)
        assert installed.run("topics", "apply").code == 0

    def start(self) -> None:
        """Start it; returns when it consumes."""
        with self.log.open("ab") as file:
            self._process = start(self._folder, "serve", "worker", into=file, **self.settings)
        self.until(self.ready, "it is ready")

    def ready(self) -> bool:
        """Whether ``/readyz`` answers 200."""
        try:
            with urlopen(f"http://{self.settings['METRICS_LISTEN']}/readyz", timeout=5):
                return True
        except OSError:
            return False

    def stop(self) -> None:
        """End it in order; it must not be killed for it."""
        assert self._process is not None
        self._process.terminate()
        assert self._process.wait(timeout=60) == 0

    def kill(self) -> None:
        """End it, whatever it does."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()

    def lines(self) -> list[Line]:
        """Every complete line so far."""
        text = self.log.read_text(encoding="utf-8")
        return [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]

    def until(self, condition: Callable[[], bool], what: str) -> None:
        """Wait for something that happens in the process."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not condition():
            assert self._process is not None
            assert self._process.poll() is None, f"it ended: {self.log.read_text(encoding='utf-8')[-2000:]}"
            assert time.monotonic() < deadline, f"not after {PATIENCE_SECONDS} s: {what}"
            time.sleep(LOOK_SECONDS)


def busiest_minute(lines: list[Line]) -> int:
    """The most lines within any 60 seconds, by the times in the lines."""
    times = [datetime.fromisoformat(line["at"]) for line in lines]
    return max((sum(first <= later < first + MINUTE for later in times) for first in times), default=0)
