"""Wallets whose owners were not screened with the lists in force.

The index on ``screened_lists`` finds them as those below and above the present value, so the query costs nothing when
all wallets are screened, whatever their number.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import orjson
from sqlalchemy import text

from schemas.events.persons import Person
from travelrule.store.database import Database

_UNSCREENED = (
    " FROM wallets w JOIN data_keys k ON k.vasp = w.vasp AND k.subject = w.subject"
    " WHERE w.vasp = :vasp AND w.screened_lists {other} :lists"
)
_PAGES = [
    text(
        "SELECT w.wallet_id, w.subject, w.revision, w.customer_index, w.sealed, k.wrapped"
        f"{_UNSCREENED.format(other=other)} ORDER BY w.screened_lists, w.wallet_id LIMIT :count"
    )
    for other in ("<", ">")
]
_COUNT = text(
    f"SELECT (SELECT count(*) {_UNSCREENED.format(other='<')}) + (SELECT count(*) {_UNSCREENED.format(other='>')})"
)

Unwrap = Callable[[str, bytes], bytes]
OpenSealed = Callable[[bytes, str, str, bytes], bytes]


@dataclass(frozen=True, slots=True)
class UnscreenedWallet:
    """A wallet whose owner must be screened, still sealed. ``owner`` is the customer's blind index as text."""

    wallet_id: str
    subject: str
    revision: int
    owner: str
    wrapped: bytes = field(repr=False)
    sealed: bytes = field(repr=False)


class OwnerScreeningRepository:
    """The owners of the wallets of one VASP."""

    def __init__(self, database: Database, vasp: str, unwrap: Unwrap, open_sealed: OpenSealed) -> None:
        self._database = database
        self._vasp = vasp
        self._unwrap = unwrap
        self._open = open_sealed

    async def unscreened(self, lists: str, count: int) -> list[UnscreenedWallet]:
        """At most ``count`` wallets that were not screened with ``lists``, the never screened first. Erased ones are
        omitted.
        """
        found: list[Any] = []
        async with self._database.read() as connection:
            for page in _PAGES:
                if len(found) < count:
                    parameters = {"vasp": self._vasp, "lists": lists, "count": count - len(found)}
                    found += (await connection.execute(page, parameters)).all()
        return [_row(row) for row in found]

    async def number_unscreened(self, lists: str) -> int:
        """The number of wallets that were not screened with ``lists``."""
        async with self._database.read() as connection:
            return int((await connection.execute(_COUNT, {"vasp": self._vasp, "lists": lists})).scalar_one())

    def person(self, row: UnscreenedWallet) -> Person | None:
        """The owner. Raise ``AtRestError`` for a row that was changed, ``ValueError`` for one that is not a person."""
        key = self._unwrap(row.subject, row.wrapped)
        owner = orjson.loads(self._open(key, "wallet", row.subject, row.sealed))["owner"]
        return Person.model_validate(owner) if owner is not None else None


def _row(row: Any) -> UnscreenedWallet:
    return UnscreenedWallet(
        wallet_id=row.wallet_id,
        subject=row.subject,
        revision=row.revision,
        owner=bytes(row.customer_index).hex(),
        wrapped=bytes(row.wrapped),
        sealed=bytes(row.sealed),
    )
