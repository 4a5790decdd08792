"""The data of the demo's risk providers, and the rules by which north and south call them."""

from __future__ import annotations

from typing import Any

BLACK_WALLET = "r9cZA1mLK5R5Am25ArfXFmqgNwjZgnfk59"
"""An address that the provider rates as a phisher's."""
SUSPICIOUS_TXID = "CC" * 32
"""A transaction from a mixer, by its report."""
SLOW_TXID = "DD" * 32
"""A clean transaction whose analysis takes a few seconds."""
SLOW_SECONDS = 3

RISK_POLICY = """
[screening]
withdrawals = "wallet"
deposits = ["kyt"]
"""
RISK_TIME_LIMITS = """
kyt_poll = 5
ownership = 12
ownership_poll = 5
"""
"""A customer has 12 seconds for a proof, so that the demo can show the end of the time."""


def world_screening() -> dict[str, Any]:
    """Return the section ``screening`` of the sandbox's world file; everything it does not name is white and clean."""
    return {
        "wallets": {BLACK_WALLET: {"category": "BLACK", "tags": ["Phishing"]}},
        "kyt": {
            SUSPICIOUS_TXID: {"verdict": "Suspicious"},
            SLOW_TXID: {"verdict": "Clean", "pendingSeconds": SLOW_SECONDS},
        },
    }
