"""The scenarios of deposits: announced and anonymous ones."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from travelrule.commands.demo.network import NAMESAKE_TXID, TWICE_CLAIMED_TXID
from travelrule.commands.demo.scenarios import ADDRESS, ERIK, TAG, DemoStage, must, new_txid, scenario, withdrawal

AMOUNT = "250.5"


async def detect(stage: DemoStage, deposit_id: str, txid: str, amount: str = AMOUNT, vout: str | None = None) -> None:
    """South's node reports a transaction to Erik's address."""
    data: dict[str, Any] = {
        "depositId": deposit_id,
        "txid": txid,
        "currency": "XRP",
        "network": "XRP",
        "amount": amount,
        "address": ADDRESS,
        "tag": TAG,
    }
    if vout is not None:
        data["vout"] = vout
    await stage.south.send("deposits", "deposit.detected.v1", deposit_id, data)


async def confirm(stage: DemoStage, deposit_id: str) -> None:
    """The transaction is final on south's node."""
    await stage.south.send("deposits", "deposit.confirmed.v1", deposit_id, {"depositId": deposit_id})


async def sent(stage: DemoStage, txid: str, amount: str = AMOUNT, vout: str | None = None) -> str:
    """North requests, is allowed, sends and reports. Return the wire's transferId."""
    withdrawal_id = str(uuid4())
    await stage.north.send(
        "withdrawals",
        "withdrawal.requested.v1",
        withdrawal_id,
        {**withdrawal(withdrawal_id), "amount": amount},
    )
    allowed = await stage.north.verdict(withdrawal_id, "allow", "VERIFIED")
    data = {"withdrawalId": withdrawal_id, "txid": txid}
    await stage.north.send(
        "txids", "withdrawal.broadcast.v1", withdrawal_id, data if vout is None else {**data, "vout": vout}
    )
    return str(allowed.data["transferId"])


@scenario("announced deposit")
async def announced(stage: DemoStage) -> None:
    """The deposit arrives before the report: matched, and credited once it is final."""
    deposit_id, txid = f"d-{uuid4()}", new_txid()
    withdrawal_id = str(uuid4())
    await stage.request(withdrawal_id)
    allowed = await stage.north.verdict(withdrawal_id, "allow", "VERIFIED")
    await detect(stage, deposit_id, txid)
    await stage.south.verdict(deposit_id, "hold", "AWAITING_REPORT")
    await stage.broadcast(withdrawal_id, txid)
    await stage.reported(allowed.data["transferId"], txid)
    await confirm(stage, deposit_id)
    await stage.south.verdict(deposit_id, "allow", "MATCHED")
    data = {"depositId": deposit_id, "outcome": "credited"}
    await stage.south.send("deposits", "deposit.settled.v1", deposit_id, data)


@scenario("report before the chain")
async def report_first(stage: DemoStage) -> None:
    """The report arrives before south's node reports the deposit."""
    deposit_id, txid = f"d-{uuid4()}", new_txid()
    transfer_id = await sent(stage, txid)
    await stage.reported(transfer_id, txid)
    await detect(stage, deposit_id, txid)
    await confirm(stage, deposit_id)
    await stage.south.verdict(deposit_id, "allow", "MATCHED")


@scenario("anonymous deposit found and credited")
async def anonymous(stage: DemoStage) -> None:
    """Unannounced: the TXID search finds north, which returns the originator's data."""
    deposit_id, withdrawal_id, txid = f"d-{uuid4()}", str(uuid4()), new_txid()
    data = {**withdrawal(withdrawal_id), "txid": txid}
    await stage.north.send("withdrawals", "withdrawal.recorded.v1", withdrawal_id, data)
    await detect(stage, deposit_id, txid)
    await confirm(stage, deposit_id)
    verdict = await stage.south.verdict(deposit_id, "allow", "DATA_RECEIVED")
    must(verdict.data.get("counterparty") == "north", "the data did not come from north")
    await stage.south.expect(
        "search result found",
        lambda seen: (
            seen.type == "txid-search.result.v1" and seen.key == deposit_id and seen.data["outcome"] == "found"
        ),
    )


@scenario("found, but the name differs")
async def name_differs(stage: DemoStage) -> None:
    """A robot names another beneficiary: held for an operator."""
    deposit_id = f"d-{uuid4()}"
    await detect(stage, deposit_id, NAMESAKE_TXID)
    await confirm(stage, deposit_id)
    await stage.south.verdict(deposit_id, "hold", "NAME_MISMATCH")


@scenario("two claimants")
async def two_claimants(stage: DemoStage) -> None:
    """Two VASPs claim the transaction: held for an operator."""
    deposit_id = f"d-{uuid4()}"
    await detect(stage, deposit_id, TWICE_CLAIMED_TXID)
    await confirm(stage, deposit_id)
    await stage.south.verdict(deposit_id, "hold", "ORIGINATOR_AMBIGUOUS")


@scenario("sender not found")
async def not_found(stage: DemoStage) -> None:
    """No VASP claims the transaction: the customer must declare its source."""
    deposit_id = f"d-{uuid4()}"
    await detect(stage, deposit_id, new_txid())
    await confirm(stage, deposit_id)
    held = await stage.south.verdict(deposit_id, "hold", "ORIGINATOR_UNKNOWN")
    must("customer-statement" in held.data["needs"], "the hold does not say what would help")


@scenario("re-organisation after allow")
async def reorganised(stage: DemoStage) -> None:
    """The block is orphaned after the allow: a new verdict with a higher sequence, and an alert."""
    deposit_id, txid = f"d-{uuid4()}", new_txid()
    transfer_id = await sent(stage, txid)
    await stage.reported(transfer_id, txid)
    await detect(stage, deposit_id, txid)
    await confirm(stage, deposit_id)
    allowed = await stage.south.verdict(deposit_id, "allow", "MATCHED")
    await stage.south.send("deposits", "deposit.retracted.v1", deposit_id, {"depositId": deposit_id})
    await stage.south.verdict(deposit_id, "deny", "RETRACTED", after=allowed.data["sequence"])
    await stage.south.expect("alert", lambda seen: seen.topic == "alerts" and seen.key == deposit_id)


@scenario("batch withdrawal of three")
async def batch_of_three(stage: DemoStage) -> None:
    """One transaction with three outputs to one address: each deposit finds its own exchange."""
    txid, amounts = new_txid(), ("11.5", "12.5", "13.5")
    deposits = {f"d-{uuid4()}": (amount, str(vout)) for vout, amount in enumerate(amounts)}
    transfers = {amount: await sent(stage, txid, amount, vout) for amount, vout in deposits.values()}
    for deposit_id, (amount, vout) in deposits.items():
        await detect(stage, deposit_id, txid, amount, vout)
        await confirm(stage, deposit_id)
    for deposit_id, (amount, _) in deposits.items():
        verdict = await stage.south.verdict(deposit_id, "allow", "MATCHED")
        must(verdict.data.get("transferId") == transfers[amount], "a deposit was matched to another one's exchange")


@scenario("VASP found by wallet search")
async def found_by_wallet_search(stage: DemoStage) -> None:
    """Only the address is given: south is found, confirmed and sent the authorization."""
    withdrawal_id = str(uuid4())
    data = withdrawal(withdrawal_id)
    data["destination"] = {"kind": "unknown", "address": ADDRESS, "tag": TAG}
    await stage.north.send("withdrawals", "withdrawal.requested.v1", withdrawal_id, data)
    found = await stage.north.verdict(withdrawal_id, "hold", "COUNTERPARTY_FOUND")
    must(found.data.get("counterparty") == "south", "another VASP was found")
    confirmed = {"kind": "vasp", "vaspEntityId": "south", "address": ADDRESS, "tag": TAG}
    amendment = {"withdrawalId": withdrawal_id, "destination": confirmed, "beneficiary": ERIK}
    await stage.north.send("withdrawals", "withdrawal.amended.v1", withdrawal_id, amendment)
    await stage.north.verdict(withdrawal_id, "allow", "VERIFIED")
