"""Stored inbound authorizations, opened: the names they carry (D37), and those that could announce a deposit."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import orjson
from sqlalchemy import text

from travelrule.engine.input_envelope import unpack
from travelrule.engine.vault import Vault
from travelrule.messages.inbound_request import AuthorizationReceived
from travelrule.store.database import Database
from travelrule.store.search_rows import OPEN_AUTHORIZATIONS, OpenAuthorizationRow, SearchRepository

OPENED_MAX = 200
"""The most authorizations opened for one question, which has a second to be answered. The newest of each account number
(``BENEFICIARY_ACCOUNTS_MAX``), with and without its tag, are opened first.
"""

_AUTHORIZATIONS = (
    "SELECT i.subject, i.sealed, k.wrapped FROM inputs i JOIN data_keys k ON k.vasp = i.vasp AND k.subject = i.subject"
    " WHERE i.vasp = :vasp AND i.subject {subjects} AND i.type = 'authorization.received' ORDER BY i.subject, i.record"
)
_POSTGRESQL = text(_AUTHORIZATIONS.format(subjects="= ANY(CAST(:subjects AS text[]))"))
_SQLITE = text(_AUTHORIZATIONS.format(subjects="IN (SELECT value FROM json_each(:subjects))"))


class AuthorizationReader:
    """Opens inbound authorizations as they were stored."""

    def __init__(self, database: Database, vasp: str, vault: Vault, reads: SearchRepository) -> None:
        self._database = database
        self._vasp = vasp
        self._vault = vault
        self._reads = reads

    async def named_beneficiaries(self, numbers: Sequence[str]) -> list[list[dict[str, Any]]]:
        """The ``beneficiaryPersons`` of the authorizations stored for some account numbers."""
        named = []
        for asked in (await self._open(await self._reads.authorizations_for(numbers, OPENED_MAX))).values():
            persons = (asked.ivms101.get("Beneficiary") or {}).get("beneficiaryPersons") or []
            named.append([person for person in persons if isinstance(person, dict)])
        return [persons for persons in named if persons]

    async def announcing(self, address: str, currency: str, amount: Decimal) -> list[OpenAuthorizationRow]:
        """Authorizations without txid that could announce this amount at this address (``address[:tag]``)."""
        records = await self._reads.open_authorizations(address, currency, amount)
        fitting: list[OpenAuthorizationRow] = []
        for start in range(0, len(records), OPENED_MAX):
            page = records[start : start + OPENED_MAX]
            opened = await self._open([record.subject for record in page if not record.checked])
            fitting += [
                record for record in page if record.checked or _announces(opened.get(record.subject), currency, amount)
            ]
            if len(fitting) >= OPEN_AUTHORIZATIONS:
                break
        return fitting[:OPEN_AUTHORIZATIONS]

    async def _open(self, subjects: Sequence[str]) -> dict[str, AuthorizationReceived]:
        """The first authorization of each subject; erased ones are omitted."""
        if not subjects:
            return {}
        postgresql = self._database.is_postgresql
        statement = _POSTGRESQL if postgresql else _SQLITE
        names = list(subjects) if postgresql else orjson.dumps(list(subjects)).decode()
        async with self._database.read() as connection:
            rows = (await connection.execute(statement, {"vasp": self._vasp, "subjects": names})).all()
        first = {row.subject: row for row in reversed(rows)}
        opened = {}
        for subject, row in first.items():
            key = self._vault.unwrap(subject, bytes(row.wrapped))
            data = unpack(self._vault.open(key, "input", subject, bytes(row.sealed))).data
            if isinstance(data, AuthorizationReceived):
                opened[subject] = data
            await asyncio.sleep(0)  # each may be large; let the event loop run other tasks
        return opened


def _announces(asked: AuthorizationReceived | None, currency: str, amount: Decimal) -> bool:
    return asked is not None and asked.currency.upper() == currency.upper() and Decimal(asked.amount) == amount
