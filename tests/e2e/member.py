"""A VASP of the real network: its own database, topics and group, two workers, two gateways behind one address."""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.services.ports import free_port
from travelrule.commands.demo.processes import DemoProcess
from travelrule.commands.demo.vasp import DemoVasp

WORKERS = 2
GATEWAYS = 2
_GIVEN: set[int] = set()


def own_port() -> int:
    """A free port that nobody else in this process was given."""
    while (port := free_port()) in _GIVEN:
        continue
    _GIVEN.add(port)
    return port


@dataclass
class Member(DemoVasp):
    """``run`` keeps the topics of several networks on one broker apart. Ports are below the ephemeral range, because
    a process that was killed must come back on its own.
    """

    run: str = ""
    gateway_port: int = field(default_factory=own_port)
    metrics_port: int = field(default_factory=own_port)
    gateway_ports: list[int] = field(default_factory=lambda: [own_port() for _ in range(GATEWAYS)])
    metrics_ports: list[int] = field(default_factory=lambda: [own_port() for _ in range(WORKERS + GATEWAYS)])

    @property
    def topic_prefix(self) -> str:
        return f"{self.run}.{self.entity_id}.travelrule."

    @property
    def group(self) -> str:
        """The consumer group of the workers."""
        return f"{self.topic_prefix}workers"

    def settings(self, *, gateway_port: int | None = None, metrics_port: int | None = None) -> dict[str, str]:
        """The environment of one of our processes or commands."""
        given = self.environment(gateway_port=gateway_port, metrics_port=metrics_port)
        return {**given, "TRAVELRULE_CONSUMER_GROUP": self.group}

    def names(self) -> list[str]:
        """The processes: workers first."""
        workers = [f"{self.entity_id}-worker-{number}" for number in range(WORKERS)]
        return workers + [f"{self.entity_id}-gateway-{number}" for number in range(GATEWAYS)]

    def process(self, name: str = "") -> DemoProcess:
        """The process of that name, not started."""
        return DemoProcess(name, ["serve", _role(name)], self.settings_of(name), self.folder)

    def settings_of(self, name: str) -> dict[str, str]:
        """The environment of the process of that name, with the keys as they are now."""
        number = int(name.rpartition("-")[2])
        gateway_port = self.gateway_ports[number] if _role(name) == "gateway" else None
        return self.settings(gateway_port=gateway_port, metrics_port=self._metrics_port(name))

    def page(self, name: str, page: str) -> str:
        """The URL of a health or metrics page of one process."""
        return f"http://127.0.0.1:{self._metrics_port(name)}/{page}"

    def _metrics_port(self, name: str) -> int:
        number = int(name.rpartition("-")[2])
        return self.metrics_ports[number + (WORKERS if _role(name) == "gateway" else 0)]


def _role(name: str) -> str:
    return name.split("-")[-2]
