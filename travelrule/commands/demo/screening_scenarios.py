"""The scenarios of risk: rated wallets and transactions, and wallets whose ownership must be proved."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from travelrule.commands.demo.deposit_scenarios import confirm, detect, sent
from travelrule.commands.demo.platform import DemoPlatform, SeenEvent
from travelrule.commands.demo.risks import BLACK_WALLET, SLOW_TXID, SUSPICIOUS_TXID
from travelrule.commands.demo.scenarios import DemoStage, must, scenario, withdrawal
from travelrule.sandbox.world.sandbox_wallet import SandboxWallet

CHAIN, ASSET = "ETH", "USDT"
SITE = "https://app.north.example:443"
"""The page of north's platform that shows the widget."""


@scenario("malicious wallet")
async def malicious_wallet(stage: DemoStage) -> None:
    """The destination is a phisher's: denied before any data about Anna or Erik is sent."""
    withdrawal_id, request_id = str(uuid4()), f"s-{uuid4()}"
    await stage.request(withdrawal_id, address=BLACK_WALLET)
    denied = await stage.north.verdict(withdrawal_id, "deny", "RISK_MALICIOUS")
    must(not denied.data.get("transferId"), "the counterparty was asked all the same")
    data = {"requestId": request_id, "kind": "wallet", "chain": "XRP", "address": BLACK_WALLET}
    await stage.north.send("screenings", "screening.requested.v1", request_id, data)
    await stage.north.verdict(request_id, "malicious", "RISK_MALICIOUS")


@scenario("suspicious deposit held and decided by an operator")
async def suspicious_deposit(stage: DemoStage) -> None:
    """The report names a mixer: held until an operator decides."""
    deposit_id = f"d-{uuid4()}"
    await stage.reported(await sent(stage, SUSPICIOUS_TXID), SUSPICIOUS_TXID)
    await detect(stage, deposit_id, SUSPICIOUS_TXID)
    await confirm(stage, deposit_id)
    held = await stage.south.verdict(deposit_id, "hold", "RISK_SUSPICIOUS")
    must("operator-decision" in held.data["needs"], "the hold does not say that an operator must decide")
    await _kyt_result(stage.south, deposit_id, "suspicious")
    data = {
        "subject": f"deposit:{deposit_id}",
        "decision": "allow",
        "actor": "operator-1",
        "reason": "the customer explained the mixer",
    }
    await stage.south.send("decisions", "decision.recorded.v1", deposit_id, data)
    await stage.south.verdict(deposit_id, "allow", "OPERATOR")


@scenario("KYT pending then clean")
async def kyt_pending(stage: DemoStage) -> None:
    """A slow analysis: held while it runs, and allowed automatically when the result is clean."""
    deposit_id = f"d-{uuid4()}"
    await stage.reported(await sent(stage, SLOW_TXID), SLOW_TXID)
    await detect(stage, deposit_id, SLOW_TXID)
    await confirm(stage, deposit_id)
    await stage.south.verdict(deposit_id, "hold", "RISK_PENDING")
    await stage.south.verdict(deposit_id, "allow", "MATCHED")
    await _kyt_result(stage.south, deposit_id, "clean")


@scenario("unhosted wallet proven")
async def unhosted_proven(stage: DemoStage) -> None:
    """Anna signs the widget's message with her wallet: allowed. The same proof also works without a withdrawal."""
    withdrawal_id, request_id = str(uuid4()), f"o-{uuid4()}"
    await _withdraw_unhosted(stage, withdrawal_id)
    await stage.north.verdict(withdrawal_id, "hold", "OWNERSHIP_PENDING")
    await prove(stage, withdrawal_id)
    await stage.north.verdict(withdrawal_id, "allow", "OWNERSHIP_PROVEN")
    data = {
        "requestId": request_id,
        "blockchain": CHAIN,
        "asset": ASSET,
        "address": _wallet(),
        "customerId": "c-1001",
        "widgetOrigin": SITE,
    }
    await stage.north.send("screenings", "ownership.requested.v1", request_id, data)
    await prove(stage, request_id)
    await stage.north.verdict(request_id, "allow", "OWNERSHIP_PROVEN")


@scenario("unhosted wallet not proven in time")
async def unhosted_not_proven(stage: DemoStage) -> None:
    """No signature: denied after the time limit."""
    withdrawal_id = str(uuid4())
    await _withdraw_unhosted(stage, withdrawal_id)
    await _session(stage.north, withdrawal_id)
    await stage.north.verdict(withdrawal_id, "deny", "OWNERSHIP_NOT_PROVEN")


async def _withdraw_unhosted(stage: DemoStage, withdrawal_id: str) -> None:
    destination = {
        "kind": "unhosted",
        "address": _wallet(),
        "blockchain": CHAIN,
        "asset": ASSET,
        "widgetOrigin": SITE,
    }
    data = {**withdrawal(withdrawal_id), "currency": ASSET, "network": CHAIN, "destination": destination}
    await stage.north.send("withdrawals", "withdrawal.requested.v1", withdrawal_id, data)


async def _session(platform: DemoPlatform, key: str) -> dict[str, Any]:
    def opened(seen: SeenEvent) -> bool:
        return seen.type == "ownership.session.v1" and seen.key == key

    return (await platform.expect("session for a proof", opened)).data


async def prove(stage: DemoStage, key: str) -> None:
    """Simulate Anna's browser: open the session, have the message signed, submit the signature."""
    session = await _session(stage.north, key)
    opened = await stage.network.control("POST", "/widget/session", {"token": session["token"]})
    signed = await stage.network.control("POST", "/widget/test-wallet", {"key": opened["key"]})
    await stage.network.control("POST", "/widget/proof", {"key": opened["key"], **signed})

    def checked(seen: SeenEvent) -> bool:
        return seen.type == "ownership.result.v1" and seen.key == key and seen.data["checkedByUs"] is True

    await stage.north.expect("result of a proof that we checked ourselves", checked)


async def _kyt_result(platform: DemoPlatform, deposit_id: str, risk: str) -> None:
    def told(seen: SeenEvent) -> bool:
        return seen.type == "kyt.result.v1" and seen.key == deposit_id and seen.data.get("risk") == risk

    await platform.expect(f"KYT result {risk}", told)


def _wallet() -> str:
    """The address of the wallet that the sandbox signs with."""
    return SandboxWallet().addresses()[CHAIN]
