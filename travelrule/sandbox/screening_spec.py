"""What a world file says of risk (contract section 5, ``screening``)."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from travelrule.hub.documents import Spec
from travelrule.hub.network_file import EntityId

Category = Literal["WHITE", "GRAY", "BLACK", "UNKNOWN"]
KytError = Literal["Tx hash not found", "Transaction analysis failed"]
Address = Annotated[str, Field(min_length=1, max_length=300)]
Seconds = Annotated[float, Field(ge=0, le=3600, allow_inf_nan=False)]


class ScreenedWallet(Spec):
    """What wallet screening says of an address; ``ERROR`` is a provider that fails."""

    category: Literal["WHITE", "GRAY", "BLACK", "UNKNOWN", "ERROR"]
    tags: tuple[str, ...] = ()


class ScreenedTransaction(Spec):
    """What transaction screening says of the two sides of a transaction, one wallet each."""

    sender: Category = "WHITE"
    receiver: Category = "WHITE"
    sender_address: Address = "sandbox-sender"
    receiver_address: Address = "sandbox-receiver"


class KnownTransaction(Spec):
    """What KYT says of a transaction, and after how long; nothing to wait for means that it is known already.

    With ``error`` instead of ``verdict`` the analysis fails.
    """

    verdict: Literal["Clean", "Suspicious", "Malicious"] | None = None
    error: KytError | None = None
    pending_seconds: Seconds = 0

    @model_validator(mode="after")
    def _ends_one_way(self) -> Self:
        if (self.verdict is None) == (self.error is None):
            raise ValueError("needs a verdict or an error, and not both")
        return self


class ScreeningSpec(Spec):
    """Outcomes of screening; whatever is not listed is ``WHITE`` and ``Clean``.

    An address that begins with ``...`` stands for all that end in what follows. ``unlistedTransactions``
    ``not-found`` makes KYT say of unlisted ones what the network's development environment says: ``Tx hash not
    found``, after three seconds. ``kytQuota`` is how many analyses each VASP may have, ``kytUnregistered`` who may
    not use KYT at all.
    """

    wallets: dict[Address, ScreenedWallet] = Field(default_factory=dict)
    transactions: dict[Address, ScreenedTransaction] = Field(default_factory=dict)
    kyt: dict[Address, KnownTransaction] = Field(default_factory=dict)
    unlisted_transactions: Literal["Clean", "not-found"] = "Clean"
    kyt_quota: Annotated[int, Field(ge=0)] | None = None
    kyt_unregistered: tuple[EntityId, ...] = ()
