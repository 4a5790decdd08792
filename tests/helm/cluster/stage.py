"""What the steps of the scenario share: the server, the namespace, two releases."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from tests.helm.cluster.api import Api
from tests.helm.cluster.observed_state import ObservedState
from tests.helm.cluster.release import Release
from tests.helm.cluster.release_values import north, south

NAMESPACE = "travelrule"


@dataclass
class Stage:
    """``values``: those of the newest revision of the release ``north``."""

    api: Api
    helm: str
    kubeconfig: Path
    definitions: tuple[Path, ...]
    folder: Path
    values: dict[str, Any] = field(default_factory=north)

    @cached_property
    def state(self) -> ObservedState:
        """What is in the namespace."""
        return ObservedState(self.api, NAMESPACE)

    @cached_property
    def north(self) -> Release:
        """The release that is installed, changed and removed."""
        return self.release("north")

    @cached_property
    def south(self) -> Release:
        """Another VASP beside it, which nothing of this may change."""
        return self.release("south")

    @cached_property
    def south_values(self) -> dict[str, Any]:
        """The values of ``south``."""
        return south()

    def release(self, name: str) -> Release:
        """A release in the namespace."""
        return Release(self.helm, self.kubeconfig, NAMESPACE, name, self.folder)

    def upgrade(self, values: dict[str, Any]) -> None:
        """Upgrade ``north``, and remember its values."""
        self.north.upgrade(values)
        self.values = values
