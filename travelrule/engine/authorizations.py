"""Stored inbound authorizations, opened: whose name they carry (D37), and which of them could mean a deposit."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from sqlalchemy import text

from travelrule.engine.envelope import unpack
from travelrule.engine.vault import Vault
from travelrule.exchange.reports import AuthorizationReceived
from travelrule.store.database import Database
from travelrule.store.reads import OPEN_AUTHORIZATIONS, OpenAuthorization, Reads

_AUTHORIZATION = text(
    "SELECT i.sealed, k.wrapped FROM inputs i JOIN data_keys k ON k.vasp = i.vasp AND k.subject = i.subject"
    " WHERE i.vasp = :vasp AND i.subject = :subject AND i.type = 'authorization.received' ORDER BY i.record LIMIT 1"
)


class Authorizations:
    """Opens what was asked of us, as it was stored."""

    def __init__(self, database: Database, vasp: str, vault: Vault, reads: Reads) -> None:
        self._database = database
        self._vasp = vasp
        self._vault = vault
        self._reads = reads

    async def named_beneficiaries(self, numbers: Sequence[str]) -> list[list[dict[str, Any]]]:
        """The ``beneficiaryPersons`` of the authorizations stored for some account numbers."""
        named = []
        for number in numbers:
            for subject in await self._reads.authorizations_for(number):
                asked = await self._open(subject)
                if asked is not None:
                    persons = (asked.ivms101.get("Beneficiary") or {}).get("beneficiaryPersons") or []
                    named.append([person for person in persons if isinstance(person, dict)])
        return [persons for persons in named if persons]

    async def announcing(self, address: str, currency: str, amount: Decimal) -> list[OpenAuthorization]:
        """Authorizations without txid that could mean a deposit of this amount at this address (``address[:tag]``)."""
        fitting: list[OpenAuthorization] = []
        for record in await self._reads.open_authorizations(address, currency, amount):
            if len(fitting) >= OPEN_AUTHORIZATIONS:
                break
            if record.checked or await self._announces(record.subject, currency, amount):
                fitting.append(record)
        return fitting

    async def _announces(self, subject: str, currency: str, amount: Decimal) -> bool:
        asked = await self._open(subject)
        return asked is not None and asked.currency.upper() == currency.upper() and Decimal(asked.amount) == amount

    async def _open(self, subject: str) -> AuthorizationReceived | None:
        async with self._database.read() as connection:
            row = (await connection.execute(_AUTHORIZATION, {"vasp": self._vasp, "subject": subject})).first()
        if row is None:
            return None
        key = self._vault.unwrap(subject, bytes(row.wrapped))
        data = unpack(self._vault.open(key, "input", subject, bytes(row.sealed))).data
        return data if isinstance(data, AuthorizationReceived) else None
