"""The ``data-request`` machine: each order of member-api.md section 8, the stored answer, and what never leaves."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import orjson
import pytest

from schemas.events.persons import Person
from schemas.events.withdrawals import WithdrawalRequested
from schemas.wire_model import Wire
from tests.support.events import ADDRESS, TAG, TXID
from tests.support.vasps import NOW
from travelrule.deposits.served_requests.examination import may_receive
from travelrule.deposits.served_requests.machine import MACHINE
from travelrule.deposits.served_requests.received_request import (
    DATA_REQUEST_INPUTS,
    DataRequestReceived,
    WithdrawalFacts,
)
from travelrule.deposits.served_requests.state import DataRequestState
from travelrule.identity.payload_faults import payload_faults
from travelrule.identity.profile import VaspProfile
from travelrule.machine.decision import Decision
from travelrule.machine.effects import Alert, Reply
from travelrule.machine.input import Input
from travelrule.messages.inbound_request import FinishReceived, SenderFacts
from travelrule.policy.policy import HUB_ENTITY, OwnVasp, Policy

PROFILE = VaspProfile.from_toml(
    'legal_name = "South Exchange Ltd."\ncountry_of_registration = "KR"\n[address]\ntown = "Seoul"\ncountry = "KR"'
)
NORTH = SenderFacts(entity_id="north", alliance="code", country="SG")
ERIK = {"natural": {"lastName": "Lind", "firstName": "Erik"}}
COMPANY = {"legal": {"name": "Birch Trading Ltd.", "representatives": [{"lastName": "Moreau", "firstName": "Claire"}]}}


def rules(text: str = "", profile: VaspProfile | None = PROFILE) -> Policy:
    return Policy.from_toml(text).with_own(OwnVasp("south", "code:south", profile))


def withdrawal(number: int = 1, **changes: Any) -> WithdrawalRequested:
    facts = {
        "withdrawalId": f"out-{number}",
        "currency": "XRP",
        "network": "XRP",
        "amount": "250.50",
        "tradePrice": "150.30",
        "tradeCurrency": "USD",
        "isExceedingThreshold": False,
        "destination": {"kind": "unknown", "address": ADDRESS, "tag": TAG},
        "originator": {
            "customerId": "c-1001",
            "natural": {
                "lastName": "Berg",
                "firstName": "Anna",
                "localLastName": "베르그",
                "localFirstName": "안나",
                "dateOfBirth": "1990-02-03",
            },
        },
        "beneficiary": ERIK,
        **changes,
    }
    return WithdrawalRequested.model_validate(facts)


def found(number: int = 1, **changes: Any) -> WithdrawalFacts:
    return WithdrawalFacts(subject=f"withdrawal:out-{number}", request=withdrawal(number, **changes))


def named(last: str, first: str) -> dict[str, Any]:
    entry = {"primaryIdentifier": last, "secondaryIdentifier": first, "nameIdentifierType": "LEGL"}
    return {"naturalPerson": {"name": {"nameIdentifier": [entry]}}}


def company(name: str) -> dict[str, Any]:
    entry = {"legalPersonName": name, "legalPersonNameIdentifierType": "LEGL"}
    return {"legalPerson": {"name": {"nameIdentifier": [entry]}, "countryOfRegistration": "GB"}}


def payload(*persons: Any, **changes: Any) -> dict[str, Any]:
    return {
        "Beneficiary": {
            "beneficiaryPersons": list(persons) or [named("Lind", "Erik")],
            "accountNumber": [f"{ADDRESS}:{TAG}"],
        },
        "BeneficiaryVASP": {"beneficiaryVASP": company("North Exchange Ltd.")},
        **changes,
    }


def request(*withdrawals: WithdrawalFacts, **changes: Any) -> DataRequestReceived:
    facts: dict[str, Any] = {
        "origin": "code:north",
        "entity_id": "north",
        "transfer_id": "r-1",
        "txid": TXID,
        "beneficiary_address": f"{ADDRESS}:{TAG}",
        "ivms101": payload(),
        "requester": NORTH,
        "withdrawals": withdrawals or (found(),),
    }
    return DataRequestReceived(**{**facts, **changes})


def item(data: Wire) -> Input:
    return Input("/gateway/x", "i", "data-request.received", "data-request:north/r-1", NOW, data, b"{}", UUID(int=1))


def decide(data: Wire, state: DataRequestState | None = None, policy: Policy | None = None) -> Decision[Any]:
    """Decide; what is written must read back equal, and an input must survive its storage."""
    read_back = type(data).model_validate_json(data.model_dump_json(by_alias=True))
    decision = MACHINE.decide(state, item(read_back), policy or rules(), NOW)
    if decision.state is not None:
        assert MACHINE.load(MACHINE.dump(decision.state)) == decision.state
        assert MACHINE.project(decision.state).status == decision.state.status
    return decision


def answer(decision: Decision[Any]) -> dict[str, Any]:
    (reply,) = decision.effects
    assert isinstance(reply, Reply)
    return reply.body


def told(decision: Decision[Any]) -> tuple[str, str]:
    """The result with its reason; an error must say why and nothing else."""
    body = answer(decision)
    if body["result"] == "error":
        assert set(body) == {"result", "reasonType", "reasonMsg", "transferId"}
        assert body["reasonMsg"]
        assert decision.state.withdrawal == ""
    assert (decision.state.status, decision.state.reason) == (body["result"], body["reasonType"])
    return body["result"], body["reasonType"]


NORMAL = ("normal", "")
UNKNOWN = ("error", "UNKNOWN")
LACKS = ("error", "LACK_OF_INFORMATION")


UNBORN = {"lastName": "Berg", "firstName": "Anna"}
BORN = {**UNBORN, "dateOfBirth": "1990-02-03"}
MOREAU = {"lastName": "Moreau", "firstName": "Claire"}


@pytest.mark.parametrize(
    ("known", "kyc", "owner", "missing"),
    [
        ({"natural": BORN}, None, None, ""),
        ({"natural": UNBORN}, None, None, "originator.natural.dateOfBirth"),
        ({"natural": UNBORN}, True, {"natural": BORN}, ""),
        ({"natural": UNBORN}, False, {"natural": BORN}, "originator.natural.dateOfBirth"),
        ({"natural": UNBORN}, True, {"natural": {**BORN, "lastName": "Other"}}, "originator.natural.dateOfBirth"),
        ({"legal": {"name": "Birch"}}, None, None, "originator.legal.representatives"),
        ({"legal": {"name": "Birch"}}, True, {"legal": {"name": "Birch", "representatives": [MOREAU]}}, ""),
        (
            {"legal": {"name": "Birch"}},
            True,
            {"legal": {"name": "Oak", "representatives": [MOREAU]}},
            "originator.legal.representatives",
        ),
    ],
)
def test_what_must_be_sent_is_filled_in_from_kyc_or_an_operator_is_told(
    known: Any, kyc: bool | None, owner: Any, missing: str
) -> None:
    """Order 6: `normal` with what exists; what is given out incomplete is never silent."""
    facts = found(originator={"customerId": "c-1001", **known}).model_copy(
        update={"kyc": kyc, "owner": None if owner is None else Person.model_validate(owner)}
    )
    decision = decide(request(facts))
    reply, *more = decision.effects
    assert isinstance(reply, Reply)
    assert reply.body["result"] == "normal"
    persons = reply.body["payload"]["Originator"]["originatorPersons"]
    complete = len(persons) == 2 or "dateAndPlaceOfBirth" in persons[0].get("naturalPerson", {})
    assert complete == (missing == "")
    assert more == ([Alert("DATA_ANSWER_INCOMPLETE", "warning", "north")] if missing else [])
    assert decision.rule == (f"M7: normal with what exists, without {missing}" if missing else "M7: normal")


def test_a_policy_that_sends_without_needs_no_alert() -> None:
    relaxed = rules('[send_without]\nnorth = ["date-of-birth"]')
    decision = decide(request(found(originator={"customerId": "c", "natural": UNBORN})), policy=relaxed)
    assert told(decision) == NORMAL


def test_normal() -> None:
    decision = decide(request())
    assert told(decision) == NORMAL
    body = answer(decision)
    assert {field: value for field, value in body.items() if field != "payload"} == {
        "result": "normal",
        "reasonType": "",
        "reasonMsg": "",
        "transferId": "r-1",
        "currency": "XRP",
        "amount": "250.50",
        "historicalCost": "",
        "tradePrice": "150.30",
        "tradeCurrency": "USD",
        "isExceedingThreshold": "false",
    }
    assert payload_faults(body["payload"], "data-response", sending=False) == []
    assert decision.state.withdrawal == "withdrawal:out-1"
    projection = MACHINE.project(decision.state)
    assert (projection.status, projection.counterparty) == ("normal", "north")


def test_the_own_threshold_is_told_too() -> None:
    body = answer(decide(request(found()), policy=rules("[thresholds]\nUSD = 150")))
    assert body["isExceedingThreshold"] == "true"


def test_what_was_sent_is_copied_and_the_originator_is_ours() -> None:
    sent = payload(extra=1, Originator={"originatorPersons": [named("Invented", "Name")], "accountNumber": ["x"]})
    inner = answer(decide(request(ivms101=sent)))["payload"]
    assert {part: inner[part] for part in ("Beneficiary", "BeneficiaryVASP", "extra")} == {
        part: sent[part] for part in ("Beneficiary", "BeneficiaryVASP", "extra")
    }
    assert b"Invented" not in orjson.dumps(inner)
    assert inner["Originator"]["accountNumber"] == ["c-1001"]


@pytest.mark.parametrize(("country", "first"), [("KR", "베르그"), ("SG", "Berg"), (None, "Berg")])
def test_korean_names_between_korean_vasps(country: str | None, first: str) -> None:
    requester = SenderFacts(entity_id="north", country=country)
    inner = answer(decide(request(requester=requester)))["payload"]
    name = inner["Originator"]["originatorPersons"][0]["naturalPerson"]["name"]
    assert name["nameIdentifier"][0]["primaryIdentifier"] == first


def test_order_2_nothing_found() -> None:
    decision = decide(request(withdrawals=(), ivms101={}, requester=None))
    assert told(decision) == ("error", "NOT_FOUND_TXID")


@pytest.mark.parametrize(
    "inner",
    [
        {},
        payload(Beneficiary={}),
        payload(Beneficiary={"beneficiaryPersons": [named("Lind", "Erik")], "accountNumber": []}),
        payload(Beneficiary=["x"]),
        payload(BeneficiaryVASP=None),
        payload(BeneficiaryVASP={"beneficiaryVASP": {}}),
        payload(company("Birch Trading Ltd.")),
        payload(named("Moreau", "Claire"), company("Birch Trading Ltd.")),
        payload(Beneficiary={"beneficiaryPersons": [{"naturalPerson": "x"}], "accountNumber": [ADDRESS]}),
        # No name proves nothing, and proves no difference either.
        payload(Beneficiary={"beneficiaryPersons": [], "accountNumber": [ADDRESS]}),
        payload(named("", "")),
    ],
)
def test_order_3_incomplete(inner: dict[str, Any]) -> None:
    assert told(decide(request(ivms101=inner))) == LACKS


@pytest.mark.parametrize(
    ("text", "requester"),
    [
        ("", None),
        ('deny_list = ["north"]', NORTH),
        ('allow_list = ["east"]', NORTH),
        ('accept_origins = ["east"]', NORTH),
    ],
)
def test_order_4_the_requester(text: str, requester: SenderFacts | None) -> None:
    assert told(decide(request(requester=requester), policy=rules(text))) == UNKNOWN


def test_order_3_comes_before_order_4() -> None:
    assert told(decide(request(requester=None, ivms101=payload(BeneficiaryVASP={})))) == LACKS


def test_may_receive() -> None:
    hub = SenderFacts(entity_id=HUB_ENTITY)
    strict = rules('allow_list = ["east"]\naccept_origins = ["code:north"]\ndeny_list = ["codevasp"]')
    assert may_receive(hub, "code:codevasp", strict)
    assert not may_receive(None, "code:codevasp", rules())
    assert not may_receive(NORTH, "code:north", strict)
    assert may_receive(NORTH, "code:north", rules('allow_list = ["north"]\naccept_origins = ["code:north"]'))


@pytest.mark.parametrize(
    ("payee", "sent", "result"),
    [
        (ERIK, [named("LIND", "erik")], NORMAL),
        (ERIK, [named("Erik", "Lind")], NORMAL),
        (ERIK, [named("Lind", "Eric")], UNKNOWN),
        (ERIK, [named("Lind", "Erik"), named("Quagmire", "Zoe")], UNKNOWN),
        (ERIK, [company("Lind Ltd."), named("Lind", "Erik")], UNKNOWN),
        (COMPANY, [company("Birch Trading"), named("Moreau", "Claire")], NORMAL),
        (COMPANY, [company("Birch Trading Ltd."), named("Moreau", "Clara")], UNKNOWN),
        (COMPANY, [named("Moreau", "Claire")], UNKNOWN),
    ],
)
def test_order_4_the_payee(payee: Any, sent: list[Any], result: tuple[str, str]) -> None:
    assert told(decide(request(found(beneficiary=payee), ivms101=payload(*sent)))) == result


def test_order_5_neither_kyc_nor_identity_data() -> None:
    nameless = {"customerId": "c-1", "natural": {"lastName": " - ", "firstName": "1"}}
    facts = found(originator=nameless)
    anna = Person.model_validate({"natural": {"lastName": "Berg", "dateOfBirth": "1990-02-03"}})
    for kyc, owner, result in (
        (None, None, LACKS),
        (False, None, LACKS),
        (False, anna, LACKS),
        (True, None, LACKS),
        (True, Person.model_validate({"natural": {"lastName": "."}}), LACKS),
        (True, anna, NORMAL),
    ):
        known = facts.model_copy(update={"kyc": kyc, "owner": owner})
        decision = decide(request(known))
        assert told(decision) == result, (kyc, owner)
    (person,) = answer(decision)["payload"]["Originator"]["originatorPersons"]
    assert person["naturalPerson"]["name"]["nameIdentifier"][0]["primaryIdentifier"] == "Berg"
    assert person["naturalPerson"]["customerIdentification"] == "c-1"


def test_order_6_identity_data_without_kyc_are_told() -> None:
    assert told(decide(request(found().model_copy(update={"kyc": False})))) == NORMAL


def test_an_erased_withdrawal_tells_nobody_anything() -> None:
    gone = WithdrawalFacts(subject="withdrawal:out-9")
    assert told(decide(request(gone))) == LACKS
    assert told(decide(request(gone, requester=None))) == UNKNOWN
    assert told(decide(request(gone, found()))) == NORMAL


def test_two_outputs_to_one_address_are_told_apart_by_payee() -> None:
    """One batch pays two people behind the same address; each request names its own."""
    zoe = found(2, beneficiary={"natural": {"lastName": "Quagmire", "firstName": "Zoe"}}, amount="7")
    both = (found(), zoe)
    assert answer(decide(request(*both)))["amount"] == "250.50"
    assert answer(decide(request(*both, ivms101=payload(named("Quagmire", "Zoe")))))["amount"] == "7"
    assert told(decide(request(*both, ivms101=payload(named("Bloggs", "Joe"))))) == UNKNOWN


def test_two_outputs_of_one_customer_to_one_payee_have_one_originator() -> None:
    decision = decide(request(found(1, amount="1"), found(2, amount="2")))
    assert (told(decision), answer(decision)["amount"]) == (NORMAL, "1")


def test_two_customers_who_paid_the_same_payee_are_not_guessed_between() -> None:
    other = found(2, originator={"customerId": "c-2", "natural": {**BORN, "lastName": "Other"}}, currency="USDT")
    assert told(decide(request(found(), other))) == UNKNOWN
    # The currency of the request, where there is one, says which.
    assert answer(decide(request(found(), other, currency="usdt")))["currency"] == "USDT"
    assert told(decide(request(found(), other, currency="BTC"))) == UNKNOWN


def test_a_currency_that_fits_nothing_excludes_nothing() -> None:
    assert told(decide(request(currency="ETH"))) == NORMAL


def test_asked_again_from_another_alliance_of_the_same_entity() -> None:
    """Another source is another input; the subject still has its answer."""
    state = decide(request()).state
    again = decide(request(origin="gtr:north", txid="0x" + TXID.lower(), withdrawals=()), state)
    assert (again.status, answer(again)) == ("duplicate", state.answer)
    assert again.state == state


@pytest.mark.parametrize("changes", [{"txid": "ab" * 32}, {"beneficiary_address": ADDRESS}, {"entity_id": "east"}])
def test_known_with_another_transaction(changes: dict[str, Any]) -> None:
    state = decide(request()).state
    decision = decide(request(**changes), state)
    assert (decision.status, decision.code, decision.effects) == ("rejected", "DUPLICATED_TRANSFER_ID", ())
    assert decision.state == state


def test_what_cannot_be_answered_leaves_nothing_behind() -> None:
    deep: Any = "x"
    for _ in range(70):
        deep = [deep]
    for data, policy, code in (
        (request(), rules(profile=None), "VASP_BACKEND_INTERNAL_ERROR"),
        (request(ivms101=payload(extra=deep)), rules(), "INVALID_MSG_FIELD_VALUE"),
        (FinishReceived(origin="code:north", entity_id="north", transfer_id="r-1"), rules(), "UNKNOWN_TYPE"),
    ):
        decision = MACHINE.decide(None, item(data), policy, NOW)
        assert (decision.state, decision.status, decision.code, decision.effects) == (None, "rejected", code, ())


def test_no_personal_data_in_reprs_or_refusals() -> None:
    decision = decide(request(ivms101=payload(named("Zebulon", "Quagmire"))))
    good = decide(request())
    shown = repr(decision) + repr(good) + repr(request()) + repr(found()) + answer(decision)["reasonMsg"]
    assert [word for word in ("Zebulon", "Quagmire", "Berg", "Lind", ADDRESS, "c-1001") if word in shown] == []


def test_the_engine_can_read_these_inputs() -> None:
    assert {"data-request.received": DataRequestReceived} == DATA_REQUEST_INPUTS
