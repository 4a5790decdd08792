"""M7 over HTTP (member-api.md section 8): order 1, the sealed answer, the stored one, and who may have it."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from schemas.hub.bodies import DataResponse
from tests.support.gateway_ports import TXID
from tests.support.gateway_scene import (
    BTC,
    HEADERS,
    OLD,
    OTHER,
    OWN,
    PEER,
    XRP,
    GatewayScene,
    box,
    key,
    name,
    opened,
    payee,
    without,
)
from travelrule.engine.input_outcome import InputOutcome

FIELDS = {
    "result", "reasonType", "reasonMsg", "transferId", "currency", "amount", "historicalCost", "tradePrice",
    "tradeCurrency", "isExceedingThreshold", "payload",
}  # fmt: skip


def checked(answer: httpx.Response) -> dict[str, Any]:
    """All fields are there, all are texts, and the model that a client reads with takes them."""
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    assert set(body) == FIELDS
    assert all(isinstance(value, str) for value in body.values())
    DataResponse.model_validate(body)
    return body


def error(answer: httpx.Response) -> str:
    body = checked(answer)
    assert body["result"] == "error"
    assert body["reasonMsg"]
    given = {field for field, value in body.items() if value}
    assert given == {"result", "reasonType", "reasonMsg", "transferId"}
    return str(body["reasonType"])


def refused(answer: httpx.Response) -> str:
    assert answer.status_code == 503, answer.text
    return str(answer.json()["errorType"])


async def test_the_whole_answer(scene: GatewayScene) -> None:
    scene.sent()
    sent = payee(extra={"copied": ["whole"]})
    answer = await scene.request_data(sent)
    body = checked(answer)
    assert {field: value for field, value in body.items() if field != "payload"} == {
        "result": "normal",
        "reasonType": "",
        "reasonMsg": "",
        "transferId": "r-1",
        "currency": "XRP",
        "amount": "250.50",
        "historicalCost": "120",
        "tradePrice": "150.30",
        "tradeCurrency": "USD",
        "isExceedingThreshold": "true",
    }
    told = opened(answer)
    assert {part: told[part] for part in sent} == sent
    (anna,) = told["Originator"]["originatorPersons"]
    assert anna["naturalPerson"]["name"]["nameIdentifier"][0]["primaryIdentifier"] == "Berg"
    assert anna["naturalPerson"]["customerIdentification"] == "c-1001"
    assert told["Originator"]["accountNumber"] == ["rEb8TK3gBgk5auZkwc6sHnwrGVJH8DuaLh:1001"]
    legal = told["OriginatingVASP"]["originatingVASP"]["legalPerson"]
    assert legal["name"]["nameIdentifier"][0]["legalPersonName"] == "South Exchange Ltd."


async def test_what_becomes_an_input(scene: GatewayScene) -> None:
    scene.sent()
    await scene.request_data(currency="xrp", network="XRP")
    (item,) = scene.intake.items
    assert (item.source, item.id, item.type, item.subject) == (
        "/gateway/code:north",
        "data-request/r-1",
        "data-request.received",
        "data-request:north/r-1",
    )
    assert not item.reply_to_unknown
    assert (item.data.requester.country, item.data.currency) == ("KR", "XRP")  # type: ignore[attr-defined]


async def test_orders_2_to_6(scene: GatewayScene) -> None:
    assert error(await scene.request_data()) == "NOT_FOUND_TXID"
    scene.sent()
    assert error(await scene.request_data(transferId="r-2", beneficiaryAddress=BTC)) == "NOT_FOUND_TXID"
    assert error(await scene.request_data(payee(BeneficiaryVASP={}), transferId="r-3")) == "LACK_OF_INFORMATION"
    other = payee(persons=[name("Quagmire", "Zoe")])
    assert error(await scene.request_data(other, transferId="r-4")) == "UNKNOWN"
    scene.sent("ee" * 32, erased=True)
    assert error(await scene.request_data(transferId="r-5", txid="ee" * 32)) == "LACK_OF_INFORMATION"
    assert checked(await scene.request_data(transferId="r-6"))["result"] == "normal"


async def test_order_1_comes_before_everything(scene: GatewayScene) -> None:
    scene.sent()
    forged = {**HEADERS, "X-Code-Req-PubKey": OTHER.public_base64}
    scene.current["north"] = (key(OTHER, days=-1),)
    assert refused(await scene.request_data(headers={})) == "MISSING_HEADER_FIELD"
    assert refused(await scene.request_data(headers=without("X-Code-Req-PubKey"))) == "MISSING_HEADER_FIELD"
    assert refused(await scene.request_data(headers=forged)) == "INVALID_HEADER_SIGNATURE"
    assert refused(await scene.request_data(txid="")) == "MISSING_REQUIRED_MSG_FIELD"
    assert refused(await scene.request_data(transferId=None)) == "MISSING_REQUIRED_MSG_FIELD"
    assert refused(await scene.request_data(beneficiaryAddress=7)) == "INVALID_MSG_FIELD_VALUE"
    assert refused(await scene.request_data(payload=box(payee(), to=OTHER))) == "INVALID_ENCRYPTED_BODY"
    assert refused(await scene.request_data(payload=box(payee(), own=OTHER))) == "INVALID_ENCRYPTED_BODY"
    assert refused(await scene.request_data(payload=box(b"[]"))) == "INVALID_ENCRYPTED_BODY"
    assert refused(await scene.request_data(payload="!")) == "INVALID_ENCRYPTED_BODY"
    assert refused(await scene.request_data({**payee(), "x": "\x00"})) == "INVALID_MSG_FIELD_VALUE"
    assert scene.intake.items == []


async def test_the_same_again_is_the_stored_answer_sealed_anew(scene: GatewayScene) -> None:
    scene.sent()
    first = await scene.request_data()
    scene.reads.withdrawals.clear()
    second = await scene.request_data(payee(persons=[name("Lind", "E")]), txid="0x" + TXID.lower())
    assert first.json()["payload"] != second.json()["payload"]
    assert opened(first) == opened(second)
    assert {**first.json(), "payload": ""} == {**second.json(), "payload": ""}


async def test_a_stored_error_is_an_answer_too(scene: GatewayScene) -> None:
    """A new search, and so a new id, is needed after an error (hub-api.md 4.A.10)."""
    assert error(await scene.request_data()) == "NOT_FOUND_TXID"
    scene.sent()
    assert error(await scene.request_data()) == "NOT_FOUND_TXID"
    assert checked(await scene.request_data(transferId="r-2"))["result"] == "normal"


async def test_another_transaction_under_the_same_id(scene: GatewayScene) -> None:
    scene.sent()
    assert checked(await scene.request_data())["result"] == "normal"
    assert refused(await scene.request_data(txid="ab" * 32)) == "DUPLICATED_TRANSFER_ID"
    assert refused(await scene.request_data(beneficiaryAddress=BTC)) == "DUPLICATED_TRANSFER_ID"
    # Ids belong to their sender: the same one of another VASP is another request.
    scene.directory.add("east", key(OTHER))
    east = {**HEADERS, "X-Request-Origin": "code:east", "X-Code-Req-PubKey": OTHER.public_base64}
    body = {"payload": box(payee(), own=OTHER), "txid": "ab" * 32}
    assert error(await scene.request_data(headers=east, **body)) == "NOT_FOUND_TXID"


async def test_the_answer_is_sealed_with_the_pair_of_the_request(scene: GatewayScene) -> None:
    scene.sent()
    headers = {**HEADERS, "X-Code-Req-Remote-PubKey": OLD.public_base64}
    answer = await scene.request_data(headers=headers, payload=box(payee(), to=OLD))
    assert opened(answer, by=OLD)["Originator"]


async def test_whom_the_policy_does_not_send_to_gets_no_data(scene: GatewayScene) -> None:
    scene.sent()
    for number, rules in enumerate(({"deny_list": ("north",)}, {"allow_list": ("east",)}, {"accept_origins": ("x",)})):
        before = scene.policy
        scene.rules(**rules)
        assert error(await scene.request_data(transferId=f"r-{number}")) == "UNKNOWN"
        scene.policy = before


async def test_a_stored_answer_is_not_given_to_whom_the_policy_forbids_by_now(scene: GatewayScene) -> None:
    scene.sent()
    assert checked(await scene.request_data())["result"] == "normal"
    scene.rules(deny_list=("north",))
    assert refused(await scene.request_data()) == "UNACCEPTABLE_REQUEST"


async def test_nobody_gets_data_on_the_mere_claim_to_be_the_hub(scene: GatewayScene) -> None:
    """The hub's entity must never be refused, so it passes where nobody can vouch for its key; data need more."""
    scene.sent()
    hub = {**HEADERS, "X-Request-Origin": "code:codevasp", "X-Code-Req-PubKey": OTHER.public_base64}
    sealed = {"payload": box(payee(), own=OTHER)}
    assert error(await scene.request_data(headers=hub, **sealed)) == "UNKNOWN"
    scene.current["codevasp"] = (key(OTHER),)
    scene.now = scene.now.replace(hour=10)
    scene.directory.add("codevasp", key(OTHER))
    assert checked(await scene.request_data(headers=hub, transferId="r-2", **sealed))["result"] == "normal"


async def test_an_outsider_gets_an_answer_and_no_data(scene: GatewayScene) -> None:
    scene.sent()
    nobody = {**HEADERS, "X-Request-Origin": "code:nobody", "X-Code-Req-PubKey": OTHER.public_base64}
    assert error(await scene.request_data(headers=nobody, payload=box(payee(), own=OTHER))) == "UNKNOWN"


async def test_failures_inside(scene: GatewayScene) -> None:
    scene.sent()
    scene.reads.failure = ConnectionError("gone")
    assert refused(await scene.request_data()) == "VASP_BACKEND_INTERNAL_ERROR"
    scene.reads.failure = None
    scene.intake.failure = ConnectionError("gone")
    assert refused(await scene.request_data()) == "VASP_BACKEND_INTERNAL_ERROR"
    scene.intake.failure = None
    scene.intake.outcome = InputOutcome("rejected", "ERASED")
    assert refused(await scene.request_data()) == "DUPLICATED_TRANSFER_ID"


async def test_kyc_comes_from_the_wallet_of_the_very_customer(scene: GatewayScene) -> None:
    """The wallet that the originator names must be the originator's; further owners prove nothing."""
    unnamed = {
        "customerId": "c-1",
        "walletAddress": f"{XRP}:77001",
        "natural": {"lastName": "-", "firstName": ""},
    }
    scene.sent(originator=unnamed)
    answer = await scene.request_data()
    (person,) = opened(answer)["Originator"]["originatorPersons"]
    assert person["naturalPerson"]["name"]["nameIdentifier"][0]["primaryIdentifier"] == "Lind"
    scene.reads.wallets[1].kyc = False
    assert error(await scene.request_data(transferId="r-2")) == "LACK_OF_INFORMATION"
    scene.reads.wallets[1].kyc = True
    scene.reads.wallets[1].customer_id = "c-2"
    assert error(await scene.request_data(transferId="r-3")) == "LACK_OF_INFORMATION"
    assert (await scene.request_data(transferId="r-4")).json()["payload"] == ""


@pytest.mark.parametrize("own", [OWN, OLD])
async def test_without_the_header_all_own_keys_are_tried(scene: GatewayScene, own: Any) -> None:
    scene.sent()
    answer = await scene.request_data(
        headers=without("X-Code-Req-Remote-PubKey"), payload=box(payee(), own=PEER, to=own)
    )
    assert opened(answer, by=own)["BeneficiaryVASP"]
