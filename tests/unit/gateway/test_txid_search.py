"""M6 (member-api.md section 7): yes or no, over everything we ever sent, whoever asks, within the second."""

from __future__ import annotations

import asyncio

import pytest

from travelrule.exchange.originator.state import WithdrawalState

from .conftest import BTC, OTHER, XRP, World, key, without
from .fakes import TXID, Sent

EVM = "0x52908400098527886E0F7030069857D2E4169EE7"
BCH = "bitcoincash:qpm2qsznhks23z7629mms6s5cwef74vcwvy22gdx6a"


async def asked(world: World, **fields: object) -> str:
    answer = await world.search(**fields)
    assert answer.status_code == 200, answer.text
    assert set(answer.json()) == {"result"}
    return str(answer.json()["result"])


async def test_sent_and_not_sent(world: World) -> None:
    world.sent()
    assert await asked(world) == "valid"
    assert await asked(world, txid="ab" * 32) == "invalid"
    assert await asked(world, beneficiaryAddress=BTC) == "invalid"
    assert world.intake.items == []


@pytest.mark.parametrize(
    ("stored", "sent"), [(TXID, TXID.lower()), (TXID, "0x" + TXID), ("0x" + TXID.lower(), TXID), (TXID, "0X" + TXID)]
)
async def test_txids_are_compared_without_case_and_prefix(world: World, stored: str, sent: str) -> None:
    world.sent(stored)
    assert await asked(world, txid=sent) == "valid"


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
async def test_addresses_and_tags(world: World, address: str, tag: str | None, sent: str, result: str) -> None:
    world.sent(destination={"kind": "unknown", "address": address, "tag": tag})
    assert await asked(world, beneficiaryAddress=sent) == result


async def test_every_currency_is_searched_whatever_the_request_says(world: World) -> None:
    """No currency belongs to the question; one that comes along excludes nothing."""
    world.sent(currency="USDT", destination={"kind": "unknown", "address": EVM})
    assert await asked(world, beneficiaryAddress=EVM, currency="ETH", network="ETH") == "valid"


async def test_outputs_of_one_transaction(world: World) -> None:
    world.sent(vout="0", destination={"kind": "unknown", "address": BTC})
    world.sent(vout="1")
    assert await asked(world, beneficiaryAddress=BTC) == "valid"
    assert await asked(world) == "valid"
    assert await asked(world, beneficiaryAddress=EVM) == "invalid"


async def test_withdrawals_with_an_exchange_and_recorded_ones(world: World) -> None:
    world.sent()
    (one,) = world.reads.withdrawals
    state = one.state
    for recorded in (True, False):
        world.reads.withdrawals = [
            Sent(WithdrawalState(state.withdrawal_id, "", state.request, recorded, chain="final", txid=TXID))
        ]
        assert await asked(world) == "valid"


async def test_an_erased_withdrawal_was_still_sent(world: World) -> None:
    world.sent(erased=True)
    assert await asked(world) == "valid"
    assert await asked(world, beneficiaryAddress=BTC) == "invalid"


async def test_outsiders_are_refused_and_the_hub_never(world: World) -> None:
    world.sent()
    world.rules(deny_list=("north", "codevasp"))
    answer = await world.search()
    assert (answer.status_code, answer.json()["errorType"]) == (503, "UNACCEPTABLE_REQUEST")
    nobody = {**without("X-Code-Req-PubKey"), "X-Request-Origin": "code:nobody"}
    assert (await world.search(nobody)).json()["errorType"] == "UNACCEPTABLE_REQUEST"
    for headers in (without("X-Code-Req-PubKey"), {**without(""), "X-Code-Req-PubKey": OTHER.public_base64}):
        hub = {**headers, "X-Request-Origin": "code:codevasp"}
        assert (await world.search(hub)).json() == {"result": "valid"}


async def test_a_key_that_is_not_the_senders(world: World) -> None:
    world.current["north"] = (key(OTHER, days=-1),)
    answer = await world.search({**without(""), "X-Code-Req-PubKey": OTHER.public_base64})
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
async def test_bad_fields(world: World, fields: dict[str, object], code: str) -> None:
    answer = await world.search(**fields)
    assert (answer.status_code, answer.json()["errorType"]) == (503, code)
    assert (await world.search({})).json()["errorType"] == "MISSING_HEADER_FIELD"


async def test_late_is_503(world: World) -> None:
    """The hub must not be told ``invalid`` of what was not looked at (member-api.md section 1)."""
    world.sent()
    world.reads.gate = asyncio.Event()
    world.open(verify_deadline_s=0.05)
    answer = await world.search()
    assert (answer.status_code, answer.json()["errorType"]) == (503, "VASP_BACKEND_INTERNAL_ERROR")
    world.reads.gate = None
    world.open()
    assert await asked(world) == "valid"


async def test_questions_of_one_moment_share_queries_and_get_their_own_answers(world: World) -> None:
    world.sent()
    world.sent(destination={"kind": "unknown", "address": BTC})
    asking = [f"{XRP}:77001", BTC, f"{XRP}:1", BTC, EVM] * 4
    answers = await asyncio.gather(*(asked(world, beneficiaryAddress=address) for address in asking))
    assert answers == ["valid", "valid", "invalid", "valid", "invalid"] * 4
