"""The services of ``compose.yaml`` that run our image, started from it; Kafka and PostgreSQL are those of the suite."""

from __future__ import annotations

import subprocess
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.deploy.compose_file import own_services
from tests.image.running_image import RunningImage
from tests.services.process import ServiceProcess

VOLUME = "/var/lib/travelrule"
_DATABASE = "postgresql+asyncpg://travelrule:for-trying-out@postgres:5432/travelrule"


@dataclass(frozen=True, slots=True)
class ComposeStack:
    """``addresses``: host:port of this machine by host:port in the file. ``more``: settings of all services, so that
    several stacks share one Kafka.
    """

    image: RunningImage
    folder: Path
    owner: int
    database_url: str
    addresses: Mapping[str, str]
    more: Mapping[str, str]
    services: dict[str, dict[str, Any]] = field(default_factory=own_services)
    started: list[ServiceProcess] = field(default_factory=list)

    def here(self, text: str) -> str:
        """A text of the file with the addresses of this machine."""
        text = text.replace(_DATABASE, self.database_url)
        for address, own in self.addresses.items():
            text = text.replace(address, own)
        return text

    def environment(self, service: str) -> dict[str, str]:
        """The environment of a service."""
        given = self.services[service].get("environment", {})
        return {name: self.here(value) for name, value in given.items()} | dict(self.more)

    def command(self, service: str) -> list[str]:
        """The arguments of a service."""
        return [self.here(word) for word in self.services[service]["command"]]

    def run(self, service: str, *arguments: str, program: str | None = None) -> subprocess.CompletedProcess[str]:
        """``docker compose run SERVICE ARGUMENTS``; without arguments the service's own command."""
        words = [self.here(word) for word in arguments] or self.command(service)
        return self.image.run(words, self.environment(service), None if program is None else [program])

    def start(self, service: str, url: str) -> ServiceProcess:
        """Start a service that stays; return when the page answers 200."""
        process = ServiceProcess(self.folder / service, service, self.owner)
        process.directory.mkdir(exist_ok=True)
        self.started.append(process)
        process.start(self.image.command(self.command(service), self.environment(service)), lambda: answers(url), 120)
        return process

    def kill(self) -> None:
        """SIGKILL to what still runs."""
        for process in self.started:
            process.kill()


def answers(url: str) -> bool:
    """Whether the page answers 200."""
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False
