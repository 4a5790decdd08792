"""Whom stored authorizations name at up to 100 account numbers (M1, D37): few queries, however many there are."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import update

from tests.contract.store.statements import statements
from tests.support.gateway_installation import XRP, GatewayInstallation
from tests.support.inbound_messages import authorization, ivms101, natural, wallet
from travelrule.engine.queries.authorizations import OPENED_MAX, AuthorizationReader
from travelrule.machine.input import Input
from travelrule.store import tables
from travelrule.store.search_rows import AUTHORIZATIONS_PER_NUMBER

NUMBERS = [f"{XRP}:{number}" for number in range(100)]


async def announce(
    installation: GatewayInstallation, tag: str, last: str, transfer_id: str = "", currency: str = "XRP"
) -> None:
    """North announces a transfer to the customer with that tag."""
    transfer_id = transfer_id or str(uuid4())
    beneficiary = {"beneficiaryPersons": [natural(last, "Erik")], "accountNumber": [f"{XRP}:{tag}"]}
    data = authorization(
        transfer_id=transfer_id,
        address=XRP,
        tag=tag,
        ivms101=ivms101(Beneficiary=beneficiary),
        currency=currency,
        wallets=(wallet(accountNumber=f"{XRP}:{tag}", tag=tag),),
    )
    content = data.model_dump_json(by_alias=True).encode()
    subject = f"exchange:north/{transfer_id}"
    item = Input("/hub", transfer_id, "authorization.received", subject, installation.now, data, content, uuid4())
    assert (await installation.submit(item)).status == "applied"
    installation.now += timedelta(seconds=1)


def authorizations(installation: GatewayInstallation) -> AuthorizationReader:
    return AuthorizationReader(installation.database, "south", installation.vault, installation.reads)


def names(found: list[list[dict[str, Any]]]) -> list[str]:
    return sorted(
        person["naturalPerson"]["name"]["nameIdentifier"][0]["primaryIdentifier"]
        for persons in found
        for person in persons
    )


@pytest.mark.parametrize("asked", [1, 100])
async def test_the_number_of_queries_does_not_grow_with_the_numbers(
    installation: GatewayInstallation, asked: int
) -> None:
    for number in range(0, 100, 20):
        for _ in range(3):
            await announce(installation, str(number), f"Lind{number}")
    with statements(installation.database) as seen:
        found = await authorizations(installation).named_beneficiaries(NUMBERS[:asked])
    assert len(seen) == 2, seen
    wanted = [f"Lind{number}" for number in range(0, asked, 20) for _ in range(3)]
    assert names(found) == sorted(wanted)


async def test_of_each_number_the_newest_count(installation: GatewayInstallation) -> None:
    for number in range(AUTHORIZATIONS_PER_NUMBER + 3):
        await announce(installation, "7", f"Seven{number:02}")
    await announce(installation, "8", "Eight")
    found = names(await authorizations(installation).named_beneficiaries([NUMBERS[7], NUMBERS[8], "rUnknown"]))
    assert found == ["Eight", *(f"Seven{number:02}" for number in range(3, AUTHORIZATIONS_PER_NUMBER + 3))]


async def test_no_more_are_opened_than_a_second_allows_and_none_of_the_numbers_is_left_out(
    installation: GatewayInstallation, monkeypatch: pytest.MonkeyPatch
) -> None:
    from travelrule.engine.queries import authorizations as module

    assert OPENED_MAX >= 100, "each number's newest"
    monkeypatch.setattr(module, "OPENED_MAX", 5)
    for number in range(5):
        for _ in range(3):
            await announce(installation, str(number), f"Lind{number}")
    found = names(await authorizations(installation).named_beneficiaries(NUMBERS[:5]))
    assert found == [f"Lind{number}" for number in range(5)]


async def test_what_was_erased_names_nobody(installation: GatewayInstallation) -> None:
    from travelrule.store import expired_rows

    await announce(installation, "1", "Lind", "t-1")
    await announce(installation, "1", "Lund", "t-2")
    async with installation.database.begin() as connection:
        await expired_rows.erase_subjects(connection, "south", ["exchange:north/t-1"])
    assert names(await authorizations(installation).named_beneficiaries([NUMBERS[1]])) == ["Lund"]


async def test_the_authorizations_that_could_mean_a_deposit_are_opened_together(
    installation: GatewayInstallation,
) -> None:
    for _ in range(6):
        await announce(installation, "9", "Lind")
    async with installation.database.begin() as connection:  # as an earlier build stored them
        await connection.execute(update(tables.exchanges).values(amount=None))
    with statements(installation.database) as seen:
        found = await authorizations(installation).announcing(NUMBERS[9], "XRP", Decimal("250.5"))
    assert len(found) == 6
    assert len(seen) == 3, seen
