"""The widget of unhosted wallets in a real browser, on a page of another site (hub-api.md section 7, "Widget")."""

from __future__ import annotations

from asyncio import to_thread as do
from collections.abc import AsyncIterator

import pytest

from tests.contract.hub.widget_page import WidgetPage
from tests.contract.hub.widget_scene import ADDRESS, CUSTOMER, STRANGER, Scene, widget_scene
from tests.services import Chromium

pytestmark = pytest.mark.services

DAY = 86_400
VERIFIED = "The wallet is verified."
CANCELLED = "Cancelled: you can sign again."
REFUSED = "This signature does not prove the wallet: sign with its own key."
USED = "This token was used already: start a new session."
ENDED = "This session has ended or is not known: start a new one."
FOREIGN = "This page is not the one that the session is for."


@pytest.fixture
async def scene() -> AsyncIterator[Scene]:
    async with widget_scene() as made:
        yield made


@pytest.fixture
def page(chromium: Chromium) -> WidgetPage:
    chromium.console()  # what another test left
    return WidgetPage(chromium)


async def test_a_click_proves_the_wallet_and_leaves_nothing_personal_in_addresses(
    scene: Scene, page: WidgetPage
) -> None:
    session_id = await scene.begin()
    await do(page.open, f"{scene.url}/withdraw")
    message = await do(page.text, "message")
    assert ADDRESS.lower() in message.lower()
    await do(page.click, "test-wallet")
    await do(page.says, VERIFIED)
    assert not await do(page.has, "message")
    result = await scene.result(session_id)
    assert (result.status, result.signed_message, result.address) == ("VERIFIED", message, ADDRESS)
    detail = {"id": session_id, "status": "VERIFIED", "flow": "SIGNATURE_PROOF"}
    detail |= {"address": ADDRESS, "asset": "USDT", "blockchain": "ETH"}
    assert await do(page.told) == [{"name": "verification-complete", **detail}]
    assert await do(page.console) == []
    addresses = [await do(page.run, "return location.href"), *scene.asked()]
    assert f"{scene.hub_url}/widget/proof" in addresses
    assert result.signature
    for secret in (ADDRESS, CUSTOMER, scene.platform.token, result.signature, message):
        assert not [address for address in addresses if secret.lower() in address.lower()]


async def test_a_used_token_is_told_and_the_proof_stays_open(scene: Scene, page: WidgetPage) -> None:
    session_id = await scene.begin()
    await do(page.open, f"{scene.url}/withdraw")
    await do(page.text, "message")
    await do(page.open, f"{scene.url}/withdraw")
    await do(page.says, USED)
    (event,) = await do(page.told)
    assert (event["name"], event["errorCode"]) == ("verification-error", "GENERAL_API_ERROR")
    assert not await do(page.has, "test-wallet")
    assert await scene.status(session_id) == "PENDING"


async def test_what_ended_is_told_before_and_after_it_was_opened(scene: Scene, page: WidgetPage) -> None:
    session_id = await scene.begin()
    await do(page.open, f"{scene.url}/withdraw")
    await do(page.text, "message")
    scene.clock.forward(DAY)
    await do(page.click, "test-wallet")
    await do(page.says, ENDED)
    await do(page.open, f"{scene.url}/withdraw")
    await do(page.says, ENDED)
    assert await scene.status(session_id) == "EXPIRED"


async def test_a_page_of_another_origin_is_refused_and_the_right_one_still_served(
    scene: Scene, page: WidgetPage
) -> None:
    session_id = await scene.begin()
    await do(page.open, f"{scene.url.replace('127.0.0.1', 'localhost')}/withdraw")
    await do(page.says, FOREIGN)
    assert not await do(page.has, "test-wallet")
    assert await scene.status(session_id) == "PENDING"
    await do(page.open, f"{scene.url}/withdraw")
    await do(page.click, "test-wallet")
    await do(page.says, VERIFIED)


async def test_a_wrong_signature_and_a_cancel_can_be_mended(scene: Scene, page: WidgetPage) -> None:
    session_id = await scene.begin()
    await do(page.open, f"{scene.url}/withdraw")
    await do(page.click, "check")
    await do(page.says, "Paste the signature first.")
    await do(page.type, "signature", "0x" + "11" * 65)
    await do(page.click, "check")
    await do(page.says, REFUSED)
    await do(page.click, "cancel")
    await do(page.says, CANCELLED)
    assert [event["errorCode"] for event in await do(page.told)] == [
        "GENERAL_API_ERROR",
        "CRYPTOGRAPHIC_SIGNATURE_FLOW_ERROR",
    ]
    assert await scene.status(session_id) == "PENDING"
    await do(page.click, "test-wallet")
    await do(page.says, VERIFIED)


async def test_the_wallet_of_the_browser_signs_or_refuses(scene: Scene, page: WidgetPage) -> None:
    scene.platform.wallet, scene.platform.wallet_signs = True, False
    session_id = await scene.begin()
    await do(page.open, f"{scene.url}/withdraw")
    await do(page.click, "browser-wallet")
    await do(page.says, CANCELLED)
    scene.platform.wallet_signs = True
    await do(page.click, "browser-wallet")
    await do(page.says, VERIFIED)
    assert await scene.status(session_id) == "VERIFIED"


async def test_a_strangers_wallet_is_not_proven_and_a_narrow_page_shows_why(scene: Scene, page: WidgetPage) -> None:
    session_id = await scene.begin(STRANGER)
    await do(page.open, f"{scene.url}/withdraw", width=360)
    await do(page.click, "test-wallet")
    await do(page.says, REFUSED)
    assert await do(page.in_view, "state")
    assert await scene.status(session_id) == "PENDING"
    assert await do(page.overhang) == 0


async def test_the_page_of_the_hub_takes_the_token_out_of_its_address(scene: Scene, page: WidgetPage) -> None:
    session_id = await scene.begin()
    await do(page.open, f"{scene.hub_url}/widget#token={scene.platform.token}", width=360)
    await do(page.click, "test-wallet")
    await do(page.says, VERIFIED)
    assert await scene.status(session_id) == "VERIFIED"
    assert await do(page.run, "return location.href") == f"{scene.hub_url}/widget"
    assert await do(page.overhang) == 0
    assert await do(page.console) == []
