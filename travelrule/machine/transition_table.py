"""Transition tables: every change of status that a machine may make."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

NEW = "new"
"""Before the first message. Not a state of any protocol, only where the tables begin."""


class IllegalTransitionError(RuntimeError):
    """A fault of our own: the code requested a change of status that the table does not have."""

    def __init__(self, machine: str, status: str, trigger: str) -> None:
        super().__init__(f"{machine}: no transition from {status} by {trigger}")


class TransitionTable:
    """``transitions[status][trigger]`` is the next status. ``name`` appears in error messages.

    A terminal status has an empty row, not a missing one.
    """

    __slots__ = ("name", "transitions")

    def __init__(self, name: str, transitions: Mapping[str, dict[str, str]]) -> None:
        self.name = name
        self.transitions = MappingProxyType(dict(transitions))

    def step(self, status: str, trigger: str) -> str:
        """Return the status after ``trigger``; raise ``IllegalTransitionError`` for what the table does not have."""
        try:
            return self.transitions[status][trigger]
        except KeyError:
            raise IllegalTransitionError(self.name, status, trigger) from None

    def may(self, status: str, trigger: str) -> bool:
        """Whether the table has this change."""
        return trigger in self.transitions.get(status, {})

    @property
    def terminal(self) -> frozenset[str]:
        """The statuses without a way out."""
        return frozenset(status for status, triggers in self.transitions.items() if not triggers)

    def rows(self) -> Iterator[tuple[str, str, str]]:
        """Yield every change as status, trigger and next status."""
        for status, triggers in self.transitions.items():
            for trigger, after in triggers.items():
                yield status, trigger, after
