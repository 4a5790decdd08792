"""The reasons of a finish (hub-api.md 4.A.7): what our requests may name, and what this hub accepts."""

from __future__ import annotations

FINISH_REASONS = frozenset(
    {"NOT_FOUND_ADDRESS", "NOT_SUPPORTED_SYMBOL", "NOT_KYC_USER", "SANCTION_LIST", "LACK_OF_INFORMATION", "UNKNOWN"}
)
