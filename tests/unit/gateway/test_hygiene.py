"""Whatever comes in, an allowed status and a JSON object go out, and nothing personal is logged or echoed."""

from __future__ import annotations

import asyncio
import logging
from typing import Any, get_args

import httpx
import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.gateway_scene import (
    AUTHORIZATION,
    BTC,
    DATA_REQUEST,
    HEADERS,
    GatewayScene,
    box,
    name,
    payee,
    transfer,
)
from travelrule.gateway.refusals import ErrorType
from travelrule.gateway.request_reader import BODY_BYTES_MAX
from travelrule.log_output import ATTRIBUTE

ENDPOINTS = [
    ("POST", "/v1/beneficiary/VerifyAddress"),
    ("POST", "/v1/beneficiary/transfer"),
    ("POST", "/v1/beneficiary/transfer/txid"),
    ("POST", "/v1/vasp/transfer/status"),
    ("PUT", "/v1/vasp/transfer/status"),
    ("POST", "/v1/verification/tx"),
    ("PUT", "/v1/verification/tx"),
]
NAMES = [
    "transferId", "currency", "amount", "tradePrice", "tradeCurrency", "isExceedingThreshold", "payload", "txid",
    "vout", "status", "originatingVasp", "network", "Originator", "Beneficiary", "OriginatingVASP", "originatorPersons",
    "beneficiaryPersons", "accountNumber", "naturalPerson", "legalPerson", "name", "nameIdentifier", "ivms101",
    "beneficiaryAddress", "BeneficiaryVASP",
]  # fmt: skip
scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8)
    | st.sampled_from(["", "t-1", "canceled", "BTC", "1.5", "USD", "true", BTC, "a:b", "\x00"])
)
json_values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=4),
    max_leaves=12,
)
objects = st.dictionaries(st.sampled_from(NAMES), json_values, max_size=8)
header_values = st.sampled_from(["code:north", "code:nobody", "code:", "::", "", *HEADERS.values()]) | st.text(
    st.characters(min_codepoint=32, max_codepoint=126), max_size=50
)


def checked(answer: httpx.Response) -> None:
    assert answer.headers["content-type"] == "application/json"
    body = answer.json()
    assert isinstance(body, dict)
    if answer.status_code == 503:
        assert body["errorType"] in get_args(ErrorType)
        assert set(body) == {"errorType", "errorMsg"}
    else:
        assert answer.status_code == 200
        assert "result" in body or "status" in body


@pytest.fixture(scope="module")
def runner() -> Any:
    with asyncio.Runner() as one:
        yield one


@pytest.mark.parametrize(("method", "path"), ENDPOINTS)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_nonsense(runner: asyncio.Runner, method: str, path: str, data: st.DataObject) -> None:
    """Bytes, JSON, plausible bodies and payloads with anything inside, under any headers."""
    body: Any = data.draw(
        st.binary(max_size=80)
        | objects
        | st.builds(lambda extra: {**AUTHORIZATION, "status": "canceled", "txid": "ab", **extra}, objects)
        | st.builds(lambda inner: {**AUTHORIZATION, "payload": box(inner)}, objects)
        | st.builds(lambda plain: {**AUTHORIZATION, "payload": box(plain)}, st.binary(max_size=40))
        | st.builds(lambda changes: {**AUTHORIZATION, "payload": box(transfer(**changes))}, objects)
        | st.builds(lambda changes: {**DATA_REQUEST, "payload": box(payee(**changes))}, objects)
        | st.builds(lambda extra: {**DATA_REQUEST, "payload": box(payee()), **extra}, objects)
    )
    headers = HEADERS | data.draw(st.dictionaries(st.sampled_from(sorted(HEADERS)), header_values, max_size=2))
    scene = GatewayScene()
    scene.sent()
    checked(runner.run(_once(scene, method, path, body, headers)))


async def _once(scene: GatewayScene, method: str, path: str, body: Any, headers: dict[str, str]) -> httpx.Response:
    async with scene.open():
        return await scene.send(method, path, body, headers)


@pytest.mark.parametrize(("method", "path"), ENDPOINTS)
async def test_a_large_body(scene: GatewayScene, method: str, path: str) -> None:
    answer = await scene.send(method, path, b'{"transferId":"' + b"x" * BODY_BYTES_MAX + b'"}')
    checked(answer)
    assert answer.json()["errorType"] == "INVALID_MSG_FIELD_VALUE"


async def test_deep_payloads_are_refused_and_shallow_long_ones_are_not(scene: GatewayScene) -> None:
    deep: Any = "x"
    for _ in range(70):
        deep = [deep]
    answer = await scene.authorize({**transfer(), "extra": deep})
    assert answer.json()["errorType"] == "INVALID_ENCRYPTED_BODY"
    answer = await scene.authorize({**transfer(), "extra": [[1]] * 200})
    assert answer.json()["result"] == "verified"


async def test_a_peer_that_goes_away_is_no_error(scene: GatewayScene, caplog: pytest.LogCaptureFixture) -> None:
    app = scene.open()._transport.app  # type: ignore[attr-defined]
    sent: list[Any] = []

    async def receive() -> dict[str, str]:
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        sent.append(message)

    named = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]
    headers = [(b"content-type", b"application/json"), *named]
    scope = {
        "type": "http", "method": "POST", "path": ENDPOINTS[0][1], "headers": headers, "query_string": b"",
        "client": ("127.0.0.1", 1), "root_path": "", "scheme": "http", "server": ("x", 1), "http_version": "1.1",
    }  # fmt: skip
    await app(scope, receive, send)
    assert sent == []
    assert caplog.records == []


PLANTED = ["Zebulon", "Quagmire", "1977-07-17", "bc1qplantedaddress", "plantedcustomer", "plantedtxid", "plantedid"]


def planted() -> dict[str, Any]:
    born = {"dateOfBirth": "1977-07-17", "placeOfBirth": "Quagmire"}
    person = name("Quagmire", "Zebulon", dateAndPlaceOfBirth=born, customerIdentification="plantedcustomer")
    return transfer(
        to="bc1qplantedaddress",
        persons=[person],
        Originator={"originatorPersons": [person], "accountNumber": ["bc1qplantedaddress"]},
    )


def logged(caplog: pytest.LogCaptureFixture) -> str:
    return "\n".join(
        f"{record.getMessage()} {getattr(record, ATTRIBUTE, '')} {record.exc_text} {record.args}"
        for record in caplog.records
    )


async def test_nothing_personal_is_logged_or_echoed(scene: GatewayScene, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    answers: list[httpx.Response] = []
    inner = planted()

    async def all_of_them() -> None:
        answers.append(await scene.authorize(inner, transferId="plantedid-1"))
        answers.append(await scene.authorize(inner, transferId="plantedid-2", amount="Zebulon"))
        answers.append(await scene.authorize(inner, transferId="plantedid-3", tradeCurrency="Quagmire"))
        answers.append(await scene.authorize({**inner, "Beneficiary": "Zebulon Quagmire"}, transferId="plantedid-4"))
        answers.append(await scene.authorize(payload="Zebulon Quagmire"))
        body = {"currency": "BTC", "payload": box({"Beneficiary": inner["Beneficiary"]})}
        answers.append(await scene.send("POST", ENDPOINTS[0][1], body))
        answers.append(await scene.send("POST", ENDPOINTS[0][1], {**body, "Zebulon": 1, "currency": ["Quagmire"]}))
        answers.append(await scene.send("POST", ENDPOINTS[0][1], {**body, "payload": box({"Beneficiary": "Zebulon"})}))
        answers.append(await scene.report(txid="plantedtxid", transferId="Quagmire"))
        answers.append(await scene.report(txid="plantedtxid", vout="Zebulon"))
        answers.append(await scene.finish(status="Zebulon", reasonType="Quagmire"))
        answers.append(await scene.status(transferId="Quagmire", headers={**HEADERS, "X-Request-Origin": "Zebulon"}))
        address = "bc1qplantedaddress"
        answers.append(await scene.search(txid="plantedtxid", beneficiaryAddress=address))
        answers.append(await scene.search(txid="planted txid", beneficiaryAddress=address))
        asked = {"txid": "plantedtxid", "beneficiaryAddress": address}
        person = inner["Beneficiary"]["beneficiaryPersons"][0]
        for number, changed in enumerate(
            ({"persons": [person]}, {}, {"BeneficiaryVASP": "Zebulon"}, {"persons": [{}]})
        ):
            wanted = {**asked, "transferId": f"plantedid-7{number}"}
            answers.append(await scene.request_data(payee(to=address, **changed), **wanted))
        answers.append(await scene.request_data(payee(), **asked, transferId="plantedid 8", currency="Zebulon Q"))

    scene.sent(
        "plantedtxid",
        destination={"kind": "unknown", "address": "bc1qplantedaddress"},
        originator={"customerId": "plantedcustomer", "natural": {"lastName": "Quagmire", "firstName": "Zoe"}},
        beneficiary={"natural": {"lastName": "Quagmire", "firstName": "Zebulon"}},
    )
    await all_of_them()
    assert {answer.json().get("result") for answer in answers} >= {"valid", "normal", "error"}
    scene.reads.failure = ConnectionError("INSERT ... Zebulon Quagmire bc1qplantedaddress")
    scene.intake.failure = ValueError("Zebulon Quagmire")
    await all_of_them()
    scene.reads.failure = None
    await all_of_them()
    texts = [answer.json().get("errorMsg", "") + answer.json().get("reasonMsg", "") for answer in answers]
    assert sum(bool(text) for text in texts) > 20
    everything = logged(caplog) + "\n".join(texts)
    assert "request-failed" in everything
    assert [word for word in PLANTED if word in everything] == []


async def test_nothing_personal_shows_in_reprs(scene: GatewayScene) -> None:
    await scene.authorize(planted())
    item = scene.intake.items[0]
    await scene.request_data(payee(persons=planted()["Originator"]["originatorPersons"]), txid="plantedtxid")
    shown = repr(item) + repr(item.data) + repr(scene.intake.items[1].data)
    assert [word for word in PLANTED if word in shown] == []
    assert orjson.loads(item.content)["ivms101"] == planted()
