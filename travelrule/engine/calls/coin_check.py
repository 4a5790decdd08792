"""The check of a coin against the hub's table of networks (4.A.3), before the first call of a withdrawal.

Only without ``[assets]`` in the policy. For a missing coin a fresh table is fetched first: at most once in
``FRESH_SECONDS``, by the directory refresh job, for all processes. If none is fetched within ``WAIT_SECONDS``, the
stored table decides, unless it is outdated.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from schemas.operations import Operation
from travelrule.engine.directory.counterparties import CounterpartyDirectory
from travelrule.machine.internal_inputs import CoinFacts

CHECKED = frozenset({Operation.ADDRESS_SEARCH, Operation.WALLET_SEARCH})
"""The operations that start a withdrawal."""
FRESH_SECONDS = 60.0
WAIT_SECONDS = 30.0


def unlisted_coin(counterparties: CounterpartyDirectory, operation: str, clear: Mapping[str, Any]) -> CoinFacts | None:
    """Return why the table rules the coin of a call out; None: it does not, or has no such entry."""
    if operation not in CHECKED or not clear.get("currency"):
        return None
    return counterparties.unlisted(str(clear["currency"]), clear.get("network"))


def is_settled(coin: CoinFacts, first_at: datetime, now: datetime) -> bool:
    """Whether the table is fresh enough for this call, or the wait for a fresh one is over."""
    fresh = coin.table_at >= first_at - timedelta(seconds=FRESH_SECONDS)
    return fresh or now - first_at >= timedelta(seconds=WAIT_SECONDS)
