"""Topic names with the prefix of the settings (contract section 3); the list is in ``schemas.registry``."""

from __future__ import annotations

from dataclasses import dataclass

from schemas.registry import TOPICS, TopicSpec


@dataclass(frozen=True, slots=True)
class Topics:
    """The topics of one installation: ``withdrawals`` here is ``travelrule.withdrawals`` at the broker."""

    prefix: str

    def physical(self, name: str) -> str:
        """Return the name at the broker; KeyError for a name that is not in the registry."""
        return f"{self.prefix}{TOPICS[name].name}"

    def logical(self, physical: str) -> str:
        """Return the name without prefix; KeyError for a topic that is not ours."""
        name = physical.removeprefix(self.prefix) if physical.startswith(self.prefix) else ""
        return TOPICS[name].name

    def specs(self) -> dict[str, TopicSpec]:
        """Return every topic of the registry by its name at the broker."""
        return {self.physical(name): spec for name, spec in TOPICS.items()}

    def inputs(self) -> list[str]:
        """Return the names at the broker of the input topics."""
        return [self.physical(name) for name, spec in TOPICS.items() if spec.direction == "in"]
