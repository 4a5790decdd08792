"""The case of a subject: whether the value may move."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Case:
    """May the value move? ``open`` until the first verdict. ``policy_version`` decided.

    ``asked_anew``: the withdrawal was amended since, so the next verdict is said even if it is the same.
    ``counterparty``: whom the verdict names, if that is not the destination; ``reminders`` counts how often the hold
    was said again or an operator was told of it; ``missing`` are the fields of the event that must be filled.
    """

    verdict: Literal["open", "allow", "hold", "deny"] = "open"
    cause: str = ""
    reasons: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    final: bool = False
    policy_version: str = ""
    asked_anew: bool = False
    counterparty: str = ""
    reminders: int = 0
    missing: tuple[str, ...] = ()
