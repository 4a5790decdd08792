"""Which assets may arrive: what the registered wallet takes, then ``[assets]``; the hub's table has no say."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.gateway_scene import BTC, XRP, GatewayScene, beneficiary, transfer
from travelrule.policy.sections import Asset

TAGGED = f"{XRP}:77001"
OPEN: dict[str, Asset] = {}
LISTED = {"BTC": Asset(networks=("BTC",)), "XRP": Asset(), "ZZZ": Asset()}


@pytest.mark.parametrize(
    ("assets", "number", "currency", "network", "reason"),
    [
        (OPEN, BTC, "BTC", None, ""),
        (OPEN, BTC, "btc", "btc", ""),
        (OPEN, BTC, "ZZZ", None, "NOT_SUPPORTED_SYMBOL"),
        (OPEN, BTC, "XRP", None, "NOT_SUPPORTED_SYMBOL"),  # another customer's wallet takes it, this one does not
        (OPEN, TAGGED, "XRP", "xrp", ""),
        (OPEN, TAGGED, "XRP", "DOGE", "NOT_SUPPORTED_SYMBOL"),
        (OPEN, "nowhere", "BTC", None, "NOT_FOUND_ADDRESS"),
        (OPEN, "nowhere", "ZZZ", None, "NOT_FOUND_ADDRESS"),  # of nobody's wallet nothing is known
        (OPEN, XRP, "XRP", None, "NOT_FOUND_ADDRESS"),
        (LISTED, BTC, "BTC", None, ""),
        (LISTED, BTC, "BTC", "DOGE", "NOT_SUPPORTED_SYMBOL"),
        (LISTED, BTC, "ZZZ", None, "NOT_FOUND_ADDRESS"),  # we serve it, but not there
        (LISTED, BTC, "QQQ", None, "NOT_SUPPORTED_SYMBOL"),
        (LISTED, "nowhere", "QQQ", None, "NOT_SUPPORTED_SYMBOL"),
        (LISTED, "nowhere", "BTC", None, "NOT_FOUND_ADDRESS"),
    ],
)
async def test_the_wallet_decides_then_the_policy(
    scene: GatewayScene, assets: Any, number: str, currency: str, network: str | None, reason: str
) -> None:
    scene.rules(assets=assets)
    searched = await scene.verify(beneficiary(number), currency=currency, network=network)
    assert (searched["result"], searched["reasonType"]) == ("invalid" if reason else "valid", reason)
    asked = (await scene.authorize(transfer(to=number), currency=currency, network=network)).json()
    assert (asked["result"], asked["reasonType"]) == ("denied" if reason else "verified", reason)


async def test_an_address_that_is_not_ours_hides_no_symbol_of_another(scene: GatewayScene) -> None:
    answer = await scene.verify(beneficiary(BTC, "nowhere"), currency="ZZZ")
    assert answer["reasonType"] == "NOT_FOUND_ADDRESS"
