"""M6 and M7 from the HTTP request to the rows: stored once, answered again, sealed at rest."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx
from sqlalchemy import delete, select

from tests.support.gateway_installation import TXID, XRP, GatewayInstallation, opened, sealed
from travelrule.engine.input_envelope import unpack
from travelrule.store import tables

PATH = "/v1/verification/tx"
ASKED = {"transferId": "r-1", "txid": TXID, "beneficiaryAddress": f"{XRP}:77001"}
PLANTED = ["Quagmire", "Zebulon", "planted-customer", XRP]


def payee(last: str = "Lind", first: str = "Erik") -> dict[str, Any]:
    name = {"primaryIdentifier": last, "secondaryIdentifier": first, "nameIdentifierType": "LEGL"}
    vasp = {"nameIdentifier": [{"legalPersonName": "North Ltd.", "legalPersonNameIdentifierType": "LEGL"}]}
    return {
        "Beneficiary": {
            "beneficiaryPersons": [{"naturalPerson": {"name": {"nameIdentifier": [name]}}}],
            "accountNumber": [f"{XRP}:77001"],
        },
        "BeneficiaryVASP": {"beneficiaryVASP": {"legalPerson": {"name": vasp, "countryOfRegistration": "KR"}}},
    }


async def ask(client: httpx.AsyncClient, inner: dict[str, Any] | None = None, **fields: Any) -> httpx.Response:
    return await client.put(PATH, json={**ASKED, "payload": sealed(inner or payee()), **fields})


async def rows(installation: GatewayInstallation, table: Any) -> list[Any]:
    async with installation.database.read() as connection:
        return list((await connection.execute(select(table))).all())


async def test_txid_search(installation: GatewayInstallation) -> None:
    await installation.recorded()
    async with installation.gateway() as client:
        for address, result in ((f"{XRP}:77001", "valid"), (XRP, "invalid")):
            body = {"txid": f"0x{TXID.lower()}", "beneficiaryAddress": address}
            answer = await client.post(PATH, json=body)
            assert (answer.status_code, answer.json()) == (200, {"result": result})
    assert [row.subject for row in await rows(installation, tables.subjects)] == ["withdrawal:out-1"]


async def test_normal_is_stored_and_given_again(installation: GatewayInstallation) -> None:
    await installation.recorded()
    async with installation.gateway() as client:
        first = await ask(client)
        assert first.json()["result"] == "normal", first.text
        again = await ask(client, txid="0x" + TXID)
    told = opened(first.json()["payload"])
    assert told == opened(again.json()["payload"])
    assert told["Originator"]["originatorPersons"][0]["naturalPerson"]["customerIdentification"] == "planted-customer"
    assert first.json()["payload"] != again.json()["payload"]
    (row,) = [row for row in await rows(installation, tables.subjects) if row.kind == "data-request"]
    assert (row.subject, row.status, row.counterparty, row.records) == ("data-request:north/r-1", "normal", "north", 1)


async def test_an_error_is_stored_too(installation: GatewayInstallation) -> None:
    async with installation.gateway() as client:
        first = await ask(client)
        await installation.recorded()
        again = await ask(client)
        fresh = await ask(client, transferId="r-2")
    assert first.json()["reasonType"] == again.json()["reasonType"] == "NOT_FOUND_TXID"
    assert fresh.json()["result"] == "normal"
    states = {row.subject: row.status for row in await rows(installation, tables.subjects)}
    assert (states["data-request:north/r-1"], states["data-request:north/r-2"]) == ("error", "normal")


async def test_another_transaction_under_the_same_id(installation: GatewayInstallation) -> None:
    await installation.recorded()
    async with installation.gateway() as client:
        await ask(client)
        for fields in ({"txid": "ab" * 32}, {"beneficiaryAddress": XRP}):
            answer = await ask(client, **fields)
            assert (answer.status_code, answer.json()["errorType"]) == (503, "DUPLICATED_TRANSFER_ID")
    assert await rows(installation, tables.dead_letters) == []


async def test_the_same_request_many_times_at_once(installation: GatewayInstallation) -> None:
    await installation.recorded()
    async with installation.gateway() as client:
        answers = await asyncio.gather(*(ask(client) for _ in range(8)))
    assert {answer.json()["result"] for answer in answers} == {"normal"}
    assert len([row for row in await rows(installation, tables.inputs) if row.type == "data-request.received"]) == 1


async def test_nothing_personal_stands_in_the_clear(installation: GatewayInstallation) -> None:
    await installation.recorded()
    async with installation.gateway() as client:
        await ask(client)
        await ask(client, payee("Quagmire", "Zebulon"), transferId="r-2")
    found = []
    for table in tables.metadata.sorted_tables:
        for row in await rows(installation, table):
            said = " ".join(
                bytes(value).decode("latin-1") if isinstance(value, bytes | memoryview) else str(value) for value in row
            )
            found += [(table.name, word) for word in PLANTED if word in said]
    assert found == []


async def test_the_facts_of_the_decision_can_be_read_again(installation: GatewayInstallation) -> None:
    """What was decided must be recomputable from the stored input (audit verify)."""
    await installation.recorded()
    async with installation.gateway() as client:
        await ask(client)
    (stored,) = [row for row in await rows(installation, tables.inputs) if row.type == "data-request.received"]
    (key,) = [row for row in await rows(installation, tables.data_keys) if row.subject == stored.subject]
    data_key = installation.vault.unwrap(stored.subject, bytes(key.wrapped))
    item = unpack(installation.vault.open(data_key, "input", stored.subject, bytes(stored.sealed)))
    (facts,) = item.data.withdrawals  # type: ignore[attr-defined]
    assert facts.request.originator.customer_id == "planted-customer"


async def test_an_erased_withdrawal_tells_nothing(installation: GatewayInstallation) -> None:
    await installation.recorded()
    async with installation.database.begin() as connection:
        await connection.execute(delete(tables.data_keys))
    async with installation.gateway() as client:
        answer = await ask(client)
        assert (answer.json()["result"], answer.json()["reasonType"]) == ("error", "LACK_OF_INFORMATION")
        search = await client.post(PATH, json={"txid": TXID, "beneficiaryAddress": f"{XRP}:77001"})
        assert search.json() == {"result": "valid"}
