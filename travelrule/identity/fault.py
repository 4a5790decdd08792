"""Faults of a payload, without any of its values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Code = Literal[
    "MISSING_FIELD",
    "WRONG_TYPE",
    "INVALID_VALUE",
    "INVALID_DATE",
    "INVALID_NAME",
    "TOO_LONG",
    "TOO_MANY",
    "SEVERAL_LINES",
    "UNEXPECTED_FIELD",
    "NOT_ONE_PERSON",
    "MISSING_NAME",
    "WRONG_ORDER",
    "MISSING_REPRESENTATIVE",
]


@dataclass(frozen=True, slots=True)
class PayloadFault:
    """One fault: ``path`` of known field names and indexes, stable ``code``, ``fix`` a sentence. No values."""

    path: str
    code: Code
    fix: str
