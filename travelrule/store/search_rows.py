"""Read-only queries that answer counterparties: wallets, withdrawals and exchanges (design section 2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import orjson
from sqlalchemy import select, text

from schemas.events.persons import Person
from travelrule.identity.account_numbers import candidates, place
from travelrule.identity.txids import txid_key
from travelrule.store import tables
from travelrule.store.database import Database
from travelrule.store.types import plain_amount

AUTHORIZATIONS_PER_NUMBER = 10
"""How many authorizations for one account number have their names compared (D37): the newest."""
OPEN_AUTHORIZATIONS = 20
"""The most counterparties queried about one deposit."""
UNCHECKED = 500
"""The most authorizations of earlier releases opened for one deposit."""

Unwrap = Callable[[str, bytes], bytes]
"""(subject, wrapped data key) -> data key."""
OpenSealed = Callable[[bytes, str, str, bytes], bytes]
"""(data key, use, subject, sealed) -> plain."""
Index = Callable[[str, str], bytes]
"""(field, value) -> blind index."""

_WALLETS = {
    True: text(
        "SELECT w.wallet_id, w.subject, w.address_index, w.currencies, w.networks, w.kyc, w.sanctioned, w.sealed,"
        " k.wrapped"
        " FROM wallets w JOIN data_keys k ON k.vasp = w.vasp AND k.subject = w.subject"
        " WHERE w.vasp = :vasp AND w.address_index = ANY(CAST(:indexes AS bytea[]))"
    ),
    False: text(
        "SELECT w.wallet_id, w.subject, w.address_index, w.currencies, w.networks, w.kyc, w.sanctioned, w.sealed,"
        " k.wrapped"
        " FROM wallets w JOIN data_keys k ON k.vasp = w.vasp AND k.subject = w.subject"
        " WHERE w.vasp = :vasp AND hex(w.address_index) IN (SELECT value FROM json_each(:indexes))"
    ),
}

Payment = tuple[str, str]
"""A payment that a request names: its txid and an address that it paid (``address[:tag]``)."""

_SENT = (
    "SELECT w.subject, w.txid_key, w.address_index, w.vout, s.sealed, k.wrapped FROM withdrawals w"
    " LEFT JOIN subjects s ON s.vasp = w.vasp AND s.subject = w.subject"
    " LEFT JOIN data_keys k ON k.vasp = w.vasp AND k.subject = w.subject"
    " WHERE w.vasp = :vasp AND w.txid_key {keys} AND {indexes} ORDER BY w.created_at, w.withdrawal_id"
)
_WITHDRAWALS = {
    True: text(
        _SENT.format(
            keys="= ANY(CAST(:keys AS text[]))",
            indexes="w.address_index = ANY(CAST(:indexes AS bytea[]))",
        )
    ),
    False: text(
        _SENT.format(
            keys="IN (SELECT value FROM json_each(:keys))",
            indexes="hex(w.address_index) IN (SELECT value FROM json_each(:indexes))",
        )
    ),
}


_AUTHORIZATIONS = {
    True: text(
        "SELECT e.subject FROM unnest(CAST(:indexes AS bytea[])) AS v(address_index) CROSS JOIN LATERAL"
        " (SELECT subject, created_at, row_number() OVER (ORDER BY created_at DESC, subject) AS place FROM exchanges"
        " WHERE vasp = :vasp AND side = 'beneficiary' AND exchanges.address_index = v.address_index"
        " ORDER BY created_at DESC, subject LIMIT :each) e"
        " ORDER BY e.place, e.created_at DESC, e.subject LIMIT :most"
    ),
    False: text(
        "SELECT e.subject FROM (SELECT subject, created_at,"
        " row_number() OVER (PARTITION BY address_index ORDER BY created_at DESC, subject) AS place FROM exchanges"
        " WHERE vasp = :vasp AND side = 'beneficiary'"
        " AND hex(address_index) IN (SELECT value FROM json_each(:indexes))) e"
        " WHERE e.place <= :each ORDER BY e.place, e.created_at DESC, e.subject LIMIT :most"
    ),
}


@dataclass(frozen=True, slots=True)
class WalletRecord:
    """A deposit address of our customer. ``asked`` is the text it was found for, ``tag`` the customer's tag there
    (empty: none), ``found_tag`` the part of the question after the colon (None: no colon). ``sanctioned`` is the result
    of the owner's last screening; None: never screened.
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
    sanctioned: bool | None = None


@dataclass(frozen=True, slots=True)
class WithdrawalRecord:
    """Our withdrawal in the transaction and to the address of a question. ``found_tag`` is the part of the question
    after the colon (None: no colon). The withdrawal's tag is in ``state``, the opened state; None: erased.
    """

    asked: Payment = field(repr=False)
    found_tag: str | None = field(repr=False)
    subject: str
    vout: str | None
    state: bytes | None = field(repr=False)


@dataclass(frozen=True, slots=True)
class ExchangeRecord:
    """An exchange as the status search returns it."""

    transfer_id: str
    status: str
    txid: str | None
    vout: str | None


@dataclass(frozen=True, slots=True)
class OpenAuthorizationRow:
    """An inbound exchange that announced a transfer and has no txid yet. ``checked``: its amount is the requested one;
    else its sealed content must be compared.
    """

    subject: str
    counterparty: str
    transfer_id: str
    status: str
    txid: str | None
    checked: bool = True


class SearchRepository:
    """Read-only queries on the rows of one VASP."""

    def __init__(self, database: Database, vasp: str, index: Index, unwrap: Unwrap, open_sealed: OpenSealed) -> None:
        self._database = database
        self._vasp = vasp
        self._index = index
        self._unwrap = unwrap
        self._open = open_sealed

    async def wallets_at(self, asked: Sequence[str]) -> list[WalletRecord]:
        """Our deposit addresses that match the texts (``address[:tag]``) by algorithm A of ivms101.md section 6: the
        whole text first, then the part left of the rightmost colon. Of wallets with a tag only those with the tag of
        the text match, because all our customers may share the address.
        """
        wanted: dict[bytes, list[tuple[str, str | None]]] = {}
        for entry in asked:
            for address, tag in candidates(entry):
                wanted.setdefault(self._index("address", address), []).append((entry, tag))
                if tag:
                    wanted.setdefault(self._index("place", place(address, tag)), []).append((entry, tag))
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
            sanctioned=None if row.sanctioned is None else bool(row.sanctioned),
        )

    async def withdrawals_in(self, asked: Sequence[Payment]) -> list[WithdrawalRecord]:
        """Our withdrawals of all currencies, recorded ones included, in these transactions and to these addresses,
        oldest first. Txids are compared without case and ``0x``, addresses by algorithm A.
        """
        wanted: dict[tuple[str, bytes], list[tuple[Payment, str | None]]] = {}
        for payment in asked:
            for address, tag in candidates(payment[1]):
                key = txid_key(payment[0]), self._index("address", address)
                wanted.setdefault(key, []).append((payment, tag))
        if not wanted:
            return []
        keys: Any = list({key for key, _ in wanted})
        indexes: Any = list({index for _, index in wanted})
        if not self._database.is_postgresql:
            keys = orjson.dumps(keys).decode()
            indexes = orjson.dumps([index.hex().upper() for index in indexes]).decode()
        async with self._database.read() as connection:
            statement = _WITHDRAWALS[self._database.is_postgresql]
            rows = (await connection.execute(statement, {"vasp": self._vasp, "keys": keys, "indexes": indexes})).all()
        return [
            WithdrawalRecord(payment, tag, row.subject, row.vout, self._state(row))
            for row in rows
            for payment, tag in wanted.get((row.txid_key, bytes(row.address_index)), ())
        ]

    def _state(self, row: Any) -> bytes | None:
        if row.wrapped is None or row.sealed is None:
            return None
        key = self._unwrap(row.subject, bytes(row.wrapped))
        return self._open(key, "state", row.subject, bytes(row.sealed))

    async def outgoing_exchange(self, transfer_id: str, counterparty: str) -> ExchangeRecord | None:
        """Our outbound exchange with this id and this counterparty; None if there is none."""
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

    async def authorizations_for(self, asked: Sequence[str], most: int) -> list[str]:
        """Subjects of stored inbound authorizations for these addresses, the newest few of each (D37). If there are
        more than ``most``, the newest of every address precedes the second newest of any.
        """
        wanted = {self._index("address", address) for entry in asked for address, _ in candidates(entry)}
        if not wanted:
            return []
        indexes: Any = list(wanted)
        if not self._database.is_postgresql:
            indexes = orjson.dumps([index.hex().upper() for index in wanted]).decode()
        limits = {"each": AUTHORIZATIONS_PER_NUMBER, "most": most}
        async with self._database.read() as connection:
            statement = _AUTHORIZATIONS[self._database.is_postgresql]
            rows = await connection.execute(statement, {"vasp": self._vasp, "indexes": indexes, **limits})
            return list(rows.scalars())

    async def open_authorizations(self, asked: str, currency: str, amount: Decimal) -> list[OpenAuthorizationRow]:
        """Verified inbound authorizations of this amount for this address without a txid, newest first.

        Those of earlier releases, whose amount is only in their sealed content, come last with ``checked`` False.
        """
        table = tables.exchanges
        indexes = [self._index("address", address) for address, _ in candidates(asked)]
        query = (
            select(table)
            .where(
                table.c.vasp == self._vasp,
                table.c.side == "beneficiary",
                table.c.status == "verified",
                table.c.txid.is_(None),
                table.c.address_index.in_(indexes),
            )
            .order_by(table.c.created_at.desc(), table.c.counterparty, table.c.transfer_id)
        )
        announced = (table.c.currency == currency.upper()) & (table.c.amount == plain_amount(amount))
        async with self._database.read() as connection:
            fitting = (await connection.execute(query.where(announced).limit(OPEN_AUTHORIZATIONS))).all()
            unknown = (await connection.execute(query.where(table.c.amount.is_(None)).limit(UNCHECKED))).all()
        return [*(_open(row, checked=True) for row in fitting), *(_open(row, checked=False) for row in unknown)]

    async def ready(self) -> bool:
        """Whether queries can be answered: the database responds and the tables exist."""
        try:
            await self._database.check()
            async with self._database.read() as connection:
                await connection.execute(select(tables.wallets.c.wallet_id).limit(1))
        except Exception:  # noqa: BLE001
            # The boundary of the health check: any failure here means "not ready".
            return False
        return True


def _open(row: Any, *, checked: bool) -> OpenAuthorizationRow:
    return OpenAuthorizationRow(row.subject, row.counterparty, row.transfer_id, row.status, row.txid, checked)
