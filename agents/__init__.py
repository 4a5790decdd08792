"""One agent per input topic, as thin as can be: take the event, hand it on (see ``streams.delivery``).

Every agent has the same rules: one at a time (``concurrency=1``), an explicit name (metrics carry it), raw bytes,
no acknowledgement by Faust (``noack``): that is the committer's, after the commit.
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
"""Who consumes which topic (name without prefix): exactly one agent each."""


def register_all(app: faust.App, topics: Topics, inlet: Inlet) -> None:
    """Add every agent to the application."""
    for name, register in AGENTS.items():
        register(app, topics.physical(name), inlet)
