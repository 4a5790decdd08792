"""What all transition tables share."""

from __future__ import annotations

NEW = "new"
"""Before the first message: not a state of the protocol, never shown to anybody."""


class IllegalTransitionError(RuntimeError):
    """Our own fault: a change of status that the table does not have was asked for."""

    def __init__(self, side: str, status: str, trigger: str) -> None:
        super().__init__(f"{side}: no transition from {status} by {trigger}")
