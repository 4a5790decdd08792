"""What a wallet, its owner and the screening of owners tell each other.

The engine screens (``owner.screened``) and the wallet keeps the result, under which ``revision`` it was made: a result
for an earlier revision is about somebody else, or older than the one that is there. One customer has many wallets, and
is one alert: so a wallet tells ``owner:<key>`` which entries name its owner (``owner.hits``), and that subject, whose
lock puts the wallets in an order, says which of them were not known yet (``owner.listed``).
"""

from __future__ import annotations

from pydantic import Field

from schemas.wire_model import Wire


class ListedAs(Wire):
    """An entry of a list that may name the owner. ``entry`` is its id in the list, ``score`` in 0..1, ``reason`` is for
    a reader and quotes the list only.
    """

    list_code: str = Field(alias="list")
    entry: str
    score: str = ""
    reason: str = ""

    @property
    def key(self) -> tuple[str, str]:
        """Which entry it is, whatever the score."""
        return self.list_code, self.entry


class OwnerScreened(Wire):
    """The owner of a wallet, and who acts for him, were looked for. ``owner`` is the key of the customer (a blind
    index), ``lists`` says with which versions and which threshold.
    """

    revision: int
    owner: str
    lists: str
    hits: tuple[ListedAs, ...] = ()


class OwnerHits(Wire):
    """All entries that name the owner of this wallet now; none: not any more."""

    wallet: str
    hits: tuple[ListedAs, ...] = ()


class OwnerListed(Wire):
    """Entries that name the owner and did not before, by whichever of his wallets."""

    hits: tuple[ListedAs, ...]


OWNING: dict[str, type[Wire]] = {
    "owner.screened": OwnerScreened,
    "owner.hits": OwnerHits,
    "owner.listed": OwnerListed,
}
"""Which model a message about an owner is."""


def keys_of(hits: tuple[ListedAs, ...]) -> frozenset[tuple[str, str]]:
    """Give the entries of hits."""
    return frozenset(hit.key for hit in hits)


def entries_text(hits: tuple[ListedAs, ...]) -> str:
    """Say where an operator finds them, for ``travelrule explain``."""
    return ", ".join(sorted(f"{hit.list_code} {hit.entry}" for hit in hits))
