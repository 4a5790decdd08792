"""The scenarios: each a sequence of Kafka events with the expected results."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any
from uuid import uuid4

from travelrule.commands.demo.lists import LISTED_OWNER
from travelrule.commands.demo.network import DemoNetwork
from travelrule.commands.demo.platform import DemoPlatform, ScenarioFailedError, SeenEvent
from travelrule.commands.keys import new_seed

ERIK = {"natural": {"lastName": "Lind", "firstName": "Erik"}}
WRONG = {"natural": {"lastName": "Lund", "firstName": "Erika"}}
ANNA = {"natural": {"lastName": "Berg", "firstName": "Anna", "dateOfBirth": "1990-02-03"}}
ADDRESS = "rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY"
TAG = "77001"
LISTED_TAG = "77009"
"""The wallet of the customer on south's list."""

Scenario = Callable[["DemoStage"], Awaitable[None]]
SCENARIOS: dict[str, Scenario] = {}


class DemoStage:
    """What a scenario uses: the network, and the platforms of north and south."""

    def __init__(self, network: DemoNetwork) -> None:
        self.network = network

    @property
    def north(self) -> DemoPlatform:
        """The originating platform."""
        return self.network.platforms["north"]

    @property
    def south(self) -> DemoPlatform:
        """The beneficiary's platform."""
        return self.network.platforms["south"]

    async def request(self, withdrawal_id: str, **changes: Any) -> bytes:
        """Request a withdrawal of 250.5 XRP from Anna at north to Erik at south."""
        return await self.north.send(
            "withdrawals", "withdrawal.requested.v1", withdrawal_id, withdrawal(withdrawal_id, **changes)
        )

    async def broadcast(self, withdrawal_id: str, txid: str) -> None:
        """Report that the transaction was sent."""
        data = {"withdrawalId": withdrawal_id, "txid": txid}
        await self.north.send("txids", "withdrawal.broadcast.v1", withdrawal_id, data)

    async def reported(self, transfer_id: str, txid: str) -> None:
        """Wait until both sides have the reported txid."""
        await self.north.exchange(transfer_id, "processing", txid=txid)
        await self.south.exchange(transfer_id, "confirmed", txid=txid)


def withdrawal(withdrawal_id: str, beneficiary: dict[str, Any] = ERIK, address: str = ADDRESS) -> dict[str, Any]:
    """The data of a withdrawal event."""
    return {
        "withdrawalId": withdrawal_id,
        "currency": "XRP",
        "network": "XRP",
        "amount": "250.5",
        "tradePrice": "150.30",
        "tradeCurrency": "USD",
        "isExceedingThreshold": True,
        "destination": {"kind": "vasp", "vaspEntityId": "south", "address": address, "tag": TAG},
        "originator": {"customerId": "c-1001", "walletAddress": "rEb8TK3gBgk5auZkwc6sHnwrGVJH8DuaLh:1001", **ANNA},
        "beneficiary": beneficiary,
    }


def new_txid() -> str:
    """A transaction id in the node's format."""
    return (uuid4().hex + uuid4().hex).upper()


def scenario(title: str) -> Callable[[Scenario], Scenario]:
    """Add a scenario under its title."""

    def add(story: Scenario) -> Scenario:
        SCENARIOS[title] = story
        return story

    return add


async def register_wallets(stage: DemoStage) -> None:
    """Register the deposit addresses of south's customers."""
    for wallet_id, tag, owner in (("wallet-erik", TAG, ERIK), ("wallet-listed", LISTED_TAG, LISTED_OWNER)):
        data = {
            "walletId": wallet_id,
            "address": ADDRESS,
            "tag": tag,
            "currencies": ["XRP"],
            "networks": ["XRP"],
            "customerId": f"s-{tag}",
            "kyc": True,
            "owner": owner,
        }
        await stage.south.send("wallets", "wallet.registered.v1", wallet_id, data)


@scenario("verified and reported")
async def verified_and_reported(stage: DemoStage) -> None:
    """The usual course: requested, verified, sent, reported."""
    withdrawal_id, txid = str(uuid4()), new_txid()
    await stage.request(withdrawal_id)
    verdict = await stage.north.verdict(withdrawal_id, "allow", "VERIFIED")
    await stage.broadcast(withdrawal_id, txid)
    await stage.reported(verdict.data["transferId"], txid)


@scenario("denied by name, amended, verified")
async def denied_then_amended(stage: DemoStage) -> None:
    """A misspelt beneficiary: held for correction, then verified under a new transferId."""
    withdrawal_id = str(uuid4())
    await stage.request(withdrawal_id, beneficiary=WRONG)
    held = await stage.north.verdict(withdrawal_id, "hold", "DENIED_INPUT_NAME_MISMATCHED")
    must("beneficiary-name" in held.data["needs"], "the hold does not say that it needs the beneficiary's name")
    data = {"withdrawalId": withdrawal_id, "beneficiary": ERIK}
    await stage.north.send("withdrawals", "withdrawal.amended.v1", withdrawal_id, data)
    allowed = await stage.north.verdict(withdrawal_id, "allow", "VERIFIED")
    must(allowed.data["transferId"] != held.data["transferId"], "the new attempt used the old transferId")


@scenario("address unknown")
async def address_unknown(stage: DemoStage) -> None:
    """An address that is not south's: denied before any personal data is sent."""
    withdrawal_id = str(uuid4())
    await stage.request(withdrawal_id, address="rLHzPsX6oXkzU2qL12kHCH8G8cnZv1rBJh")
    await stage.north.verdict(withdrawal_id, "deny", "ADDRESS_NOT_FOUND")


@scenario("counterparty down, then back")
async def counterparty_down(stage: DemoStage) -> None:
    """South is down: held, and allowed automatically when south is up again."""
    network, withdrawal_id = stage.network, str(uuid4())
    await network.stop_vasp(network.south)
    await network.until_up("south", up=False)
    await stage.request(withdrawal_id)
    await stage.north.verdict(withdrawal_id, "hold", "COUNTERPARTY_UNREACHABLE")
    await network.start_vasp(network.south)
    await network.until_up("south")
    await stage.north.verdict(withdrawal_id, "allow", "VERIFIED")


@scenario("platform cancels after verified")
async def cancelled_after_verified(stage: DemoStage) -> None:
    """The customer cancels: the exchange is finished, so that south does not wait indefinitely."""
    withdrawal_id = str(uuid4())
    await stage.request(withdrawal_id)
    allowed = await stage.north.verdict(withdrawal_id, "allow", "VERIFIED")
    data = {"withdrawalId": withdrawal_id, "reason": "UNKNOWN"}
    await stage.north.send("withdrawals", "withdrawal.cancelled.v1", withdrawal_id, data)
    await stage.north.verdict(withdrawal_id, "deny", "CANCELLED")
    await stage.south.exchange(allowed.data["transferId"], "canceled")


@scenario("key rotated in flight")
async def key_rotated(stage: DemoStage) -> None:
    """South changes its key: north is refused once, fetches the new key and continues."""
    network, withdrawal_id = stage.network, str(uuid4())
    await network.stop_vasp(network.south)
    network.south.seeds.insert(0, new_seed())
    await network.start_vasp(network.south)
    await network.control("PUT", "/sandbox/members/south", network.member(network.south))
    await network.until_up("south")
    await stage.request(withdrawal_id)
    await stage.north.verdict(withdrawal_id, "allow", "VERIFIED")


@scenario("the same event three times")
async def three_times(stage: DemoStage) -> None:
    """Delivered three times, processed once."""
    withdrawal_id = str(uuid4())
    value = await stage.request(withdrawal_id)
    await stage.north.send_bytes("withdrawals", withdrawal_id, value)
    await stage.north.send_bytes("withdrawals", withdrawal_id, value)
    verdict = await stage.north.verdict(withdrawal_id, "allow", "VERIFIED")
    journal = await stage.network.control("GET", f"/sandbox/journal?transferId={verdict.data['transferId']}")
    calls = [entry for entry in journal["entries"] if entry["operation"] == "transfer-authorization"]
    asked = [entry for entry in calls if entry.get("from") == "north"]
    must(len(asked) == 1, f"south was asked {len(asked)} times")
    must(stage.north.count("verdicts", withdrawal_id) == 1, "there is more than one verdict")


@scenario("txid before the request")
async def txid_first(stage: DemoStage) -> None:
    """There is no order between topics: the txid waits for its withdrawal."""
    withdrawal_id, txid = str(uuid4()), new_txid()
    await stage.broadcast(withdrawal_id, txid)
    await stage.request(withdrawal_id)
    verdict = await stage.north.verdict(withdrawal_id, "allow", "VERIFIED")
    await stage.reported(verdict.data["transferId"], txid)


@scenario("nonsense bytes")
async def nonsense(stage: DemoStage) -> None:
    """Bytes that are not an event become a dead letter; the records behind them are processed."""
    key, withdrawal_id = f"nonsense-{uuid4()}", str(uuid4())
    await stage.north.send_bytes("withdrawals", key, b"\xff\x00 no event \xfe")
    await stage.request(withdrawal_id)

    def refused(seen: SeenEvent) -> bool:
        return seen.topic == "deadletters" and seen.key == key and bool(seen.headers.get("travelrule.error.code"))

    await stage.north.expect("dead letter", refused)
    await stage.north.verdict(withdrawal_id, "allow", "VERIFIED")


def must(fact: bool, reason: str) -> None:  # noqa: FBT001 - a fact is a boolean
    """Fail the scenario for this reason unless the fact holds."""
    if not fact:
        raise ScenarioFailedError(reason)
