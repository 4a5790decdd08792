"""One agent per input topic, which only passes each event to the inlet (``streams.delivery``).

Agents decode nothing, decide nothing and touch no table.
All follow the same rules: one event at a time (``concurrency=1``), an explicit name (metrics use it), raw bytes, and no
acknowledgement by Faust (``noack``): the engine acknowledges after the commit. Start with any one: they are alike.
"""

from __future__ import annotations

import faust

from agents import decisions, deposits, screenings, txids, wallets, withdrawals
from streams.delivery import Inlet
from streams.topics import Topics

AGENTS = {
    decisions.TOPIC: decisions.register,
    deposits.TOPIC: deposits.register,
    screenings.TOPIC: screenings.register,
    txids.TOPIC: txids.register,
    wallets.TOPIC: wallets.register,
    withdrawals.TOPIC: withdrawals.register,
}
"""The agent of each topic (name without prefix)."""


def register_all(app: faust.App, topics: Topics, inlet: Inlet) -> None:
    """Add every agent to the application."""
    for name, register in AGENTS.items():
        register(app, topics.physical(name), inlet)
