"""What M6 and M7 find in the tables: every own withdrawal by transaction, address and tag, and nobody else's."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import delete, text

from tests.contract.store.statements import statements
from tests.support.gateway_installation import BTC, TXID, XRP, GatewayInstallation, event, withdrawal
from tests.support.inbound_messages import OWNER
from travelrule.store import tables
from travelrule.store.search_rows import Payment

EVM = "0x52908400098527886E0F7030069857D2E4169EE7"
BCH = "qpm2qsznhks23z7629mms6s5cwef74vcwvy22gdx6a"
XRP_OF_ERIK = f"{XRP}:77001"


async def found(installation: GatewayInstallation, *asked: Payment) -> list[tuple[Payment, str]]:
    return [(one.asked, one.facts.subject) for one in await installation.served.sent(asked)]


async def subjects(installation: GatewayInstallation, txid: str, address: str) -> list[str]:
    return [subject.removeprefix("withdrawal:") for _, subject in await found(installation, (txid, address))]


async def test_recorded_withdrawals(installation: GatewayInstallation) -> None:
    await installation.recorded()
    assert await subjects(installation, TXID, XRP_OF_ERIK) == ["out-1"]
    assert await subjects(installation, "0x" + TXID.lower(), XRP_OF_ERIK) == ["out-1"]
    for txid, address in (
        (TXID, XRP),
        (TXID, f"{XRP}:77002"),
        (TXID, BTC),
        (TXID[:-1], XRP_OF_ERIK),
        ("", XRP_OF_ERIK),
    ):
        assert await subjects(installation, txid, address) == [], (txid, address)


async def test_withdrawals_with_an_exchange(installation: GatewayInstallation) -> None:
    data = withdrawal(destination={"kind": "vasp", "vaspEntityId": "north", "address": XRP, "tag": "77001"})
    subject = "withdrawal:out-1"
    await installation.submit(event("withdrawal.requested.v1", data, subject))
    assert await subjects(installation, TXID, XRP_OF_ERIK) == []
    await installation.submit(event("withdrawal.broadcast.v1", {"withdrawalId": "out-1", "txid": TXID}, subject))
    assert await subjects(installation, TXID, XRP_OF_ERIK) == ["out-1"]
    for kind, more in (("withdrawal.mined.v1", {}), ("withdrawal.settled.v1", {"outcome": "confirmed"})):
        await installation.submit(event(kind, {"withdrawalId": "out-1", **more}, subject))
        assert await subjects(installation, TXID, XRP_OF_ERIK) == ["out-1"]


@pytest.mark.parametrize(
    ("destination", "asked"),
    [
        ({"address": EVM}, EVM.lower()),
        ({"address": BTC}, f"{BTC}:0"),
        ({"address": XRP_OF_ERIK}, XRP_OF_ERIK),
        (
            {"address": "bitcoincash:qpm2qsznhks23z7629mms6s5cwef74vcwvy22gdx6a"},
            "qpm2qsznhks23z7629mms6s5cwef74vcwvy22gdx6a",
        ),
    ],
)
async def test_address_forms(installation: GatewayInstallation, destination: dict[str, Any], asked: str) -> None:
    await installation.recorded(destination={"kind": "unknown", **destination})
    assert await subjects(installation, TXID, asked) == ["out-1"]


async def test_a_batch_of_outputs(installation: GatewayInstallation) -> None:
    for number in range(1, 4):
        await installation.recorded(
            number, vout=str(number), destination={"kind": "unknown", "address": XRP, "tag": str(number)}
        )
    await installation.recorded(4, vout="4", destination={"kind": "unknown", "address": BTC})
    await installation.recorded(5, vout="5", destination={"kind": "unknown", "address": BTC})
    assert await subjects(installation, TXID, f"{XRP}:2") == ["out-2"]
    assert await subjects(installation, TXID, BTC) == ["out-4", "out-5"]
    facts = await installation.served.facts((TXID, BTC))
    assert [one.vout for one in facts] == ["4", "5"]


async def test_many_questions_in_one_query_get_their_own_answers(installation: GatewayInstallation) -> None:
    await installation.recorded(1)
    await installation.recorded(2, "aa" * 32, destination={"kind": "unknown", "address": BTC})
    questions = [(TXID, XRP_OF_ERIK), ("0xAA" + "aa" * 31, BTC), (TXID, BTC), ("aa" * 32, XRP_OF_ERIK), ("bb", BTC)]
    assert sorted(await found(installation, *questions)) == sorted(
        [(questions[0], "withdrawal:out-1"), (questions[1], "withdrawal:out-2")]
    )
    assert await found(installation) == []


@pytest.mark.parametrize("text", ["\ud7ff", "💩", "'", '"', "\\", "%", "a" * 5000, ":", "::", "x:"])
async def test_hostile_texts(installation: GatewayInstallation, text: str) -> None:
    await installation.recorded()
    assert await found(installation, (text, text), (TXID, text), (text, XRP_OF_ERIK)) == []


async def test_erased_withdrawals(installation: GatewayInstallation) -> None:
    await installation.recorded()
    async with installation.database.begin() as connection:
        await connection.execute(delete(tables.data_keys).where(tables.data_keys.c.subject == "withdrawal:out-1"))
    assert await subjects(installation, TXID, XRP_OF_ERIK) == ["out-1"]
    (facts,) = await installation.served.facts((TXID, XRP_OF_ERIK))
    assert (facts.request, facts.kyc, facts.owner) == (None, None, None)


async def test_another_installation_in_the_same_database(installation: GatewayInstallation) -> None:
    await installation.recorded()
    async with installation.database.begin() as connection:
        await connection.execute(text("UPDATE withdrawals SET vasp = 'west'"))
    assert await found(installation, (TXID, XRP_OF_ERIK)) == []


async def test_kyc_of_the_originator(installation: GatewayInstallation) -> None:
    await installation.recorded()
    (before,) = await installation.served.facts((TXID, XRP_OF_ERIK))
    assert (before.kyc, before.owner) == (None, None)
    for number, (customer, kyc) in enumerate((("someone-else", True), ("planted-customer", False))):
        wallet = {
            "walletId": f"w-{number}",
            "address": BTC,
            "currencies": ["BTC"],
            "networks": [],
            "customerId": customer,
            "kyc": kyc,
            "owner": {"natural": {"lastName": "Owner"}},
        }
        await installation.submit(event("wallet.registered.v1", wallet, f"wallet:w-{number}"))
    (unfinished,) = await installation.served.facts((TXID, XRP_OF_ERIK))
    assert (unfinished.kyc, unfinished.owner) == (False, None)
    await installation.submit(event("wallet.registered.v1", {**wallet, "walletId": "w-9", "kyc": True}, "wallet:w-9"))
    (finished,) = await installation.served.facts((TXID, XRP_OF_ERIK))
    assert finished.kyc is True
    assert finished.owner is not None
    assert finished.owner.natural is not None
    assert finished.owner.natural.last_name == "Owner"


async def test_the_query_uses_the_index_of_txids(installation: GatewayInstallation) -> None:
    """A search over all withdrawals must not become slower with each of them."""
    await installation.recorded()
    statement = "SELECT subject FROM withdrawals WHERE vasp = 'south' AND txid_key IN ('a', 'b')"
    async with installation.database.read() as connection:
        if installation.database.is_postgresql:
            await connection.execute(text("SET enable_seqscan = off"))
            plan = await connection.execute(text(f"EXPLAIN {statement}"))
        else:
            plan = await connection.execute(text(f"EXPLAIN QUERY PLAN {statement}"))
        assert "ix_withdrawals_txid_key" in " ".join(str(row) for row in plan)


@pytest.mark.parametrize("count", [1, 12])
async def test_the_owners_of_a_payment_to_many_are_looked_up_in_one_query(
    installation: GatewayInstallation, count: int
) -> None:
    """One transaction may carry many withdrawals to one address; M7 has a second for all of them."""
    for number in range(1, count + 1):
        address = f"{XRP[:-2]}{number:02}"
        wallet = {"walletId": f"w-{number}", "address": address, "currencies": ["XRP"], "customerId": f"c-{number}"}
        await installation.submit(
            event("wallet.registered.v1", {**wallet, "kyc": number % 2 == 0, "owner": OWNER}, f"wallet:w-{number}")
        )
        originator = {**withdrawal()["originator"], "customerId": f"c-{number}", "walletAddress": address}
        await installation.recorded(number, originator=originator)
    with statements(installation.database) as seen:
        facts = await installation.served.facts((TXID, XRP_OF_ERIK))
    assert len(seen) == 2, seen
    kyc = {f"withdrawal:out-{number}": number % 2 == 0 for number in range(1, count + 1)}
    assert {one.subject: one.kyc for one in facts} == kyc
