"""The reasons of a finish, by which an originating VASP ends a transfer (hub-api.md 4.A.7, member-api.md M5)."""

from __future__ import annotations

from typing import Literal

FinishReason = Literal[
    "NOT_FOUND_ADDRESS",
    "NOT_SUPPORTED_SYMBOL",
    "NOT_KYC_USER",
    "SANCTION_LIST",
    "LACK_OF_INFORMATION",
    "UNKNOWN",
]
"""The documented reasons: a withdrawal's cancellation names one, the finish carries it, the hub accepts no other."""
