"""The data request: what is sent to whom, and what the answer must hold."""

from __future__ import annotations

import pytest

from schemas.hub.search import DataRequest
from tests.support.deposit_scenes import (
    CONFIRMED,
    WALLET,
    DepositScene,
    answer_payload,
    context,
    data,
    polling,
    reported,
    requesting,
    result,
)
from tests.support.events import ADDRESS, TAG, TXID
from tests.support.inbound_messages import OWNER, natural
from travelrule.identity.payload_faults import payload_faults
from travelrule.machine.effects import AcceptAnswer
from travelrule.policy.policy import OwnVasp

GTR = {"alliance": "gtr"}
FORBIDDEN = 'deny_list = ["north"]'
HELD_ALL_THE_SAME = f"{FORBIDDEN}\n[verdicts]\nCOUNTERPARTY_NOT_ALLOWED = 'hold'"


def failed(scene: DepositScene, code: str, status: int = 0, outcome: str = "failed"):
    return reported("data-request", scene.request_id, outcome, target="north", status=status, code=code)


def refused(scene: DepositScene, reason: str):
    return data(scene.request_id, None, result="error", reasonType=reason)


def test_a_member_of_the_own_network_is_sent_two_objects_under_the_id_of_the_search():
    scene = polling()
    request_id = scene.request_id
    scene.submit(result(request_id))
    (call,) = scene.calls
    assert (call.operation, call.target, call.correlation_id) == ("data-request", "north", request_id)
    body = DataRequest.model_validate({**call.clear, "payload": "sealed"})
    assert (body.transfer_id, body.txid, body.beneficiary_address) == (request_id, TXID, f"{ADDRESS}:{TAG}")
    assert (body.currency, body.network) == ("XRP", "XRP")
    assert set(call.payload) == {"Beneficiary", "BeneficiaryVASP"}
    assert not payload_faults(call.payload, "data-request")


def test_a_vasp_of_another_network_is_sent_the_originator_too():
    scene = requesting(**GTR)
    (call,) = scene.calls
    assert set(call.payload) == {"Originator", "Beneficiary", "BeneficiaryVASP"}
    assert call.payload["Originator"]["originatorPersons"] == call.payload["Beneficiary"]["beneficiaryPersons"]
    assert not payload_faults(call.payload, "data-request", "gtr")


def test_data_that_the_network_requires_and_nobody_has_are_not_left_out():
    unborn = {"natural": {"lastName": "Lind", "firstName": "Erik"}}
    scene = requesting(wallet={**WALLET, "owner": unborn}, **GTR)
    assert scene.verdict == ("hold", "INFORMATION_INCOMPLETE", False)
    assert scene.emitted("verdicts")[0]["missing"] == ["owner.natural.dateOfBirth"]
    assert not scene.calls
    scene.fire("held")
    assert len(scene.look_ups) == 1
    scene.submit(context(wallet={**WALLET, "owner": unborn}))
    assert not scene.calls
    assert scene.silent
    scene.fire("held")
    scene.submit(context())
    assert scene.operations == ["data-request"]


@pytest.mark.parametrize("network", [{}, {"alliance": "sumsub"}, GTR], ids=["own", "sumsub", "gtr"])
def test_a_company_is_not_named_without_its_representative(network):
    scene = requesting(wallet={**WALLET, "owner": {"legal": {"name": "Birch"}}}, **network)
    assert scene.verdict == ("hold", "INFORMATION_INCOMPLETE", False)
    said = scene.emitted("verdicts")[0]
    assert (said["needs"], said["missing"]) == (["information"], ["owner.legal.representatives"])
    assert not scene.calls


@pytest.mark.parametrize(("rules", "sent"), [("", False), ('[send_without]\nnorth = ["date-of-birth"]', True)])
def test_our_customer_as_originator_has_a_date_of_birth_unless_the_policy_says_otherwise(rules, sent):
    unborn = {"natural": {"lastName": "Lind", "firstName": "Erik"}}
    scene = requesting(rules, wallet={**WALLET, "owner": unborn}, alliance="sumsub")
    if sent:
        assert scene.operations == ["data-request"]
    else:
        assert scene.emitted("verdicts")[0]["missing"] == ["owner.natural.dateOfBirth"]


def test_data_that_fit_are_allowed_when_final():
    scene = requesting()
    scene.submit(data(scene.request_id))
    assert scene.verdict == ("hold", "AWAITING_FINALITY", False)
    scene.submit(CONFIRMED)
    assert scene.verdict == ("allow", "DATA_RECEIVED", True)
    said = scene.emitted("verdicts")[0]
    assert (said["counterparty"], said["transferId"]) == ("north", scene.request_id)


@pytest.mark.parametrize(
    ("payload", "body", "reason"),
    [
        ({}, {"amount": "250.4"}, "AMOUNT_MISMATCH"),
        ({}, {"amount": ""}, "AMOUNT_MISMATCH"),
        ({}, {"amount": "1e3"}, "AMOUNT_MISMATCH"),
        ({}, {"currency": "USDT"}, "ASSET_MISMATCH"),
        ({}, {"currency": ""}, "ASSET_MISMATCH"),
        ({"Beneficiary": {"beneficiaryPersons": [natural("Berg", "Erik")], "accountNumber": [f"{ADDRESS}:{TAG}"]}}, {},
         "NAME_MISMATCH"),
        ({"Beneficiary": {"beneficiaryPersons": [], "accountNumber": [f"{ADDRESS}:{TAG}"]}}, {}, "NAME_MISMATCH"),
        ({"Beneficiary": {"beneficiaryPersons": [natural("Lind", "Erik")], "accountNumber": [f"{ADDRESS}:9"]}}, {},
         "ADDRESS_MISMATCH"),
    ],
)  # fmt: skip
def test_what_differs_is_held_for_an_operator(payload, body, reason):
    scene = requesting()
    scene.submit(CONFIRMED, data(scene.request_id, answer_payload(**payload), **body))
    assert scene.verdict == ("hold", reason, False)
    assert scene.alerts == ["DEPOSIT_MISMATCH"]
    assert scene.state.received is None


@pytest.mark.parametrize(
    "payload",
    [
        None,
        answer_payload(Originator={}),
        answer_payload(OriginatingVASP={}),
        answer_payload(Originator={"originatorPersons": [{"naturalPerson": 7}], "accountNumber": ["a"]}),
    ],
)
def test_normal_without_travel_rule_data_is_no_answer(payload):
    scene = requesting()
    scene.submit(CONFIRMED, data(scene.request_id, payload))
    assert scene.verdict == ("hold", "PAYLOAD_UNREADABLE", False)
    assert scene.alerts == ["PAYLOAD_UNREADABLE"]


@pytest.mark.parametrize("network", [{}, GTR], ids=["own", "gtr"])
def test_an_originator_whose_name_nobody_can_read_is_no_answer(network):
    scene = requesting(**network)
    sender = {"originatorPersons": [natural("\u202e", "")], "accountNumber": ["a"]}
    scene.submit(CONFIRMED, data(scene.request_id, answer_payload(Originator=sender)))
    assert scene.verdict == ("hold", "PAYLOAD_UNREADABLE", False)


def test_an_answer_nested_without_end_is_not_walked():
    deep: dict = {}
    for _ in range(150):
        deep = {"a": deep}
    scene = requesting()
    scene.submit(data(scene.request_id, {"Originator": deep}))
    assert scene.verdict == ("hold", "PAYLOAD_UNREADABLE", False)


def test_normal_of_another_network_confirms_what_was_sent():
    scene = requesting(**GTR)
    scene.submit(CONFIRMED, data(scene.request_id, None, currency="", amount=""))
    assert scene.verdict == ("allow", "DATA_RECEIVED", True)


def test_another_network_that_names_another_amount_is_held():
    scene = requesting(**GTR)
    scene.submit(CONFIRMED, data(scene.request_id, None, amount="9"))
    assert scene.verdict == ("hold", "AMOUNT_MISMATCH", False)


@pytest.mark.parametrize(
    ("rule", "sender", "reason"),
    [
        ("first_party_only = true", natural("Berg", "Anna"), "NAME_MISMATCH"),
        ("first_party_only = true", natural("Lind", "Erik"), "DATA_RECEIVED"),
        ("check_date_of_birth = true", natural("Berg", "Anna"), "NAME_MISMATCH"),
    ],
)
def test_the_policys_name_rules_hold_for_received_data(rule, sender, reason):
    scene = requesting(f"[names]\n{rule}")
    born = natural("Lind", "Erik", "1999-09-09" if "birth" in rule else "")
    payload = answer_payload(
        Originator={"originatorPersons": [sender], "accountNumber": ["a"]},
        Beneficiary={"beneficiaryPersons": [born], "accountNumber": [f"{ADDRESS}:{TAG}"]},
    )
    scene.submit(CONFIRMED, data(scene.request_id, payload))
    assert scene.verdict[1] == reason


def test_a_transaction_that_the_vasp_does_not_find_is_searched_once_more_with_a_new_id():
    scene = requesting()
    old = scene.request_id
    scene.submit(refused(scene, "NOT_FOUND_TXID"))
    assert scene.verdict == ("hold", "SEARCHING", False)
    assert not scene.calls
    scene.fire("search")
    assert scene.operations == ["txid-search"]
    assert scene.request_id != old
    scene.submit(result(scene.request_id))
    scene.submit(refused(scene, "NOT_FOUND_TXID"))
    assert scene.verdict == ("hold", "ORIGINATOR_UNKNOWN", False)
    assert scene.alerts == ["DATA_REQUEST_REFUSED"]


@pytest.mark.parametrize("reason", ["LACK_OF_INFORMATION", "UNKNOWN", "UNKNOWN_TRANSFER_ID", "", "something new"])
def test_a_refusal_is_held_with_an_alert(reason):
    scene = requesting()
    scene.submit(refused(scene, reason))
    assert scene.verdict == ("hold", "ORIGINATOR_UNKNOWN", False)
    assert scene.alerts == ["DATA_REQUEST_REFUSED"]


@pytest.mark.parametrize(
    ("code", "reason", "seconds"),
    [
        ("BENEFICIARY_VASP_REQUEST_TIMEOUT", "COUNTERPARTY_UNREACHABLE", (300, 300)),
        ("NO_ANSWER", "HUB_UNREACHABLE", (5, 7.5)),
    ],
)
def test_calls_used_up_are_tried_again_under_the_same_id(code, reason, seconds):
    scene = requesting()
    request_id = scene.request_id
    scene.submit(failed(scene, code))
    assert scene.verdict == ("hold", reason, False)
    assert seconds[0] <= (scene.state.timers["try"] - scene.now).total_seconds() <= seconds[1]
    scene.fire("try")
    assert [(call.operation, call.correlation_id) for call in scene.calls] == [("data-request", request_id)]
    scene.submit(data(request_id))
    assert scene.verdict == ("hold", "AWAITING_FINALITY", False)
    assert scene.state.failures == 0


def test_a_vasp_that_is_down_is_waited_for_with_an_alert_at_the_limit():
    scene = requesting()
    scene.submit(failed(scene, "COUNTERPARTY_DOWN", outcome="deferred"))
    assert scene.verdict == ("hold", "COUNTERPARTY_UNREACHABLE", False)
    alerts = []
    for _ in range(40):
        scene.fire("try")
        alerts += scene.alerts
        assert scene.drops == [("data-request",)]
    assert alerts.count("COUNTERPARTY_UNREACHABLE") == 1
    scene.submit(CONFIRMED, data(scene.request_id))
    assert scene.verdict == ("allow", "DATA_RECEIVED", True)


def test_a_request_without_any_answer_is_sent_again():
    scene = requesting()
    assert (scene.state.timers["try"] - scene.now).total_seconds() == 600
    scene.fire("try")
    assert scene.operations == ["data-request"]
    assert "try" in scene.state.timers


def test_an_id_that_the_vasp_knows_needs_a_new_search():
    scene = requesting()
    scene.submit(failed(scene, "DUPLICATED_TRANSFER_ID", 503))
    assert scene.state.status == "searching"
    scene.fire("search")
    scene.submit(result(scene.request_id))
    scene.submit(failed(scene, "DUPLICATED_TRANSFER_ID", 503))
    scene.fire("search")
    scene.submit(result(scene.request_id))
    scene.submit(failed(scene, "DUPLICATED_TRANSFER_ID", 503))
    assert scene.verdict == ("hold", "ORIGINATOR_UNKNOWN", False), "bounded like every search"


@pytest.mark.parametrize("code", ["INVALID_TARGET_VASP_ID", "INVALID_HEADER_SIGNATURE", "UNACCEPTABLE_REQUEST"])
def test_a_refused_call_is_for_an_operator(code):
    scene = requesting()
    scene.submit(failed(scene, code, 422))
    assert scene.verdict == ("hold", "COUNTERPARTY_UNREACHABLE", False)
    assert scene.alerts == ["COUNTERPARTY_REFUSED_CALL"]
    assert set(scene.state.timers) == {"held"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (FORBIDDEN, ("deny", "COUNTERPARTY_NOT_ALLOWED", True)),
        (HELD_ALL_THE_SAME, ("hold", "COUNTERPARTY_NOT_ALLOWED", False)),
    ],
)
def test_nothing_personal_goes_to_a_vasp_that_the_policy_forbids(text, expected):
    scene = requesting(text)
    assert scene.verdict == expected
    assert not scene.calls
    assert scene.result["outcome"] == "found"


def test_a_policy_that_forbids_the_vasp_by_now_ends_the_request():
    scene = requesting()
    scene.submit(failed(scene, "COUNTERPARTY_NOT_ALLOWED"))
    assert scene.verdict == ("deny", "COUNTERPARTY_NOT_ALLOWED", True)
    assert scene.state.status == "decided"


@pytest.mark.parametrize("wallet", [None, {**WALLET, "owner": None}])
def test_an_address_that_nobody_is_registered_at_is_looked_up_until_somebody_is(wallet):
    scene = requesting(wallet=wallet)
    assert not scene.calls
    assert len(scene.look_ups) == 1
    scene.submit(context(wallet=wallet))
    assert scene.verdict == ("hold", "OWNER_UNKNOWN", False)
    assert scene.alerts == ["DEPOSIT_OWNER_UNKNOWN"]
    for _ in range(3):
        scene.fire("try")
        assert len(scene.look_ups) == 1
        scene.submit(context(wallet=wallet))
        assert scene.silent, "one verdict, one alert"
        assert not scene.alerts
    scene.fire("try")
    scene.submit(context(wallet={**WALLET, "owner": OWNER}))
    assert scene.operations == ["data-request"]
    assert scene.verdict == ("hold", "AWAITING_DATA", False)


def test_looking_for_an_owner_becomes_rare_but_never_ends():
    scene = requesting(wallet=None)
    scene.submit(context(wallet=None))
    while "try" in scene.state.timers:
        scene.fire("try")
    assert scene.look_ups
    scene.fire("held")
    assert len(scene.look_ups) == 1
    assert scene.alerts == ["HELD_TOO_LONG"]


def test_without_an_own_profile_nothing_is_sent():
    scene = polling()
    scene.rules = scene.rules.with_own(OwnVasp("south", "code:south"))
    scene.submit(result(scene.request_id))
    assert scene.verdict == ("hold", "NOT_AVAILABLE", False)
    assert scene.alerts == ["OWN_PROFILE_MISSING"]
    assert not scene.calls


def test_an_answer_that_nothing_waits_for_is_nothing():
    scene = requesting()
    scene.submit(data("another"))
    assert not scene.last.effects
    old = data(scene.request_id)
    scene.submit(old)
    scene.submit(old)
    assert not scene.last.effects


@pytest.mark.parametrize("network", [{}, GTR], ids=["own", "gtr"])
def test_answers_of_another_request_are_given_up_and_held(network):
    scene = requesting(**network)
    scene.submit(failed(scene, "ANSWER_NOT_BOUND", 200))
    assert scene.verdict == ("hold", "ANSWER_NOT_BOUND", False)
    assert scene.alerts == ["ANSWER_NOT_BOUND"]


@pytest.mark.parametrize("network", [{}, GTR], ids=["own", "gtr"])
def test_data_that_were_accepted_for_another_deposit_are_not_accepted_again(network):
    scene = requesting(**network)
    made = data(scene.request_id).model_copy(update={"answer_seal": "aa", "accepted_for": "another"})
    scene.submit(made)
    assert scene.verdict == ("hold", "ANSWER_NOT_BOUND", False)
    assert scene.alerts == ["ANSWER_NOT_BOUND"]


def test_accepted_data_are_remembered_by_their_bytes():
    scene = requesting()
    scene.submit(data(scene.request_id).model_copy(update={"answer_seal": "aa"}))
    assert [one for one in scene.last.effects if isinstance(one, AcceptAnswer)] == [
        AcceptAnswer("aa", scene.request_id)
    ]
