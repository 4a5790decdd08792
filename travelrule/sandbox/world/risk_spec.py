"""The part of a world file about risk (contract section 5, ``screening``)."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from travelrule.hub.members.network_file import EntityId
from travelrule.hub.spec_files import FileSpec

Category = Literal["WHITE", "GRAY", "BLACK", "UNKNOWN"]
KytError = Literal["Tx hash not found", "Transaction analysis failed"]
Address = Annotated[str, Field(min_length=1, max_length=300)]
Seconds = Annotated[float, Field(ge=0, le=3600, allow_inf_nan=False)]


class ScreenedWallet(FileSpec):
    """What wallet screening says of an address."""

    category: Literal["WHITE", "GRAY", "BLACK", "UNKNOWN", "ERROR"]
    """The answer; `ERROR` is a provider that fails."""
    tags: Annotated[tuple[str, ...], Field(examples=[["Phishing"]])] = ()
    """Why, in the provider's words."""


class ScreenedTransaction(FileSpec):
    """What transaction screening says of the two sides of a transaction, one wallet each."""

    sender: Category = "WHITE"
    """The wallet that sent."""
    receiver: Category = "WHITE"
    """The wallet that received."""
    sender_address: Annotated[Address, Field(examples=["rEb8TK3gBgk5auZkwc6sHnwrGVJH8DuaLh"])] = "sandbox-sender"
    """The address that is named as the sender's."""
    receiver_address: Annotated[Address, Field(examples=["rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY"])] = "sandbox-receiver"
    """The address that is named as the receiver's."""


class KnownTransaction(FileSpec):
    """What KYT says of a transaction, and after how long: a `verdict` or an `error`, not both."""

    verdict: Literal["Clean", "Suspicious", "Malicious"] | None = None
    """What the analysis comes to."""
    error: KytError | None = None
    """How the analysis fails, instead of a verdict."""
    pending_seconds: Annotated[Seconds, Field(examples=[3])] = 0
    """How long the analysis takes; 0: the transaction is known already."""

    @model_validator(mode="after")
    def _ends_one_way(self) -> Self:
        if (self.verdict is None) == (self.error is None):
            raise ValueError("needs a verdict or an error, and not both")
        return self


class ScreeningSpec(FileSpec):
    """Outcomes of screening. What is not listed is `WHITE` and `Clean`; listed addresses and transactions work on every
    chain.
    """

    wallets: dict[Address, ScreenedWallet] = Field(default_factory=dict)
    """By address. One that begins with `...` stands for all that end in what follows."""
    transactions: dict[Address, ScreenedTransaction] = Field(default_factory=dict)
    """By transaction id."""
    kyt: dict[Address, KnownTransaction] = Field(default_factory=dict)
    """By transaction hash."""
    unlisted_transactions: Literal["Clean", "not-found"] = "Clean"
    """What KYT says of transactions that are not listed; `not-found`: `Tx hash not found`, after three seconds."""
    kyt_quota: Annotated[int, Field(ge=0, examples=[100])] | None = None
    """How many analyses each VASP may have; null: any number."""
    kyt_unregistered: Annotated[tuple[EntityId, ...], Field(examples=[["south"]])] = ()
    """Members that may not use KYT at all."""
