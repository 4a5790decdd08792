"""The questions that the gateway answers from the store: they read and change nothing (design section 2)."""

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
"""Of how many authorizations for one account number the names are compared (D37): the newest."""
OPEN_AUTHORIZATIONS = 20
"""How many counterparties are asked at most about one deposit."""
UNCHECKED = 500
"""How many authorizations of an earlier build are opened at most for one deposit."""

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
"""What is asked about a transaction: its txid and an address that it paid (``address[:tag]``)."""

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
    """An own customer's deposit address. ``asked`` is the text it was found for, ``tag`` the customer's own tag there
    (empty: none), ``found_tag`` what stood behind the colon in the question (None: nothing). ``sanctioned`` is what the
    last screening of the owner found; None: the owner was never screened.
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
    """An own withdrawal in the transaction that was asked for, to that address. ``found_tag`` is what stood behind the
    colon in the question (None: nothing); whether it fits is in ``state``, the subject's opened state, which is None
    if the withdrawal's data were erased.
    """

    asked: Payment = field(repr=False)
    found_tag: str | None = field(repr=False)
    subject: str
    vout: str | None
    state: bytes | None = field(repr=False)


@dataclass(frozen=True, slots=True)
class ExchangeRecord:
    """An exchange as the status search answers it."""

    transfer_id: str
    status: str
    txid: str | None
    vout: str | None


@dataclass(frozen=True, slots=True)
class OpenAuthorizationRow:
    """An inbound exchange that announced value and named no transaction yet. ``checked``: it is of the amount that was
    asked for; else its content must be looked at.
    """

    subject: str
    counterparty: str
    transfer_id: str
    status: str
    txid: str | None
    checked: bool = True


class SearchRepository:
    """Read-only queries of one VASP."""

    def __init__(self, database: Database, vasp: str, index: Index, unwrap: Unwrap, open_sealed: OpenSealed) -> None:
        self._database = database
        self._vasp = vasp
        self._index = index
        self._unwrap = unwrap
        self._open = open_sealed

    async def wallets_at(self, asked: Sequence[str]) -> list[WalletRecord]:
        """The own deposit addresses that the texts (``address[:tag]``) mean, by algorithm A of ivms101.md section 6:
        the whole text first, then the part left of the rightmost colon. Of the wallets with a tag only those with the
        tag of the text: everybody's wallet may be at that address.
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
        """The own withdrawals of all currencies, recorded ones included, that stand in these transactions and went to
        these addresses, the oldest first. Txids are compared without case and ``0x``, addresses by algorithm A.
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

    async def authorizations_for(self, asked: Sequence[str], most: int) -> list[str]:
        """Subjects of stored inbound authorizations for these addresses, the newest few of each (D37). Of more than
        ``most`` the newest of every address go before the second newest of any.
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
        """Inbound authorizations of this amount for this address that were verified and have no txid yet, newest first.

        Those stored by an earlier build, whose amount is only in their sealed content, come last: ``checked`` is False.
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
        """Whether questions can be answered now: the database answers and the tables are there."""
        try:
            await self._database.check()
            async with self._database.read() as connection:
                await connection.execute(select(tables.wallets.c.wallet_id).limit(1))
        except Exception:  # noqa: BLE001
            # The boundary of the health check: whatever fails here means "not ready", and the caller says so.
            return False
        return True


def _open(row: Any, *, checked: bool) -> OpenAuthorizationRow:
    return OpenAuthorizationRow(row.subject, row.counterparty, row.transfer_id, row.status, row.txid, checked)
