"""The platform clients of ``examples/platforms``, built outside the checkout and run as processes."""

from __future__ import annotations

import asyncio
import json
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from tests.services import ServiceError, debian
from tests.services.cache import cached
from tests.services.kafka_jars import java
from travelrule.commands.demo.processes import die_with_parent

EXAMPLES = Path(__file__).parents[2] / "examples" / "platforms"
LANGUAGES = ("java", "node", "python")
END_SECONDS = 30.0


def program(name: str, package: str) -> str:
    """A program, from Debian's packages if it is missing and may be installed."""
    if shutil.which(name) is None:
        debian.install(package)
    found = shutil.which(name)
    if found is None:
        raise ServiceError(f"{name} is missing: install it (Debian: apt-get install {package})")
    return found


def command(language: str) -> list[str]:
    """The command that starts a client; it is built first, once for each state of its files."""
    place = built(language)
    if language == "java":
        return [java(), "-cp", f"{place}/target/classes:{place}/target/lib/*", "example.Platform"]
    if language == "node":
        return [program("node", "nodejs"), f"{place}/platform.js"]
    return [f"{place}/environment/bin/python", f"{place}/platform_client.py"]


def built(language: str) -> Path:
    """The folder of a built client, outside the checkout."""
    source = EXAMPLES / language
    files = sorted(path for path in source.rglob("*") if path.is_file())
    digest = sha256(b"".join(str(path.relative_to(source)).encode() + path.read_bytes() for path in files)).hexdigest()

    def fill(place: Path) -> None:
        shutil.copytree(source, place, dirs_exist_ok=True)
        for step in _steps(language):
            done = subprocess.run(step, cwd=place, capture_output=True, text=True, check=False)
            if done.returncode:
                raise ServiceError(f"{' '.join(step)} failed:\n{done.stdout}\n{done.stderr}")

    return cached(f"platform-{language}-{digest[:16]}", fill)


def _steps(language: str) -> list[list[str]]:
    """The commands of the client's README."""
    if language == "java":
        return [[program("mvn", "maven"), "-q", "-B", "compile"]]
    if language == "node":
        return [[program("npm", "npm"), "ci", "--no-fund", "--no-audit"]]
    install = ["environment/bin/pip", "install", "--quiet", "--require-hashes", "-r", "requirements.txt"]
    return [[sys.executable, "-m", "venv", "environment"], install]


@dataclass
class PlatformClient:
    """One client on its own ledger. It can be killed, ended and started again."""

    language: str
    bootstrap: str
    prefix: str
    folder: Path
    group: str
    _process: asyncio.subprocess.Process | None = field(default=None, repr=False)

    @property
    def ledger(self) -> Path:
        return self.folder / "ledger.jsonl"

    def lines(self, kind: str) -> list[dict[str, Any]]:
        """The complete lines of one kind in the ledger."""
        content = self.ledger.read_bytes() if self.ledger.exists() else b""
        lines = [json.loads(line) for line in content[: content.rfind(b"\n") + 1].splitlines()]
        return [line for line in lines if line["kind"] == kind]

    def actions(self, key: str) -> list[str]:
        """What was done about an order, in order; a wait changes nothing."""
        actions = [line["action"] for line in self.lines("verdict") if line["key"] == key]
        return [action for action in actions if action != "wait"]

    async def start(self, *orders: Path) -> None:
        """Start the process; the suite's end ends it too."""
        arguments = await asyncio.to_thread(command, self.language)
        with (self.folder / "client.log").open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                *arguments,
                *map(str, orders),
                env={
                    "BOOTSTRAP": self.bootstrap,
                    "TOPIC_PREFIX": self.prefix,
                    "GROUP": self.group,
                    "LEDGER": str(self.ledger),
                },
                stdout=log,
                stderr=log,
                preexec_fn=die_with_parent,
            )

    async def until(self, condition: Any, what: str, seconds: float = 60.0) -> None:
        """Wait until the condition holds; fail at once if the process ended."""
        try:
            async with asyncio.timeout(seconds):
                while not condition():
                    if self._process is None or self._process.returncode is not None:
                        raise AssertionError(f"{self.language} ended before {what}:\n{self.log()}")
                    await asyncio.sleep(0.05)
        except TimeoutError:
            raise AssertionError(f"{self.language}, not within {seconds:.0f} s: {what}\n{self.log()}") from None

    async def end(self, number: signal.Signals) -> int:
        """Send a signal and wait for the end; return the exit code."""
        assert self._process is not None
        if self._process.returncode is None:
            self._process.send_signal(number)
        try:
            async with asyncio.timeout(END_SECONDS):
                return await self._process.wait()
        except TimeoutError:
            self._process.kill()
            await self._process.wait()
            raise

    def log(self) -> str:
        """What the process wrote."""
        return (self.folder / "client.log").read_text(encoding="utf-8", errors="replace")[-4000:]
