"""The state of a data request that was answered: frozen data."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

Status = Literal["normal", "error"]


@dataclass(frozen=True, slots=True)
class DataRequestState:
    """An answered request. ``answer`` is the plain reply, which a repeated request receives again.

    ``withdrawal`` is the subject whose data were sent; empty if none were.
    """

    transfer_id: str
    requester: str
    txid: str
    beneficiary_address: str = field(repr=False)
    status: Status
    reason: str
    answer: dict[str, Any] = field(repr=False)
    withdrawal: str = ""
