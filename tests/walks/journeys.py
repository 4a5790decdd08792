"""The three walks, played on SQLite with the sandbox as hub and counterparty."""

from __future__ import annotations

import asyncio
from pathlib import Path

from schemas.events.deposits import DepositConfirmed, DepositDetected
from schemas.events.txids import WithdrawalMined, WithdrawalSettled
from schemas.events.wallets import WalletRegistered
from tests.contract.gateway.test_owners import Owned
from tests.support.gateway_installation import GatewayInstallation
from tests.support.installation import ADDRESS, TXID, TYPES, EngineInstallation, robot
from tests.walks.recorder import Recorder, Step
from travelrule.crypto.at_rest import KeyEncryptionKeys
from travelrule.crypto.blind_index import BlindIndex
from travelrule.engine.messages.message_dispatcher import MessageDispatcher
from travelrule.engine.vault import Vault
from travelrule.store import schema_version
from travelrule.store.database import Database
from travelrule.store.leases import LeaseRepository

TYPES.setdefault("DepositConfirmed", "deposit.confirmed.v1")
ERIK = {"natural": {"lastName": "Lind", "firstName": "Erik", "dateOfBirth": "1990-02-03"}}
ANNA = {"natural": {"lastName": "Berg", "firstName": "Anna", "dateOfBirth": "1980-05-06"}}
SENT = {
    "txid": TXID,
    "currency": "XRP",
    "network": "XRP",
    "amount": "250.50",
    "tradePrice": "150.30",
    "tradeCurrency": "USD",
    "address": f"{ADDRESS}:77001",
    "accountNumber": "rOWN:1001",
    "originator": ANNA,
    "beneficiary": ERIK,
}
DEPOSIT = {
    "depositId": "d-1",
    "currency": "XRP",
    "network": "XRP",
    "amount": "250.50",
    "tradePrice": "150.30",
    "tradeCurrency": "USD",
    "txid": TXID,
    "address": ADDRESS,
    "tag": "77001",
}
WALLET = {
    "walletId": "wallet-1",
    "address": ADDRESS,
    "tag": "77001",
    "currencies": ["XRP"],
    "networks": ["XRP"],
    "customerId": "c-1",
    "kyc": True,
    "owner": ERIK,
}
POLLS = 3
POLL_SECONDS = 11


def _vault() -> Vault:
    return Vault("north", KeyEncryptionKeys(["a2tra2tra2tra2tra2tra2tra2tra2tra2tra2tra2s="]), BlindIndex(b"i" * 32))


async def withdrawal(database: Database) -> list[Step]:
    """A withdrawal to a listed VASP, from the request to finality."""
    north = EngineInstallation(database, _vault(), [robot()])
    await north.listing()
    recorder = Recorder()
    with recorder.recording():
        await north.withdraw()
        await north.calls_all()
        await north.send()
        await north.calls_all()
        await north.tell(WithdrawalMined(withdrawal_id="w-1"), "withdrawal:w-1")
        await north.tell(WithdrawalSettled(withdrawal_id="w-1", outcome="confirmed"), "withdrawal:w-1")
        await north.calls_all()
    assert await north.verdicts() == [("allow", "VERIFIED")]
    return recorder.steps


async def inbound_authorization(database: Database) -> list[Step]:
    """M2: another VASP announces a transfer to a customer whose wallet is registered and screened."""
    house = GatewayInstallation(database)
    await house.list_north()
    owned = Owned(house)
    await owned.put("Ivan Przyklad")
    await owned.register()
    await owned.screening.round()
    recorder = Recorder()
    with recorder.recording():
        answer = await owned.authorize("t-1")
    assert answer == ("verified", "")
    return recorder.steps


async def anonymous_deposit(database: Database) -> list[Step]:
    """A deposit that no transfer announced: its originator is searched for and asked for the data."""
    vault = _vault()
    north = EngineInstallation(database, vault, [robot(withdrawals=[SENT])])
    await north.listing()
    await north.tell(WalletRegistered.model_validate(WALLET), "wallet:wallet-1")
    leases = LeaseRepository(database, "north", "p1", north.clock)
    messages = MessageDispatcher(database, "north", vault, leases, north.submit_all, asyncio.Event())

    async def settle() -> None:
        while await messages.round() + await north.call():
            pass

    recorder = Recorder()
    with recorder.recording():
        await north.tell(DepositDetected.model_validate(DEPOSIT), "deposit:d-1")
        await settle()
        for _ in range(POLLS):
            north.clock.forward(POLL_SECONDS)
            await settle()
        confirmed = DepositConfirmed.model_validate({"depositId": "d-1", "confirmation": "final"})
        await north.tell(confirmed, "deposit:d-1")
        await settle()
    assert (await north.verdicts())[-1] == ("allow", "DATA_RECEIVED")
    return recorder.steps


WALKS = {
    "A withdrawal": withdrawal,
    "An inbound authorization": inbound_authorization,
    "An anonymous deposit": anonymous_deposit,
}


async def steps_of(title: str, folder: Path) -> list[Step]:
    """Play one walk on a database of its own."""
    database = Database(f"sqlite+aiosqlite:///{folder / 'walk.sqlite3'}")
    await schema_version.upgrade(database)
    try:
        return await WALKS[title](database)
    finally:
        await database.dispose()
