"""M6 (member-api.md section 7): yes or no, over everything we ever sent, for any requester, within the second."""

from __future__ import annotations

import asyncio

import pytest

from tests.support.gateway_ports import TXID, Sent
from tests.support.gateway_scene import BTC, OTHER, XRP, GatewayScene, key, without
from travelrule.exchange.originator.state import WithdrawalState

EVM = "0x52908400098527886E0F7030069857D2E4169EE7"
BCH = "bitcoincash:qpm2qsznhks23z7629mms6s5cwef74vcwvy22gdx6a"


async def asked(scene: GatewayScene, **fields: object) -> str:
    answer = await scene.search(**fields)
    assert answer.status_code == 200, answer.text
    assert set(answer.json()) == {"result"}
    return str(answer.json()["result"])


async def test_sent_and_not_sent(scene: GatewayScene) -> None:
    scene.sent()
    assert await asked(scene) == "valid"
    assert await asked(scene, txid="ab" * 32) == "invalid"
    assert await asked(scene, beneficiaryAddress=BTC) == "invalid"
    assert scene.intake.items == []


@pytest.mark.parametrize(
    ("stored", "sent"), [(TXID, TXID.lower()), (TXID, "0x" + TXID), ("0x" + TXID.lower(), TXID), (TXID, "0X" + TXID)]
)
async def test_txids_are_compared_without_case_and_prefix(scene: GatewayScene, stored: str, sent: str) -> None:
    scene.sent(stored)
    assert await asked(scene, txid=sent) == "valid"


@pytest.mark.parametrize(
    ("address", "tag", "sent", "result"),
    [
        (XRP, "77001", f"{XRP}:77001", "valid"),
        # The address is shared: without the tag, or with another one, it is somebody else's.
        (XRP, "77001", XRP, "invalid"),
        (XRP, "77001", f"{XRP}:77002", "invalid"),
        (XRP, "77001", f"{XRP}:", "invalid"),
        (f"{XRP}:77001", None, f"{XRP}:77001", "valid"),
        (f"{XRP}:77001", None, f"{XRP}:77002", "invalid"),
        # No tag of ours: an appended one is ignored.
        (BTC, None, f"{BTC}:123", "valid"),
        (BTC, None, BTC.lower(), "invalid"),
        (EVM, None, EVM.lower(), "valid"),
        (BCH, None, BCH.removeprefix("bitcoincash:"), "valid"),
        (BCH.removeprefix("bitcoincash:"), None, BCH, "valid"),
        (BCH, None, f"{BCH}:7", "valid"),
    ],
)
async def test_addresses_and_tags(scene: GatewayScene, address: str, tag: str | None, sent: str, result: str) -> None:
    scene.sent(destination={"kind": "unknown", "address": address, "tag": tag})
    assert await asked(scene, beneficiaryAddress=sent) == result


async def test_every_currency_is_searched_whatever_the_request_says(scene: GatewayScene) -> None:
    """No currency belongs to the question; one that comes along excludes nothing."""
    scene.sent(currency="USDT", destination={"kind": "unknown", "address": EVM})
    assert await asked(scene, beneficiaryAddress=EVM, currency="ETH", network="ETH") == "valid"


async def test_outputs_of_one_transaction(scene: GatewayScene) -> None:
    scene.sent(vout="0", destination={"kind": "unknown", "address": BTC})
    scene.sent(vout="1")
    assert await asked(scene, beneficiaryAddress=BTC) == "valid"
    assert await asked(scene) == "valid"
    assert await asked(scene, beneficiaryAddress=EVM) == "invalid"


async def test_withdrawals_with_an_exchange_and_recorded_ones(scene: GatewayScene) -> None:
    scene.sent()
    (one,) = scene.reads.withdrawals
    state = one.state
    for recorded in (True, False):
        scene.reads.withdrawals = [
            Sent(WithdrawalState(state.withdrawal_id, "", state.request, recorded, chain="final", txid=TXID))
        ]
        assert await asked(scene) == "valid"


async def test_an_erased_withdrawal_was_still_sent(scene: GatewayScene) -> None:
    scene.sent(erased=True)
    assert await asked(scene) == "valid"
    assert await asked(scene, beneficiaryAddress=BTC) == "invalid"


async def test_outsiders_are_refused_and_the_hub_never(scene: GatewayScene) -> None:
    scene.sent()
    scene.rules(deny_list=("north", "codevasp"))
    answer = await scene.search()
    assert (answer.status_code, answer.json()["errorType"]) == (503, "UNACCEPTABLE_REQUEST")
    nobody = {**without("X-Code-Req-PubKey"), "X-Request-Origin": "code:nobody"}
    assert (await scene.search(nobody)).json()["errorType"] == "UNACCEPTABLE_REQUEST"
    for headers in (without("X-Code-Req-PubKey"), {**without(""), "X-Code-Req-PubKey": OTHER.public_base64}):
        hub = {**headers, "X-Request-Origin": "code:codevasp"}
        assert (await scene.search(hub)).json() == {"result": "valid"}


async def test_a_key_that_is_not_the_senders(scene: GatewayScene) -> None:
    scene.current["north"] = (key(OTHER, days=-1),)
    answer = await scene.search({**without(""), "X-Code-Req-PubKey": OTHER.public_base64})
    assert answer.json()["errorType"] == "INVALID_HEADER_SIGNATURE"


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"txid": ""}, "MISSING_REQUIRED_MSG_FIELD"),
        ({"txid": None}, "MISSING_REQUIRED_MSG_FIELD"),
        ({"beneficiaryAddress": ""}, "MISSING_REQUIRED_MSG_FIELD"),
        ({"txid": 7}, "INVALID_MSG_FIELD_VALUE"),
        ({"txid": "a b"}, "INVALID_MSG_FIELD_VALUE"),
        ({"txid": "x" * 201}, "INVALID_MSG_FIELD_VALUE"),
        ({"txid": "a\x00b"}, "INVALID_MSG_FIELD_VALUE"),
        ({"beneficiaryAddress": [XRP]}, "INVALID_MSG_FIELD_VALUE"),
    ],
)
async def test_bad_fields(scene: GatewayScene, fields: dict[str, object], code: str) -> None:
    answer = await scene.search(**fields)
    assert (answer.status_code, answer.json()["errorType"]) == (503, code)
    assert (await scene.search({})).json()["errorType"] == "MISSING_HEADER_FIELD"


async def test_late_is_503(scene: GatewayScene) -> None:
    """``invalid`` must not be answered for what was not examined (member-api.md section 1)."""
    scene.sent()
    scene.reads.gate = asyncio.Event()
    scene.open(verify_deadline_s=0.05)
    answer = await scene.search()
    assert (answer.status_code, answer.json()["errorType"]) == (503, "VASP_BACKEND_INTERNAL_ERROR")
    scene.reads.gate = None
    scene.open()
    assert await asked(scene) == "valid"


async def test_questions_of_one_moment_share_queries_and_get_their_own_answers(scene: GatewayScene) -> None:
    scene.sent()
    scene.sent(destination={"kind": "unknown", "address": BTC})
    asking = [f"{XRP}:77001", BTC, f"{XRP}:1", BTC, EVM] * 4
    answers = await asyncio.gather(*(asked(scene, beneficiaryAddress=address) for address in asking))
    assert answers == ["valid", "valid", "invalid", "valid", "invalid"] * 4
