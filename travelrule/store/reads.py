"""The questions that the gateway answers from the store: they read and change nothing (design section 2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson
from sqlalchemy import select, text

from schemas.persons import Person
from travelrule.identity.addresses import candidates
from travelrule.store import tables
from travelrule.store.database import Database

Unwrap = Callable[[str, bytes], bytes]
"""(subject, wrapped data key) -> data key."""
OpenSealed = Callable[[bytes, str, str, bytes], bytes]
"""(data key, use, subject, sealed) -> plain."""
Index = Callable[[str, str], bytes]
"""(field, value) -> blind index."""

_WALLETS = {
    True: text(
        "SELECT w.wallet_id, w.subject, w.address_index, w.currencies, w.networks, w.kyc, w.sealed, k.wrapped"
        " FROM wallets w JOIN data_keys k ON k.vasp = w.vasp AND k.subject = w.subject"
        " WHERE w.vasp = :vasp AND w.address_index = ANY(CAST(:indexes AS bytea[]))"
    ),
    False: text(
        "SELECT w.wallet_id, w.subject, w.address_index, w.currencies, w.networks, w.kyc, w.sealed, k.wrapped"
        " FROM wallets w JOIN data_keys k ON k.vasp = w.vasp AND k.subject = w.subject"
        " WHERE w.vasp = :vasp AND hex(w.address_index) IN (SELECT value FROM json_each(:indexes))"
    ),
}


@dataclass(frozen=True, slots=True)
class WalletRecord:
    """An own customer's deposit address. ``asked`` is the text it was found for, ``tag`` the customer's own tag there
    (empty: none), ``found_tag`` what stood behind the colon in the question (None: nothing).
    """

    wallet_id: str
    asked: str = field(repr=False)
    found_tag: str | None = field(repr=False)
    tag: str = field(repr=False)
    currencies: tuple[str, ...]
    networks: tuple[str, ...]
    kyc: bool
    customer_id: str = field(repr=False)
    owner: Person | None = field(repr=False)


@dataclass(frozen=True, slots=True)
class ExchangeRecord:
    """An exchange as the status search answers it."""

    transfer_id: str
    status: str
    txid: str | None
    vout: str | None


class Reads:
    """Read-only queries of one VASP."""

    def __init__(self, database: Database, vasp: str, index: Index, unwrap: Unwrap, open_sealed: OpenSealed) -> None:
        self._database = database
        self._vasp = vasp
        self._index = index
        self._unwrap = unwrap
        self._open = open_sealed

    async def wallets_at(self, asked: Sequence[str]) -> list[WalletRecord]:
        """The own deposit addresses that the texts (``address[:tag]``) mean, by algorithm A of ivms101.md section 6:
        the whole text first, then the part left of the rightmost colon.
        """
        wanted: dict[bytes, list[tuple[str, str | None]]] = {}
        for entry in asked:
            for address, tag in candidates(entry):
                wanted.setdefault(self._index("address", address), []).append((entry, tag))
        if not wanted:
            return []
        indexes: Any = list(wanted)
        if not self._database.is_postgresql:
            indexes = orjson.dumps([index.hex().upper() for index in wanted]).decode()
        async with self._database.read() as connection:
            statement = _WALLETS[self._database.is_postgresql]
            rows = (await connection.execute(statement, {"vasp": self._vasp, "indexes": indexes})).all()
        return [self._wallet(row, entry, tag) for row in rows for entry, tag in wanted[bytes(row.address_index)]]

    def _wallet(self, row: Any, asked: str, found_tag: str | None) -> WalletRecord:
        key = self._unwrap(row.subject, bytes(row.wrapped))
        content = orjson.loads(self._open(key, "wallet", row.subject, bytes(row.sealed)))
        owner = content["owner"]
        return WalletRecord(
            wallet_id=row.wallet_id,
            asked=asked,
            found_tag=found_tag,
            tag=content["tag"] or "",
            currencies=tuple(orjson.loads(row.currencies)),
            networks=tuple(orjson.loads(row.networks)),
            kyc=bool(row.kyc),
            customer_id=content["customerId"],
            owner=Person.model_validate(owner) if owner is not None else None,
        )

    async def outgoing_exchange(self, transfer_id: str, counterparty: str) -> ExchangeRecord | None:
        """The exchange that we started under this id with this counterparty; None for anybody else's."""
        table = tables.exchanges
        query = select(table.c.transfer_id, table.c.status, table.c.txid, table.c.vout).where(
            table.c.vasp == self._vasp,
            table.c.side == "originating",
            table.c.counterparty == counterparty,
            table.c.transfer_id == transfer_id,
        )
        async with self._database.read() as connection:
            row = (await connection.execute(query)).first()
        if row is None:
            return None
        return ExchangeRecord(row.transfer_id, row.status, row.txid, row.vout)

    async def authorizations_for(self, asked: str) -> list[str]:
        """Subjects of stored inbound authorizations for this address, newest first (D37)."""
        table = tables.exchanges
        indexes = [self._index("address", address) for address, _ in candidates(asked)]
        query = (
            select(table.c.subject)
            .where(table.c.vasp == self._vasp, table.c.side == "beneficiary", table.c.address_index.in_(indexes))
            .order_by(table.c.created_at.desc())
            .limit(10)
        )
        async with self._database.read() as connection:
            return list((await connection.execute(query)).scalars())

    async def ready(self) -> bool:
        """Whether questions can be answered now: the database answers and the tables are there."""
        try:
            await self._database.check()
            async with self._database.read() as connection:
                await connection.execute(select(tables.wallets.c.wallet_id).limit(1))
        except Exception:  # noqa: BLE001
            # The boundary of the health check: whatever fails here means "not ready", and the caller says so.
            return False
        return True
