"""M2, each row of the evaluation order of member-api.md section 3, replay, rotation, parallel requests."""

from __future__ import annotations

import asyncio
from typing import Any

import orjson
import pytest

from travelrule.engine.input_outcome import InputOutcome
from travelrule.policy.sections import Asset, NameRules

from .conftest import (
    AUTHORIZATION,
    BTC,
    HEADERS,
    OLD,
    OTHER,
    OWN,
    PEER,
    XRP,
    World,
    beneficiary,
    box,
    key,
    name,
    opened,
    transfer,
    without,
)


async def denied(world: World, inner: Any = None, **fields: Any) -> str:
    answer = await world.authorize(inner, **fields)
    assert answer.status_code == 200, answer.text
    body = answer.json()
    assert body["result"] == "denied"
    assert body["transferId"] == fields.get("transferId", "t-1")
    assert "BeneficiaryVASP" in opened(answer)
    return str(body["reasonType"])


async def test_verified(world: World) -> None:
    answer = await world.authorize()
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


async def test_the_input(world: World) -> None:
    trace = "00-" + "a" * 32 + "-" + "b" * 16 + "-01"
    await world.authorize(headers={**HEADERS, "X-Request-Origin": "CODE:north", "traceparent": trace})
    (item,) = world.intake.items
    assert (item.source, item.id, item.type, item.subject) == (
        "/gateway/code:north",
        "authorization/t-1",
        "authorization.received",
        "exchange:north/t-1",
    )
    assert (item.at, item.traceparent, item.reply_to_unknown) == (world.now, trace, False)
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
async def test_order_1_fields(world: World, headers: dict[str, str], fields: dict[str, Any], code: str) -> None:
    answer = await world.authorize(headers=headers, **fields)
    assert (answer.status_code, answer.json()["errorType"]) == (503, code)
    assert world.intake.items == []


@pytest.mark.parametrize(
    "payload", ["AAAA", "x y", box(transfer(), own=OTHER), box(b"7"), box(b'{"ivms101":[]}'), box(b'{"ivms101":null}')]
)
async def test_order_2_payload(world: World, payload: str) -> None:
    answer = await world.authorize(payload=payload)
    assert (answer.status_code, answer.json()["errorType"]) == (503, "INVALID_ENCRYPTED_BODY")
    assert world.intake.items == []


async def test_order_3_the_same_again_is_answered_from_the_store(world: World) -> None:
    first = await world.authorize()
    # Meanwhile the world changed, and the body is written in another order: still the same request.
    world.reads.wallets.clear()
    world.rules(accept_origins=("east",))
    body = {"payload": box(dict(reversed(transfer().items()))), **dict(reversed(AUTHORIZATION.items()))}
    second = await world.send("POST", "/v1/beneficiary/transfer", {**body, "currency": "btc", "historicalCost": None})
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
async def test_order_3_other_content(world: World, inner: Any, fields: dict[str, Any]) -> None:
    await world.authorize()
    answer = await world.authorize(inner, **fields)
    assert (answer.status_code, answer.json()["errorType"]) == (503, "DUPLICATED_TRANSFER_ID")


async def test_order_3_the_same_id_of_another_sender_is_another_transfer(world: World) -> None:
    world.directory.add("east", key(OTHER))
    await world.authorize()
    east = {**HEADERS, "X-Request-Origin": "code:east", "X-Code-Req-PubKey": OTHER.public_base64}
    inner = transfer(persons=[])
    answer = await world.authorize(headers=east, payload=box(inner, own=OTHER), isExceedingThreshold="false")
    assert answer.json()["result"] == "verified"
    assert set(world.intake.states) == {"exchange:north/t-1", "exchange:east/t-1"}


async def test_order_4_sender(world: World) -> None:
    world.rules(accept_origins=("east",))
    assert await denied(world) == "UNKNOWN"
    world.rules(accept_origins=("code:north",))
    assert (await world.authorize(transferId="t-2")).json()["result"] == "verified"
    world.rules(accept_origins=(), deny_list=("north",))
    assert await denied(world, transferId="t-3") == "UNKNOWN"


async def test_order_4_the_hub_is_never_refused(world: World) -> None:
    world.directory.add("codevasp", key(OTHER))
    world.rules(accept_origins=("east",), deny_list=("codevasp",))
    hub = {**HEADERS, "X-Request-Origin": "code:codevasp", "X-Code-Req-PubKey": OTHER.public_base64}
    assert (await world.authorize(headers=hub, payload=box(transfer(), own=OTHER))).json()["result"] == "verified"


async def test_order_4_combination(world: World) -> None:
    world.rules(names=NameRules(accept_combinations=("legal-to-legal",)))
    assert await denied(world) == "UNKNOWN"


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
async def test_order_5_incomplete(world: World, changes: dict[str, Any]) -> None:
    assert await denied(world, transfer(**changes), currency="NOPE") == "LACK_OF_INFORMATION"


async def test_order_5_vasp_outside_the_payload(world: World) -> None:
    """A non-empty object outside overwrites the one inside; an empty one is absent (D8)."""
    vasp = transfer()["OriginatingVASP"]
    inside_only = await world.authorize(originatingVasp={})
    assert inside_only.json()["result"] == "verified"
    answer = await world.authorize(transfer(OriginatingVASP=None), transferId="t-2", originatingVasp=vasp)
    assert answer.json()["result"] == "verified"
    assert opened(answer)["OriginatingVASP"] == vasp


async def test_order_6_currency_before_7_address(world: World) -> None:
    world.rules(assets={"XRP": Asset()})
    assert await denied(world, transfer(to="nowhere")) == "NOT_SUPPORTED_SYMBOL"


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
async def test_order_7_address(world: World, to: str, currency: str, *, found: bool) -> None:
    if found:
        assert (await world.authorize(transfer(to=to), currency=currency)).json()["result"] == "verified"
    else:
        assert await denied(world, transfer(to=to), currency=currency) == "NOT_FOUND_ADDRESS"


async def test_order_8_kyc_before_9_sanctions_before_10_name(world: World) -> None:
    wrong = transfer(persons=[name("Lund", "Eva")])
    world.rules(sanctions="required")
    world.screen.wallet_hit = True
    world.reads.wallets[0].kyc = False
    assert await denied(world, wrong) == "NOT_KYC_USER"
    world.reads.wallets[0].kyc = True
    assert await denied(world, wrong, transferId="t-2") == "SANCTION_LIST"
    world.screen.wallet_hit, world.screen.person_hits = False, {"Berg": True}
    assert await denied(world, wrong, transferId="t-3") == "SANCTION_LIST"
    world.screen.person_hits = {"Lund": True}
    assert await denied(world, wrong, transferId="t-4") == "SANCTION_LIST", "whom the sender names as beneficiary"
    world.screen.person_hits = {}
    assert await denied(world, wrong, transferId="t-5") == "INPUT_NAME_MISMATCHED"
    world.screen.persons_known = False
    assert await denied(world, transferId="t-6") == "UNKNOWN"
    world.screen.persons_known, world.screen.wallet_hit = True, None
    assert await denied(world, transferId="t-8") == "UNKNOWN", "an address that was not screened is not clean"
    world.rules(sanctions="off")
    assert (await world.authorize(transferId="t-7")).json()["result"] == "verified"


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
async def test_order_10_name(world: World, exceeding: Any, persons: Any, reason: str) -> None:
    answer = (await world.authorize(transfer(persons=persons), isExceedingThreshold=exceeding)).json()
    assert (answer["result"], answer["reasonType"]) == ("denied" if reason else "verified", reason)


async def test_order_11_birth_and_12_first_party(world: World) -> None:
    world.rules(names=NameRules(check_date_of_birth=True))
    born = name("Lind", "Erik", dateAndPlaceOfBirth={"dateOfBirth": "1980-01-03", "placeOfBirth": "Oslo"})
    assert await denied(world, transfer(persons=[born])) == "DOB_MISMATCHED"
    world.rules(names=NameRules(first_party_only=True))
    assert await denied(world, transferId="t-2") == "INPUT_NAME_MISMATCHED"


async def test_a_refusal_says_nothing_of_the_owner(world: World) -> None:
    answer = await world.authorize(transfer(persons=[name("Lund", "Eva")]))
    assert "Lind" not in str(opened(answer))
    assert "Lind" not in answer.text


async def test_the_answer_is_sealed_with_the_pair_that_the_request_addressed(world: World) -> None:
    old = {**HEADERS, "X-Code-Req-Remote-PubKey": OLD.public_base64}
    answer = await world.authorize(headers=old, payload=box(transfer(), to=OLD))
    assert "BeneficiaryVASP" in opened(answer, by=OLD)
    # The same request, addressed to the new key now: the stored answer, sealed anew with the pair of this request.
    again = await world.authorize()
    assert "BeneficiaryVASP" in opened(again, by=OWN)
    unnamed = without("X-Code-Req-Remote-PubKey")
    again = await world.authorize(headers=unnamed, payload=box(transfer(), to=OLD))
    assert "BeneficiaryVASP" in opened(again, by=OLD)


async def test_our_own_answer_sent_back_is_not_a_request(world: World) -> None:
    """Both directions share one key (auth.md 6); what comes back has no key of its sender in the directory."""
    answer = await world.authorize()
    back = {**HEADERS, "X-Code-Req-PubKey": OWN.public_base64, "X-Code-Req-Remote-PubKey": PEER.public_base64}
    echoed = await world.authorize(headers=back, payload=answer.json()["payload"], transferId="t-2")
    assert (echoed.status_code, echoed.json()["errorType"]) == (503, "INVALID_HEADER_SIGNATURE")


async def test_parallel_requests_of_one_transfer_get_one_answer(world: World) -> None:
    world.open()
    answers = await asyncio.gather(*(world.authorize() for _ in range(10)))
    assert {answer.json()["result"] for answer in answers} == {"verified"}
    assert len({str(opened(answer)) for answer in answers}) == 1
    mixed = await asyncio.gather(
        *(world.authorize(transferId="t-2", amount=amount) for amount in ("1", "2", "1", "2", "2"))
    )
    statuses = [answer.status_code for answer in mixed]
    winner = statuses.index(200)
    assert [status == 200 for status in statuses] == [amount == "12122"[winner] for amount in "12122"]


async def test_verified_is_never_answered_for_what_is_not_stored(world: World) -> None:
    world.intake.failure = ConnectionError("database gone")
    answer = await world.authorize()
    assert (answer.status_code, answer.json()["errorType"]) == (503, "VASP_BACKEND_INTERNAL_ERROR")
    world.intake.failure = None
    for outcome, code in (
        (InputOutcome("rejected", "CONFLICT"), "DUPLICATED_TRANSFER_ID"),
        (InputOutcome("rejected", "ERASED"), "DUPLICATED_TRANSFER_ID"),
        (InputOutcome("rejected", "UNPROCESSABLE"), "VASP_BACKEND_INTERNAL_ERROR"),
        (InputOutcome("applied"), "VASP_BACKEND_INTERNAL_ERROR"),
    ):
        world.intake.outcome = outcome
        answer = await world.authorize()
        assert (answer.status_code, answer.json()["errorType"]) == (503, code)


async def test_a_stalled_store_is_a_503_in_time(world: World) -> None:
    world.open(deadline_s=0.1)
    world.reads.gate = asyncio.Event()
    answer = await world.authorize()
    assert (answer.status_code, answer.json()["errorType"]) == (503, "VASP_BACKEND_INTERNAL_ERROR")


async def test_more_account_numbers_than_anybody_has(world: World) -> None:
    many = [f"a{number}" for number in range(1000)]
    answer = await world.authorize({**transfer(), **beneficiary(BTC, *many, persons=[name("Lind", "Erik")])})
    assert (answer.status_code, answer.json()["errorType"]) == (503, "INVALID_MSG_FIELD_VALUE")
    assert world.reads.asked == []
