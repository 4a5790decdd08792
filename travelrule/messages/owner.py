"""Messages between a wallet, its owner and the screening of owners.

The engine screens (``owner.screened``) and the wallet keeps the result with its ``revision``: a result for an earlier
revision is about another owner, or older than the stored one. A customer has many wallets, and each hit is one alert.
So a wallet sends the entries that name its owner to ``owner:<key>`` (``owner.hits``). That subject, whose lock orders
the wallets, returns the new entries (``owner.listed``).
"""

from __future__ import annotations

from pydantic import Field

from schemas.wire_model import Wire


class ListedAs(Wire):
    """An entry of a list that may name the owner. ``entry`` is its id in the list, ``score`` in 0..1, ``reason`` is for
    readers and quotes the list only.
    """

    list_code: str = Field(alias="list")
    entry: str
    score: str = ""
    reason: str = ""

    @property
    def key(self) -> tuple[str, str]:
        """The entry, whatever the score."""
        return self.list_code, self.entry


class OwnerScreened(Wire):
    """The owner of a wallet and the owner's representatives were screened. ``owner`` is the key of the customer (a
    blind index), ``lists`` names the versions of the lists and the threshold.
    """

    revision: int
    owner: str
    lists: str
    hits: tuple[ListedAs, ...] = ()


class OwnerHits(Wire):
    """All entries that name the owner of this wallet now; empty if none does."""

    wallet: str
    hits: tuple[ListedAs, ...] = ()


class OwnerListed(Wire):
    """Entries that name the owner now and did not before, from any of the owner's wallets."""

    hits: tuple[ListedAs, ...]


OWNER_MESSAGES: dict[str, type[Wire]] = {
    "owner.screened": OwnerScreened,
    "owner.hits": OwnerHits,
    "owner.listed": OwnerListed,
}
"""The model of each message type."""


def keys_of(hits: tuple[ListedAs, ...]) -> frozenset[tuple[str, str]]:
    """Return the entries of hits."""
    return frozenset(hit.key for hit in hits)


def entries_text(hits: tuple[ListedAs, ...]) -> str:
    """Return where an operator finds the entries, for ``travelrule explain``."""
    return ", ".join(sorted(f"{hit.list_code} {hit.entry}" for hit in hits))
