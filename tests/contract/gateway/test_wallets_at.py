"""Which own wallets a text may mean, from the store."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import update

from tests.support.gateway_installation import GatewayInstallation, event
from travelrule.gateway.wallet_match import wallets_of_account
from travelrule.store import tables

SHARED = "rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY"
ALONE = "rEb8TK3gBgk5auZkwc6sHnwrGVJH8DuaLh"


async def registered(
    installation: GatewayInstallation, wallet_id: str, address: str, tag: str | None, **changes: Any
) -> None:
    wallet = {
        "walletId": wallet_id,
        "address": address,
        "tag": tag,
        "currencies": ["XRP"],
        "networks": ["XRP"],
        "customerId": f"c-{wallet_id}",
        "kyc": True,
        "owner": {"natural": {"lastName": "Owner"}},
    }
    outcome = await installation.submit(event("wallet.registered.v1", wallet | changes, f"wallet:{wallet_id}"))
    assert outcome.status == "applied", outcome


async def found(installation: GatewayInstallation, *asked: str) -> list[tuple[str, str, str | None]]:
    return sorted((one.asked, one.wallet_id, one.found_tag) for one in await installation.reads.wallets_at(asked))


async def test_at_a_shared_address_only_the_wallets_with_the_tag_are_read(installation: GatewayInstallation) -> None:
    """An exchange has one address for all customers: reading all of them for one question would take seconds."""
    for number in range(5):
        await registered(installation, f"w-{number}", SHARED, str(number))
    await registered(installation, "w-twin", SHARED, "3")
    assert await found(installation, f"{SHARED}:3") == [(f"{SHARED}:3", "w-3", "3"), (f"{SHARED}:3", "w-twin", "3")]
    assert await found(installation, f"{SHARED}:1", f"{SHARED}:4") == [
        (f"{SHARED}:1", "w-1", "1"),
        (f"{SHARED}:4", "w-4", "4"),
    ]
    assert await found(installation, SHARED, f"{SHARED}:", f"{SHARED}:77", f"{ALONE}:3") == []


async def test_a_wallet_without_tag_is_found_whatever_tag_is_asked_for(installation: GatewayInstallation) -> None:
    await registered(installation, "w-alone", ALONE, None)
    await registered(installation, "w-tagged", ALONE, "7")
    assert await found(installation, ALONE) == [(ALONE, "w-alone", None)]
    assert await found(installation, f"{ALONE}:7") == [(f"{ALONE}:7", "w-alone", "7"), (f"{ALONE}:7", "w-tagged", "7")]
    both = await installation.reads.wallets_at([f"{ALONE}:7"])
    assert {wallet.wallet_id for wallet in wallets_of_account(f"{ALONE}:7", both)} == {"w-alone", "w-tagged"}


@pytest.mark.parametrize("tag", ["7", None])
async def test_a_wallet_that_moves_is_found_at_its_new_place_only(
    installation: GatewayInstallation, tag: str | None
) -> None:
    await registered(installation, "w-1", SHARED, "3")
    await registered(installation, "w-1", ALONE, tag)
    assert await found(installation, f"{SHARED}:3") == []
    asked = f"{ALONE}:7"
    assert await found(installation, asked) == [(asked, "w-1", "7")]


async def test_a_wallet_that_was_indexed_by_its_address_alone_is_found(installation: GatewayInstallation) -> None:
    """So they were written at first, and they are not registered again."""
    await registered(installation, "w-1", SHARED, "3")
    async with installation.database.begin() as connection:
        await connection.execute(update(tables.wallets).values(address_index=installation.index.of("address", SHARED)))
    asked = f"{SHARED}:3"
    assert await found(installation, asked) == [(asked, "w-1", "3")]
