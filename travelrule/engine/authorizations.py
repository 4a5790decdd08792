"""Beneficiary names on stored inbound authorizations, for address verification with a name (D37)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sqlalchemy import text

from travelrule.engine.envelope import unpack
from travelrule.engine.vault import Vault
from travelrule.exchange.reports import AuthorizationReceived
from travelrule.store.database import Database
from travelrule.store.reads import Reads

_AUTHORIZATION = text(
    "SELECT i.sealed, k.wrapped FROM inputs i JOIN data_keys k ON k.vasp = i.vasp AND k.subject = i.subject"
    " WHERE i.vasp = :vasp AND i.subject = :subject AND i.type = 'authorization.received' ORDER BY i.record LIMIT 1"
)


def named_beneficiaries(database: Database, vasp: str, vault: Vault, reads: Reads) -> Callable[[Sequence[str]], Any]:
    """A query: the ``beneficiaryPersons`` of the authorizations stored for some account numbers."""

    async def query(numbers: Sequence[str]) -> list[list[dict[str, Any]]]:
        named = []
        for number in numbers:
            for subject in await reads.authorizations_for(number):
                async with database.read() as connection:
                    row = (await connection.execute(_AUTHORIZATION, {"vasp": vasp, "subject": subject})).first()
                if row is None:
                    continue
                key = vault.unwrap(subject, bytes(row.wrapped))
                item = unpack(vault.open(key, "input", subject, bytes(row.sealed)))
                if isinstance(item.data, AuthorizationReceived):
                    persons = (item.data.ivms101.get("Beneficiary") or {}).get("beneficiaryPersons") or []
                    named.append([person for person in persons if isinstance(person, dict)])
        return [persons for persons in named if persons]

    return query
