"""One container of the chart as a process: its command, its environment, its files, its probes and its grace period.

Each container has a loopback address of its own, as a pod has an IP, so that it listens on exactly the ports that the
chart renders.
"""

from __future__ import annotations

import asyncio
import os
import random
import signal
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any

from tests.helm.chart import Rendered
from tests.helm.pod_files import ContainerFiles, Secrets
from tests.services.process import ROOT
from travelrule.commands.demo.processes import die_with_parent

LOOK_SECONDS = 0.1


def pod_address() -> str:
    """A loopback address for one container."""
    chooser = random.SystemRandom()
    return f"127.{chooser.randrange(64, 255)}.{chooser.randrange(1, 255)}.{chooser.randrange(1, 255)}"


class ContainerProcess:
    """The process of a container. The listen address 0.0.0.0 becomes ``address``; ports stay."""

    def __init__(
        self, one: Rendered, objects: list[Rendered], existing: Secrets, root: Path, address: str = "127.0.0.1"
    ) -> None:
        self.files = ContainerFiles(one, objects, existing, root)
        self.name = one["metadata"]["name"]
        self.address = address
        self.mounted: dict[str, str] = {}
        self._process: asyncio.subprocess.Process | None = None

    @property
    def grace_seconds(self) -> int:
        """How long the process may run after SIGTERM: less than the pod, whose time includes the preStop hook."""
        hook = self.files.container.get("lifecycle", {}).get("preStop", {}).get("sleep", {}).get("seconds", 0)
        return int(self.files.pod["terminationGracePeriodSeconds"] - hook)

    @property
    def log(self) -> Path:
        """What it wrote."""
        return self.files.root / f"{self.name}.log"

    async def start(self) -> None:
        """Start the command as the chart has it."""
        self.files.prepare()
        self.mounted = self.files.read_only()
        assert self.files.container["command"] == ["travelrule"]
        assert self.files.container["workingDir"] == "/var/lib/travelrule"
        home = self.files.root / "var" / "lib" / "travelrule"
        words = [word.replace("0.0.0.0", self.address) for word in self.files.arguments()]
        given = {name: text.replace("0.0.0.0", self.address) for name, text in self.files.environment().items()}
        outside = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
        with self.log.open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "travelrule", *words),
                env=outside | given | {"HOME": str(home), "TMPDIR": str(self.files.root / "tmp")},
                cwd=home,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                preexec_fn=die_with_parent,
            )

    async def complete(self) -> str:
        """Run a Job's container to its end, within the Job's deadline, and return what it wrote."""
        await self.start()
        assert self._process is not None
        async with asyncio.timeout(120):
            code = await self._process.wait()
        text = self.log.read_text()
        assert code == 0, text
        return text

    async def until(self, probe: str) -> None:
        """Ask the rendered probe until it succeeds, for as long as its failures would be tolerated."""
        spec = self.files.container[f"{probe}Probe"]
        tolerated = max(60.0, spec["periodSeconds"] * spec["failureThreshold"])
        deadline = time.monotonic() + tolerated
        while not await asyncio.to_thread(self._answers, spec):
            assert self._process is not None
            assert self._process.returncode is None, self.log.read_text()
            assert time.monotonic() < deadline, f"{self.name}: {probe} does not succeed\n{self.log.read_text()}"
            await asyncio.sleep(LOOK_SECONDS)

    async def answers(self, probe: str) -> bool:
        """Whether the rendered probe succeeds now."""
        return await asyncio.to_thread(self._answers, self.files.container[f"{probe}Probe"])

    async def terminate(self) -> int:
        """SIGTERM, and SIGKILL after the grace period. Return the exit code; negative if it was killed."""
        assert self._process is not None
        self._process.send_signal(signal.SIGTERM)
        try:
            async with asyncio.timeout(self.grace_seconds):
                return await self._process.wait()
        except TimeoutError:
            await self.kill()
            return -signal.SIGKILL

    async def kill(self) -> None:
        """SIGKILL, if it runs."""
        if self._process is not None and self._process.returncode is None:
            self._process.kill()
            await self._process.wait()

    def port(self, name: str) -> int:
        """The number of a named port."""
        return next(int(port["containerPort"]) for port in self.files.container["ports"] if port["name"] == name)

    def _answers(self, spec: dict[str, Any]) -> bool:
        where = f"http://{self.address}:{self.port(spec['httpGet']['port'])}{spec['httpGet']['path']}"
        try:
            with urllib.request.urlopen(where, timeout=spec["timeoutSeconds"]) as answer:
                return 200 <= answer.status < 400
        except OSError:
            return False
