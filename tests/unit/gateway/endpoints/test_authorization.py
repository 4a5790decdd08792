"""M2, each row of the evaluation order of member-api.md section 3, replay, rotation, parallel requests."""

from __future__ import annotations

import asyncio
from typing import Any

import orjson
import pytest

from tests.support.gateway_scene import (
    AUTHORIZATION,
    BTC,
    HEADERS,
    OLD,
    OTHER,
    OWN,
    PEER,
    XRP,
    GatewayScene,
    beneficiary,
    box,
    key,
    name,
    opened,
    transfer,
    without,
)
from travelrule.engine.input_outcome import InputOutcome
from travelrule.metrics import REGISTRY
from travelrule.policy.sections import Asset, NameRules


async def denied(scene: GatewayScene, inner: Any = None, **fields: Any) -> str:
    answer = await scene.authorize(inner, **fields)
    assert answer.status_code == 200, answer.text
    body = answer.json()
    assert body["result"] == "denied"
    assert body["transferId"] == fields.get("transferId", "t-1")
    assert "BeneficiaryVASP" in opened(answer)
    return str(body["reasonType"])


async def test_verified(scene: GatewayScene) -> None:
    answer = await scene.authorize()
    body = answer.json()
    assert answer.status_code == 200
    del body["payload"]
    assert body == {
        "result": "verified",
        "reasonType": "",
        "reasonMsg": "",
        "transferId": "t-1",
        "beneficiaryVasp": opened(answer)["BeneficiaryVASP"],
    }
    inner = opened(answer)
    assert {part: inner[part] for part in transfer()} == transfer()
    assert inner["BeneficiaryVASP"]["beneficiaryVASP"]["legalPerson"]


async def test_the_input(scene: GatewayScene) -> None:
    trace = "00-" + "a" * 32 + "-" + "b" * 16 + "-01"
    await scene.authorize(headers={**HEADERS, "X-Request-Origin": "CODE:north", "traceparent": trace})
    (item,) = scene.intake.items
    assert (item.source, item.id, item.type, item.subject) == (
        "/gateway/code:north",
        "authorization/t-1",
        "authorization.received",
        "exchange:north/t-1",
    )
    assert (item.at, item.traceparent, item.reply_to_unknown) == (scene.now, trace, False)
    content = orjson.loads(item.content)
    assert content["amount"] == "0.50"
    assert not {"wallets", "sender", "originatorSanctioned", "payload"} & set(content)
    assert type(item.data).model_validate_json(item.content).ivms101 == transfer()  # type: ignore[attr-defined]
    data: Any = item.data
    assert [(fact.wallet_id, fact.account_number) for fact in data.wallets] == [("w-1", BTC)]
    assert (data.sender.entity_id, data.sender.alliance, data.sender.country) == ("north", "code", "KR")


@pytest.mark.parametrize(
    ("headers", "fields", "code"),
    [
        (without("X-Request-Origin"), {}, "MISSING_HEADER_FIELD"),
        (without("X-Code-Req-PubKey"), {}, "MISSING_HEADER_FIELD"),
        *[
            (HEADERS, {field: absent}, "MISSING_REQUIRED_MSG_FIELD")
            for field in (
                "transferId",
                "currency",
                "amount",
                "tradePrice",
                "tradeCurrency",
                "isExceedingThreshold",
                "payload",
            )
            for absent in (None, "", {})
        ],
        (HEADERS, {"transferId": 7}, "INVALID_MSG_FIELD_VALUE"),
        (HEADERS, {"transferId": "x" * 201}, "INVALID_MSG_FIELD_VALUE"),
        (HEADERS, {"transferId": "a\u0000b"}, "INVALID_MSG_FIELD_VALUE"),
        (HEADERS, {"tradeCurrency": "CHF"}, "INVALID_MSG_FIELD_VALUE"),
        (HEADERS, {"amount": "1E+999999999"}, "INVALID_MSG_FIELD_VALUE"),
        (HEADERS, {"amount": "-1"}, "INVALID_MSG_FIELD_VALUE"),
        (HEADERS, {"amount": 1.5}, "INVALID_MSG_FIELD_VALUE"),
        (HEADERS, {"tradePrice": "NaN"}, "INVALID_MSG_FIELD_VALUE"),
        (HEADERS, {"isExceedingThreshold": "maybe"}, "INVALID_MSG_FIELD_VALUE"),
        (HEADERS, {"isExceedingThreshold": 1}, "INVALID_MSG_FIELD_VALUE"),
        (HEADERS, {"originatingVasp": "x"}, "INVALID_MSG_FIELD_VALUE"),
        (HEADERS, {"payload": box({"Note": "a\u0000b"})}, "INVALID_MSG_FIELD_VALUE"),
        (HEADERS, {"originatingVasp": {"a": [{"b\u0000": 1}]}}, "INVALID_MSG_FIELD_VALUE"),
    ],
)
async def test_order_1_fields(scene: GatewayScene, headers: dict[str, str], fields: dict[str, Any], code: str) -> None:
    answer = await scene.authorize(headers=headers, **fields)
    assert (answer.status_code, answer.json()["errorType"]) == (503, code)
    assert scene.intake.items == []


@pytest.mark.parametrize(
    "payload", ["AAAA", "x y", box(transfer(), own=OTHER), box(b"7"), box(b'{"ivms101":[]}'), box(b'{"ivms101":null}')]
)
async def test_order_2_payload(scene: GatewayScene, payload: str) -> None:
    received = {"direction": "received"}
    before = REGISTRY.get_sample_value("travelrule_key_mismatches_total", received) or 0
    answer = await scene.authorize(payload=payload)
    assert (answer.status_code, answer.json()["errorType"]) == (503, "INVALID_ENCRYPTED_BODY")
    assert scene.intake.items == []
    counted = (REGISTRY.get_sample_value("travelrule_key_mismatches_total", received) or 0) - before
    assert counted == (payload in ("AAAA", box(transfer(), own=OTHER))), "what no key of ours opens"


async def test_order_3_the_same_again_is_answered_from_the_store(scene: GatewayScene) -> None:
    first = await scene.authorize()
    # Meanwhile the scene changed, and the body is written in another order: still the same request.
    scene.reads.wallets.clear()
    scene.rules(accept_origins=("east",))
    body = {"payload": box(dict(reversed(transfer().items()))), **dict(reversed(AUTHORIZATION.items()))}
    second = await scene.send("POST", "/v1/beneficiary/transfer", {**body, "currency": "btc", "historicalCost": None})
    assert second.json()["result"] == "verified"
    assert opened(second) == opened(first)
    assert second.json()["payload"] != first.json()["payload"]


@pytest.mark.parametrize(
    ("inner", "fields"),
    [
        (None, {"amount": "0.5"}),
        (None, {"isExceedingThreshold": False}),
        (None, {"network": "BTC"}),
        (transfer(persons=[name("Lind", "Eric")]), {}),
        (transfer(extra=1), {}),
    ],
)
async def test_order_3_other_content(scene: GatewayScene, inner: Any, fields: dict[str, Any]) -> None:
    await scene.authorize()
    answer = await scene.authorize(inner, **fields)
    assert (answer.status_code, answer.json()["errorType"]) == (503, "DUPLICATED_TRANSFER_ID")


async def test_order_3_the_same_id_of_another_sender_is_another_transfer(scene: GatewayScene) -> None:
    scene.directory.add("east", key(OTHER))
    await scene.authorize()
    east = {**HEADERS, "X-Request-Origin": "code:east", "X-Code-Req-PubKey": OTHER.public_base64}
    inner = transfer(persons=[])
    answer = await scene.authorize(headers=east, payload=box(inner, own=OTHER), isExceedingThreshold="false")
    assert answer.json()["result"] == "verified"
    assert set(scene.intake.states) == {"exchange:north/t-1", "exchange:east/t-1"}


async def test_order_4_sender(scene: GatewayScene) -> None:
    scene.rules(accept_origins=("east",))
    assert await denied(scene) == "UNKNOWN"
    scene.rules(accept_origins=("code:north",))
    assert (await scene.authorize(transferId="t-2")).json()["result"] == "verified"
    scene.rules(accept_origins=(), deny_list=("north",))
    assert await denied(scene, transferId="t-3") == "UNKNOWN"


async def test_order_4_the_hub_is_never_refused(scene: GatewayScene) -> None:
    scene.directory.add("codevasp", key(OTHER))
    scene.rules(accept_origins=("east",), deny_list=("codevasp",))
    hub = {**HEADERS, "X-Request-Origin": "code:codevasp", "X-Code-Req-PubKey": OTHER.public_base64}
    assert (await scene.authorize(headers=hub, payload=box(transfer(), own=OTHER))).json()["result"] == "verified"


async def test_order_4_combination(scene: GatewayScene) -> None:
    scene.rules(names=NameRules(accept_combinations=("legal-to-legal",)))
    assert await denied(scene) == "UNKNOWN"


@pytest.mark.parametrize(
    "changes",
    [
        {"Originator": None},
        {"Originator": {"originatorPersons": [], "accountNumber": ["x"]}},
        {"Originator": {"originatorPersons": [name("", "")], "accountNumber": ["x"]}},
        {"OriginatingVASP": {}},
        {"Beneficiary": {}},
        {"Beneficiary": {"beneficiaryPersons": [name("Lind", "Erik")]}},
        {"Beneficiary": {"beneficiaryPersons": [name("Lind", "Erik")], "accountNumber": [""]}},
    ],
)
async def test_order_5_incomplete(scene: GatewayScene, changes: dict[str, Any]) -> None:
    assert await denied(scene, transfer(**changes), currency="NOPE") == "LACK_OF_INFORMATION"


async def test_order_5_vasp_outside_the_payload(scene: GatewayScene) -> None:
    """A non-empty object outside overwrites the one inside; an empty one is absent (D8)."""
    vasp = transfer()["OriginatingVASP"]
    inside_only = await scene.authorize(originatingVasp={})
    assert inside_only.json()["result"] == "verified"
    answer = await scene.authorize(transfer(OriginatingVASP=None), transferId="t-2", originatingVasp=vasp)
    assert answer.json()["result"] == "verified"
    assert opened(answer)["OriginatingVASP"] == vasp


async def test_order_6_currency_before_7_address(scene: GatewayScene) -> None:
    scene.rules(assets={"XRP": Asset()})
    assert await denied(scene, transfer(to="nowhere")) == "NOT_SUPPORTED_SYMBOL"


@pytest.mark.parametrize(
    ("to", "currency", "found"),
    [
        (BTC, "btc", True),
        (BTC + ":1", "BTC", True),
        (XRP + ":77001", "XRP", True),
        (XRP + ":77002", "XRP", False),
        (XRP, "XRP", False),
        ("nowhere", "BTC", False),
    ],
)
async def test_order_7_address(scene: GatewayScene, to: str, currency: str, *, found: bool) -> None:
    if found:
        assert (await scene.authorize(transfer(to=to), currency=currency)).json()["result"] == "verified"
    else:
        assert await denied(scene, transfer(to=to), currency=currency) == "NOT_FOUND_ADDRESS"


async def test_order_8_kyc_before_9_sanctions_before_10_name(scene: GatewayScene) -> None:
    wrong = transfer(persons=[name("Lund", "Eva")])
    scene.rules(sanctions="required")
    scene.screen.wallet_hit = True
    scene.reads.wallets[0].kyc = False
    labels = {"vasp": "north", "reason": "NOT_KYC_USER", "side": "beneficiary"}
    before = REGISTRY.get_sample_value("travelrule_denials_total", labels) or 0
    assert await denied(scene, wrong) == "NOT_KYC_USER"
    assert REGISTRY.get_sample_value("travelrule_denials_total", labels) == before + 1
    scene.reads.wallets[0].kyc = True
    assert await denied(scene, wrong, transferId="t-2") == "SANCTION_LIST"
    scene.screen.wallet_hit, scene.screen.person_hits = False, {"Berg": True}
    assert await denied(scene, wrong, transferId="t-3") == "SANCTION_LIST"
    scene.screen.person_hits = {"Lund": True}
    assert await denied(scene, wrong, transferId="t-4") == "SANCTION_LIST", "whom the sender names as beneficiary"
    scene.screen.person_hits = {}
    assert await denied(scene, wrong, transferId="t-5") == "INPUT_NAME_MISMATCHED"
    scene.screen.persons_known = False
    assert await denied(scene, transferId="t-6") == "UNKNOWN"
    scene.screen.persons_known, scene.screen.wallet_hit = True, None
    assert await denied(scene, transferId="t-8") == "UNKNOWN", "an address that was not screened is not clean"
    scene.rules(sanctions="off")
    assert (await scene.authorize(transferId="t-7")).json()["result"] == "verified"


@pytest.mark.parametrize(
    ("exceeding", "persons", "reason"),
    [
        ("true", [], "LACK_OF_INFORMATION"),
        (True, [name("", "")], "LACK_OF_INFORMATION"),
        ("TRUE", [name("Lund", "Eva")], "INPUT_NAME_MISMATCHED"),
        (True, [name("ERIK", "lind")], ""),
        ("false", [], ""),
        (False, [name("Lund", "Eva")], "INPUT_NAME_MISMATCHED"),
        ("False", [name("Lind", "Erik")], ""),
    ],
)
async def test_order_10_name(scene: GatewayScene, exceeding: Any, persons: Any, reason: str) -> None:
    answer = (await scene.authorize(transfer(persons=persons), isExceedingThreshold=exceeding)).json()
    assert (answer["result"], answer["reasonType"]) == ("denied" if reason else "verified", reason)


async def test_order_11_birth_and_12_first_party(scene: GatewayScene) -> None:
    scene.rules(names=NameRules(check_date_of_birth=True))
    born = name("Lind", "Erik", dateAndPlaceOfBirth={"dateOfBirth": "1980-01-03", "placeOfBirth": "Oslo"})
    assert await denied(scene, transfer(persons=[born])) == "DOB_MISMATCHED"
    scene.rules(names=NameRules(first_party_only=True))
    assert await denied(scene, transferId="t-2") == "INPUT_NAME_MISMATCHED"


async def test_a_refusal_says_nothing_of_the_owner(scene: GatewayScene) -> None:
    answer = await scene.authorize(transfer(persons=[name("Lund", "Eva")]))
    assert "Lind" not in str(opened(answer))
    assert "Lind" not in answer.text


async def test_the_answer_is_sealed_with_the_pair_that_the_request_addressed(scene: GatewayScene) -> None:
    old = {**HEADERS, "X-Code-Req-Remote-PubKey": OLD.public_base64}
    answer = await scene.authorize(headers=old, payload=box(transfer(), to=OLD))
    assert "BeneficiaryVASP" in opened(answer, by=OLD)
    # The same request, addressed to the new key now: the stored answer, sealed again with the key pair of this request.
    again = await scene.authorize()
    assert "BeneficiaryVASP" in opened(again, by=OWN)
    unnamed = without("X-Code-Req-Remote-PubKey")
    again = await scene.authorize(headers=unnamed, payload=box(transfer(), to=OLD))
    assert "BeneficiaryVASP" in opened(again, by=OLD)


async def test_our_own_answer_sent_back_is_not_a_request(scene: GatewayScene) -> None:
    """Both directions share one key (auth.md 6); for a returned payload the directory has no key of its sender."""
    answer = await scene.authorize()
    back = {**HEADERS, "X-Code-Req-PubKey": OWN.public_base64, "X-Code-Req-Remote-PubKey": PEER.public_base64}
    echoed = await scene.authorize(headers=back, payload=answer.json()["payload"], transferId="t-2")
    assert (echoed.status_code, echoed.json()["errorType"]) == (503, "INVALID_HEADER_SIGNATURE")


async def test_parallel_requests_of_one_transfer_get_one_answer(scene: GatewayScene) -> None:
    scene.open()
    answers = await asyncio.gather(*(scene.authorize() for _ in range(10)))
    assert {answer.json()["result"] for answer in answers} == {"verified"}
    assert len({str(opened(answer)) for answer in answers}) == 1
    mixed = await asyncio.gather(
        *(scene.authorize(transferId="t-2", amount=amount) for amount in ("1", "2", "1", "2", "2"))
    )
    statuses = [answer.status_code for answer in mixed]
    winner = statuses.index(200)
    assert [status == 200 for status in statuses] == [amount == "12122"[winner] for amount in "12122"]


async def test_verified_is_never_answered_for_what_is_not_stored(scene: GatewayScene) -> None:
    scene.intake.failure = ConnectionError("database gone")
    answer = await scene.authorize()
    assert (answer.status_code, answer.json()["errorType"]) == (503, "VASP_BACKEND_INTERNAL_ERROR")
    scene.intake.failure = None
    for outcome, code in (
        (InputOutcome("rejected", "CONFLICT"), "DUPLICATED_TRANSFER_ID"),
        (InputOutcome("rejected", "ERASED"), "DUPLICATED_TRANSFER_ID"),
        (InputOutcome("rejected", "UNPROCESSABLE"), "VASP_BACKEND_INTERNAL_ERROR"),
        (InputOutcome("applied"), "VASP_BACKEND_INTERNAL_ERROR"),
    ):
        scene.intake.outcome = outcome
        answer = await scene.authorize()
        assert (answer.status_code, answer.json()["errorType"]) == (503, code)


async def test_a_stalled_store_is_a_503_in_time(scene: GatewayScene) -> None:
    scene.open(deadline_s=0.1)
    scene.reads.gate = asyncio.Event()
    answer = await scene.authorize()
    assert (answer.status_code, answer.json()["errorType"]) == (503, "VASP_BACKEND_INTERNAL_ERROR")


async def test_more_account_numbers_than_anybody_has(scene: GatewayScene) -> None:
    many = [f"a{number}" for number in range(1000)]
    answer = await scene.authorize({**transfer(), **beneficiary(BTC, *many, persons=[name("Lind", "Erik")])})
    assert (answer.status_code, answer.json()["errorType"]) == (503, "INVALID_MSG_FIELD_VALUE")
    assert scene.reads.asked == []
