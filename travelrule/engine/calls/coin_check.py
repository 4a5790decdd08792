"""Whether a coin may be sent as far as the hub's table of networks (4.A.3) tells: looked at before anything is asked.

Only where the policy has no ``[assets]``. What the table does not have is looked for in a fresh one first: at most one
fetch in ``FRESH_SECONDS``, by the directory's refresher, for all processes. A table that could not be fetched within
``WAIT_SECONDS`` decides as it is, unless it is too old to decide anything.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from schemas.operations import Operation
from travelrule.engine.directory.counterparties import CounterpartyDirectory
from travelrule.machine.internal_inputs import CoinFacts

CHECKED = frozenset({Operation.ADDRESS_SEARCH, Operation.WALLET_SEARCH})
"""What a withdrawal begins with."""
FRESH_SECONDS = 60.0
WAIT_SECONDS = 30.0


def unlisted_coin(counterparties: CounterpartyDirectory, operation: str, clear: Mapping[str, Any]) -> CoinFacts | None:
    """What the table has against this call; None: nothing, or it says nothing."""
    if operation not in CHECKED or not clear.get("currency"):
        return None
    return counterparties.unlisted(str(clear["currency"]), clear.get("network"))


def is_settled(coin: CoinFacts, first_at: datetime, now: datetime) -> bool:
    """Whether the table is fresh enough for this call, or was waited for long enough."""
    fresh = coin.table_at >= first_at - timedelta(seconds=FRESH_SECONDS)
    return fresh or now - first_at >= timedelta(seconds=WAIT_SECONDS)
