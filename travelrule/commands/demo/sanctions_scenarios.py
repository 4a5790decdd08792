"""The scenarios of the sanctions lists: a listed person and a listed address."""

from __future__ import annotations

from uuid import uuid4

from travelrule.commands.demo.lists import LISTED_ADDRESS, LISTED_OWNER
from travelrule.commands.demo.scenarios import LISTED_TAG, DemoStage, must, scenario, withdrawal


@scenario("sanctioned owner")
async def sanctioned_owner(stage: DemoStage) -> None:
    """South's list names the owner of south's wallet: south refuses, so north denies."""
    withdrawal_id = str(uuid4())
    data = withdrawal(withdrawal_id, LISTED_OWNER)
    data["destination"]["tag"] = LISTED_TAG
    await stage.north.send("withdrawals", "withdrawal.requested.v1", withdrawal_id, data)
    await stage.north.verdict(withdrawal_id, "deny", "DENIED_SANCTION_LIST")
    await stage.north.expect(
        "alert", lambda seen: seen.topic == "alerts" and seen.data["code"] == "COUNTERPARTY_SANCTION_LIST"
    )


@scenario("sanctioned address")
async def sanctioned_address(stage: DemoStage) -> None:
    """North's list names the address: denied before anything is sent."""
    withdrawal_id = str(uuid4())
    await stage.request(withdrawal_id, address=LISTED_ADDRESS)
    denied = await stage.north.verdict(withdrawal_id, "deny", "SANCTIONED")
    must(denied.data["final"], "a sanctions hit is final")
    must("transferId" not in denied.data, "the counterparty was asked about a sanctioned address")
    await stage.north.expect("alert", lambda seen: seen.topic == "alerts" and seen.data["code"] == "SANCTIONS_HIT")
