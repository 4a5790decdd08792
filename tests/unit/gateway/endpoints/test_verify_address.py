"""M1, each row of the evaluation order of member-api.md section 2, and the second it has."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from schemas.events.persons import Person
from tests.support.gateway_scene import (
    BTC,
    HEADERS,
    NOW,
    OLD,
    OTHER,
    OWN,
    PEER,
    XRP,
    GatewayScene,
    Wallet,
    beneficiary,
    box,
    key,
    name,
    without,
)
from travelrule.policy.sections import Asset

PATH = "/v1/beneficiary/VerifyAddress"


async def refused(scene: GatewayScene, body: Any, headers: dict[str, str] | None = None) -> str:
    answer = await scene.send("POST", PATH, body, headers)
    assert answer.status_code == 503, answer.text
    return str(answer.json()["errorType"])


async def test_valid(scene: GatewayScene) -> None:
    assert await scene.verify() == {
        "result": "valid",
        "reasonType": "",
        "reasonMsg": "",
        "beneficiaryVaspEntityId": "south",
    }


@pytest.mark.parametrize(
    ("headers", "fields", "code"),
    [
        (without("X-Request-Origin"), {}, "MISSING_HEADER_FIELD"),
        (without("X-Code-Req-PubKey"), {}, "MISSING_HEADER_FIELD"),
        ({**HEADERS, "X-Request-Origin": ""}, {}, "MISSING_HEADER_FIELD"),
        ({**HEADERS, "X-Request-Origin": "north"}, {}, "INVALID_MSG_FIELD_VALUE"),
        ({**HEADERS, "X-Request-Origin": "code:no/rth"}, {}, "INVALID_MSG_FIELD_VALUE"),
        ({**HEADERS, "X-Code-Req-PubKey": "AAAA"}, {}, "INVALID_MSG_FIELD_VALUE"),
        (HEADERS, {"currency": None}, "MISSING_REQUIRED_MSG_FIELD"),
        (HEADERS, {"currency": ""}, "MISSING_REQUIRED_MSG_FIELD"),
        (HEADERS, {"payload": {}}, "MISSING_REQUIRED_MSG_FIELD"),
        (HEADERS, {"currency": 7}, "INVALID_MSG_FIELD_VALUE"),
        (HEADERS, {"payload": "no base64"}, "INVALID_ENCRYPTED_BODY"),
        (HEADERS, {"payload": {"ivms101": beneficiary(BTC)}}, "INVALID_MSG_FIELD_VALUE"),
        (HEADERS, {"payload": "AAAA"}, "INVALID_ENCRYPTED_BODY"),
        (HEADERS, {"payload": "%%%%"}, "INVALID_ENCRYPTED_BODY"),
        (HEADERS, {"payload": box(b"not json")}, "INVALID_ENCRYPTED_BODY"),
        (HEADERS, {"payload": box(b'{"x":1}')}, "INVALID_ENCRYPTED_BODY"),
        (HEADERS, {"payload": box(beneficiary(BTC), own=OTHER)}, "INVALID_ENCRYPTED_BODY"),
        (HEADERS, {"payload": box(beneficiary(BTC), to=OTHER)}, "INVALID_ENCRYPTED_BODY"),
        (HEADERS, {"payload": box({"Beneficiary": 7})}, "INVALID_MSG_FIELD_VALUE"),
        (HEADERS, {"payload": box(beneficiary(*map(str, range(101))))}, "INVALID_MSG_FIELD_VALUE"),
        (
            {**HEADERS, "X-Code-Req-Remote-PubKey": OTHER.public_base64},
            {"payload": box(beneficiary(BTC))},
            "INVALID_ENCRYPTED_BODY",
        ),
    ],
)
async def test_order_1_header_field_or_payload(
    scene: GatewayScene, headers: dict[str, str], fields: dict[str, Any], code: str
) -> None:
    body = {"currency": "BTC", "payload": box(beneficiary(BTC)), **fields}
    assert await refused(scene, body, headers) == code


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b'{"a":' * 100_000, b"\xff\xfe", b'"x"'])
async def test_order_1_body(scene: GatewayScene, body: bytes) -> None:
    assert await refused(scene, body) == "INVALID_MSG_FIELD_VALUE"


@pytest.mark.parametrize("inner", [{}, beneficiary(), beneficiary("", " "), {"Beneficiary": None}])
async def test_order_2_account_number(scene: GatewayScene, inner: Any) -> None:
    answer = await scene.verify(inner, currency="NOPE")
    assert (answer["result"], answer["reasonType"]) == ("invalid", "LACK_OF_INFORMATION")


async def test_order_3_currency(scene: GatewayScene) -> None:
    scene.rules(assets={"BTC": Asset(networks=("BTC",)), "XRP": Asset(enabled=False)})
    for currency, network, reason in (
        ("btc", "btc", ""),
        ("BTC", None, ""),
        ("BTC", "LN", "NOT_SUPPORTED_SYMBOL"),
        ("XRP", None, "NOT_SUPPORTED_SYMBOL"),
        ("ETH", None, "NOT_SUPPORTED_SYMBOL"),
    ):
        assert (await scene.verify(currency=currency, network=network))["reasonType"] == reason, (currency, network)
    # Order 3 comes before order 4: an address without owner does not hide a currency that is not served.
    assert (await scene.verify(beneficiary("nowhere"), currency="ETH"))["reasonType"] == "NOT_SUPPORTED_SYMBOL"


@pytest.mark.parametrize(
    ("number", "currency", "network", "found"),
    [
        (BTC, "BTC", None, True),
        (BTC, "btc", "", True),
        (BTC + ":123", "BTC", None, True),
        (BTC.lower(), "BTC", None, False),
        (XRP + ":77001", "XRP", None, True),
        (XRP + ":77001", "XRP", "xrp", True),
        (XRP, "XRP", None, False),
        (XRP + ":", "XRP", None, False),
        (XRP + ":77002", "XRP", None, False),
        ("nowhere", "BTC", None, False),
    ],
)
async def test_order_4_address(
    scene: GatewayScene, number: str, currency: str, network: str | None, *, found: bool
) -> None:
    answer = await scene.verify(beneficiary(number), currency=currency, network=network)
    expected = ("valid", "", "south") if found else ("invalid", "NOT_FOUND_ADDRESS", "")
    assert (answer["result"], answer["reasonType"], answer["beneficiaryVaspEntityId"]) == expected


async def test_order_4_every_address_must_be_ours(scene: GatewayScene) -> None:
    assert (await scene.verify(beneficiary(BTC, "nowhere")))["reasonType"] == "NOT_FOUND_ADDRESS"


async def test_order_4_the_encrypted_address_decides(scene: GatewayScene) -> None:
    assert (await scene.verify(beneficiary("nowhere"), address=BTC))["reasonType"] == "NOT_FOUND_ADDRESS"
    assert (await scene.verify(beneficiary(XRP), currency="XRP", tag="77001"))["reasonType"] == "NOT_FOUND_ADDRESS"


async def test_order_5_kyc_before_6_sanctions(scene: GatewayScene) -> None:
    scene.rules(sanctions="required")
    scene.screen.wallet_hit = True
    assert (await scene.verify())["reasonType"] == "SANCTION_LIST"
    scene.reads.wallets[0].kyc = False
    assert (await scene.verify())["reasonType"] == "NOT_KYC_USER"


async def test_order_6_what_was_not_screened_is_not_clean(scene: GatewayScene) -> None:
    scene.screen.wallet_hit = None
    scene.rules(sanctions="off")
    assert (await scene.verify())["result"] == "valid"
    scene.rules(sanctions="required")
    answer = await scene.verify()
    assert (answer["result"], answer["reasonType"]) == ("invalid", "UNKNOWN")


async def test_order_6_whom_the_request_names_is_screened_before_order_7(scene: GatewayScene) -> None:
    scene.rules(sanctions="required")
    named = beneficiary(BTC, persons=[name("Lund", "Eva")])
    scene.screen.person_hits = {"Lund": True}
    assert (await scene.verify(named))["reasonType"] == "SANCTION_LIST"
    assert (await scene.verify())["result"] == "valid", "nobody is named"
    scene.screen.wallet_hit = None
    assert (await scene.verify(named))["reasonType"] == "SANCTION_LIST", "a hit counts whatever else is not known"
    scene.screen.wallet_hit, scene.screen.persons_known = False, False
    scene.screen.person_hits = {}
    answer = await scene.verify(named)
    assert (answer["reasonType"], answer["reasonMsg"]) == ("UNKNOWN", "the address could not be screened")


@pytest.mark.parametrize(
    ("persons", "fine"),
    [
        ([], True),
        ([name("LIND", "erik")], True),
        ([name("Erik", "Lind")], True),
        ([name("", "")], True),
        ([name("Lund", "Erik")], False),
        ([{"legalPerson": {"name": {"nameIdentifier": [{"legalPersonName": "Lind"}]}}}], False),
    ],
)
async def test_order_7_name_of_the_owner(scene: GatewayScene, persons: Any, *, fine: bool) -> None:
    answer = await scene.verify(beneficiary(BTC, persons=persons))
    assert answer["result"] == ("valid" if fine else "invalid")
    assert answer["reasonType"] == ("" if fine else "UNKNOWN")
    assert bool(answer["reasonMsg"]) is not fine


async def test_order_7_name_on_a_stored_authorization(scene: GatewayScene) -> None:
    """D37: any mismatch is a mismatch, also one with what an earlier authorization said."""
    stored: list[list[dict[str, Any]]] = [[name("Lind", "Erik")]]

    async def named(_: Any) -> list[list[dict[str, Any]]]:
        return stored

    scene.named = named
    sent = beneficiary(BTC, persons=[name("Lind", "Erik")])
    assert (await scene.verify(sent))["result"] == "valid"
    stored.append([name("Lund", "Eva")])
    assert (await scene.verify(sent))["reasonType"] == "UNKNOWN"


async def test_an_owner_without_name_matches_nobody(scene: GatewayScene) -> None:
    scene.reads.wallets[0].owner = None
    assert (await scene.verify())["result"] == "valid"
    assert (await scene.verify(beneficiary(BTC, persons=[name("Lind", "Erik")])))["result"] == "invalid"


async def test_several_wallets_at_one_address_all_count(scene: GatewayScene) -> None:
    other = Person.model_validate({"natural": {"lastName": "Lund"}})
    scene.reads.wallets.append(Wallet(BTC, owner=other, wallet_id="w-9"))
    assert (await scene.verify(beneficiary(BTC, persons=[name("Lind", "Erik")])))["result"] == "invalid"


async def test_outsiders_get_invalid_and_the_hub_never_does(scene: GatewayScene) -> None:
    scene.directory.add("codevasp", key(OTHER))
    scene.rules(accept_origins=("east",))
    answer = await scene.verify()
    assert (answer["result"], answer["reasonType"]) == ("invalid", "UNKNOWN")
    assert answer["beneficiaryVaspEntityId"] == ""
    assert scene.reads.asked == []
    hub = {**HEADERS, "X-Request-Origin": "code:codevasp", "X-Code-Req-PubKey": OTHER.public_base64}
    answer = await scene.verify(headers=hub, payload=box(beneficiary(BTC), own=OTHER))
    assert answer["result"] == "valid"


async def test_rotation_an_older_own_key_still_opens(scene: GatewayScene) -> None:
    old = {**HEADERS, "X-Code-Req-Remote-PubKey": OLD.public_base64}
    assert (await scene.verify(headers=old, payload=box(beneficiary(BTC), to=OLD)))["result"] == "valid"
    # Without the header all own keys are tried.
    unnamed = without("X-Code-Req-Remote-PubKey")
    for own in (OWN, OLD):
        assert (await scene.verify(headers=unnamed, payload=box(beneficiary(BTC), to=own)))["result"] == "valid"


async def test_it_is_a_pure_read(scene: GatewayScene) -> None:
    first = await scene.verify()
    assert [await scene.verify() for _ in range(3)] == [first] * 3
    assert scene.intake.items == []


async def test_it_answers_negative_itself_before_the_second_is_over(scene: GatewayScene) -> None:
    """The lookup would never end: the answer can only come from the limit, which leaves time for the way back."""
    scene.reads.gate = asyncio.Event()
    answer = await scene.verify()
    assert (answer["result"], answer["reasonType"]) == ("invalid", "UNKNOWN")
    assert scene.deps().verify_deadline_s < 1.0


async def test_a_slow_body_counts_too(scene: GatewayScene) -> None:
    scene.open(verify_deadline_s=0.1)
    never = asyncio.Event()

    async def dripping() -> Any:
        yield b'{"currency":'
        await never.wait()

    assert scene.client is not None
    answer = await scene.client.post(PATH, content=dripping(), headers={**HEADERS, "Content-Type": "application/json"})
    assert answer.json()["reasonType"] == "UNKNOWN"


async def test_a_failing_database_is_a_503(scene: GatewayScene) -> None:
    scene.reads.failure = ConnectionError("Erik Lind")
    answer = await scene.send("POST", PATH, {"currency": "BTC", "payload": box(beneficiary(BTC))})
    assert (answer.status_code, answer.json()["errorType"]) == (503, "VASP_BACKEND_INTERNAL_ERROR")
    assert "Erik" not in answer.text


async def test_an_expired_key_is_not_the_senders(scene: GatewayScene) -> None:
    scene.directory.add("north", key(PEER, days=-1))
    scene.current["north"] = (key(PEER, days=-1),)
    body = {"currency": "BTC", "payload": box(beneficiary(BTC))}
    assert await refused(scene, body) == "INVALID_HEADER_SIGNATURE"
    assert scene.now == NOW
