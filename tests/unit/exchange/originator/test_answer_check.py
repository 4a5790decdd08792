"""Answers that are not bound to their authorization, and those that the policy accepts."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from tests.support.call_results import COPIED, HONEST, VERIFIED, answered, reported
from tests.support.events import WITHDRAWAL_ID, amended, cancelled, decided
from tests.support.exchange_scenes import waiting
from tests.support.inbound_messages import natural
from tests.support.vasps import policy
from travelrule.exchange.originator.answer_check import answers_another_call
from travelrule.machine.effects import AcceptAnswer

OTHER_ID = "5d3c0a44-0f4e-4c7f-8a0e-9d0d6f0a1b2c"
ECHO = answered("transfer-authorization", result="verified", payload=COPIED)
ELSEWHERE = {**HONEST["Originator"], "accountNumber": ["rU6K7V3Po4snVhBBaU29sesqs2qTQJWDw1:9"]}

IDA = {**HONEST["Originator"], "originatorPersons": [natural("Holm", "Ida")]}


def answer(result: str = "verified", payload: Any = HONEST, **facts: Any) -> Any:
    body = {name: facts.pop(name) for name in ("transferId", "reasonType", "beneficiaryVasp") if name in facts}
    made = answered("transfer-authorization", result=result, payload=payload, **body)
    return made.model_copy(update=facts)


def test_it_is_asked_again_after_2_and_8_seconds_then_finished_and_held():
    scene = waiting()
    content = scene.calls[0].clear, scene.calls[0].payload
    for wait in (2, 8):
        scene.submit(ECHO)
        (call,) = scene.calls
        assert (call.operation, call.correlation_id, (call.clear, call.payload)) == (
            "transfer-authorization",
            WITHDRAWAL_ID,
            content,
        )
        assert call.due_at == scene.now + timedelta(seconds=wait)
        assert not scene.verdicts
        assert not scene.alerts
        scene.wait(wait)
    scene.submit(ECHO)
    (finish,) = scene.calls
    assert (finish.operation, finish.clear["reasonType"]) == ("finish", "UNKNOWN")
    assert scene.statuses == ["canceled"]
    (verdict,) = scene.verdicts
    assert (verdict["verdict"], verdict["reasons"], verdict["needs"]) == (
        "hold",
        ["ANSWER_NOT_BOUND"],
        ["operator-decision"],
    )
    assert scene.alerts == ["ANSWER_NOT_BOUND"]
    assert set(scene.state.timers) == {"conclude", "held"}
    assert scene.state.attempt.payload is None, "nothing of a foreign answer is kept"


def test_after_60_seconds_it_is_not_asked_again():
    scene = waiting()
    scene.submit(ECHO)
    scene.wait(55)
    scene.submit(ECHO)
    assert [call.operation for call in scene.calls] == ["finish"]


def test_a_fitting_answer_to_the_repeat_is_taken():
    scene = waiting()
    scene.submit(ECHO, VERIFIED)
    assert scene.verdicts[0]["verdict"] == "allow"


@pytest.mark.parametrize(
    "failure",
    [
        {"code": "NO_ANSWER", "maybe_acted": True},
        {"code": "NOT_SENT"},
        {"code": "DUPLICATED_TRANSFER_ID", "status": 503},
        {"code": "COUNTERPARTY_NOT_ALLOWED"},
    ],
)
def test_a_repeat_that_fails_ends_it_too(failure):
    scene = waiting()
    scene.submit(ECHO, reported("failed", "transfer-authorization", **failure))
    assert [call.operation for call in scene.calls] == ["finish"]
    assert scene.verdicts[0]["reasons"] == ["ANSWER_NOT_BOUND"]
    assert scene.alerts == ["ANSWER_NOT_BOUND"]
    assert "try-again" not in scene.state.timers


@pytest.mark.parametrize("ending", [cancelled(), amended()])
@pytest.mark.parametrize("late", [ECHO, answer(transferId=OTHER_ID), answer("denied", transferId=OTHER_ID)])
def test_what_was_given_up_meanwhile_is_finished_and_not_asked_again(ending, late):
    scene = waiting()
    scene.submit(reported("deferred", "transfer-authorization", code="COUNTERPARTY_DOWN"), ending)
    scene.submit(late)
    assert [(call.operation, call.correlation_id) for call in scene.calls] == [("finish", WITHDRAWAL_ID)]
    assert not scene.alerts


def test_what_an_operator_allowed_meanwhile_is_not_asked_again():
    scene = waiting(policy("operator_override = true"))
    scene.submit(reported("deferred", "transfer-authorization", code="COUNTERPARTY_DOWN"), decided("allow"))
    scene.submit(ECHO)
    assert [call.operation for call in scene.calls] == ["finish"]
    assert scene.alerts == ["ANSWER_NOT_BOUND"]
    assert scene.state.case.verdict == "allow"


@pytest.mark.parametrize(
    "said",
    [
        answer("denied", None),
        answer("denied", None, transferId=WITHDRAWAL_ID.upper()),
        answer("denied", None, transferId=None),
        answer("denied", HONEST),
        answer("denied", {"BeneficiaryVASP": HONEST["BeneficiaryVASP"]}),
        answer("denied", {**HONEST, "Originator": {**HONEST["Originator"], "originatorPersons": []}}),
        answer("denied", {**HONEST, "Originator": {"originatorPersons": [natural("", "")]}}),
        answer("denied", {**HONEST, "OriginatingVASP": {"originatingVASP": None}}),
        answer("denied", COPIED, answer_seal="aa", request_seal="aa", own_words=True),
    ],
)
def test_a_refusal_that_may_be_ours_is_believed(said):
    scene = waiting()
    scene.submit(said)
    assert scene.statuses == ["denied"]


@pytest.mark.parametrize(
    "said",
    [
        answer("denied", None, transferId=OTHER_ID),
        answer("denied", None, transferId={"x": 1}),
        answer("denied", {**HONEST, "Originator": ELSEWHERE}),
        answer("denied", {**HONEST, "Originator": IDA}),
        answer("denied", HONEST, answer_seal="aa", request_seal="bb", own_words=True),
        answer("denied", HONEST, answer_seal="aa", request_seal="bb", accepted_for=OTHER_ID),
    ],
)
def test_a_refusal_of_another_transfer_is_not(said):
    scene = waiting()
    scene.submit(said)
    assert [call.operation for call in scene.calls] == ["transfer-authorization"]
    assert scene.state.attempt.status == "wait"


HOLLOW = {"name": {"nameIdentifier": None, "localNameIdentifier": []}, "countryOfRegistration": ""}


@pytest.mark.parametrize("company", [None, {}, {"name": None}, HOLLOW])
def test_an_object_of_which_nothing_is_filled_is_absent(company):
    """Some serializers write every object of the model, with null and empty values in the unused ones."""
    people = [{**one, "legalPerson": company} for one in HONEST["Originator"]["originatorPersons"]]
    scene = waiting()
    scene.submit(answer(payload={**HONEST, "Originator": {**HONEST["Originator"], "originatorPersons": people}}))
    assert scene.verdicts[0]["verdict"] == "allow"


def test_an_accepted_answer_is_remembered_once():
    accepting = [effect for effect in answer_effects(answer_seal="aa") if isinstance(effect, AcceptAnswer)]
    assert accepting == [AcceptAnswer("aa", WITHDRAWAL_ID)]
    again = answer_effects(answer_seal="aa", accepted_for=WITHDRAWAL_ID)
    assert not any(isinstance(effect, AcceptAnswer) for effect in again), "known already, for this very transfer"


def answer_effects(**facts: Any) -> Any:
    scene = waiting()
    scene.submit(answer(**facts))
    assert scene.verdicts[0]["verdict"] == "allow"
    return scene.last.effects


UNNAMED = {**HONEST, "Originator": {**HONEST["Originator"], "originatorPersons": []}}
PARTIAL = {name: HONEST[name] for name in ("Originator", "Beneficiary")}


@pytest.mark.parametrize(
    ("rules", "payload", "allowed"),
    [
        ("", UNNAMED, False),
        ("", PARTIAL, False),
        ("[answers.vasps.south]\nnames = false", UNNAMED, True),
        ("[answers.vasps.south]\nnames = false", PARTIAL, False),
        ("[answers.vasps.south]\ncomplete = false", PARTIAL, True),
        ("[answers.vasps.east]\nnames = false\ncomplete = false", PARTIAL, False),
        ("[answers.alliances.Code]\nnames = false", UNNAMED, True),
        ("[answers.alliances.code]\nnames = false\n[answers.vasps.south]\ncomplete = false", UNNAMED, False),
        ("[answers.vasps.south]\nnames = false\ncomplete = false", {**HONEST, "Originator": ELSEWHERE}, False),
        ("[answers.vasps.south]\nnames = false\ncomplete = false", COPIED, True),
    ],
)
def test_the_policy_relaxes_completeness_and_names_and_nothing_else(rules, payload, allowed):
    scene = waiting(policy(rules))
    scene.submit(answer(payload=payload, answer_seal="aa", request_seal="bb"))
    assert bool(scene.verdicts) == allowed


@pytest.mark.parametrize(
    ("operation", "body", "another"),
    [
        ("finish", {"transferId": OTHER_ID}, True),
        ("finish", {"transferId": WITHDRAWAL_ID}, False),
        ("finish", {"transferId": None}, False),
        ("finish", {}, False),
        ("finish", None, False),
        ("txid-report", {"transferId": 7}, True),
        ("status-search", {"transferId": OTHER_ID}, True),
        ("data-request", {"transferId": OTHER_ID}, True),
        ("txid-search-result", {"requestId": OTHER_ID}, True),
        ("wallet-search-result", {"requestId": OTHER_ID, "transferId": WITHDRAWAL_ID}, True),
        ("txid-search", {"requestId": OTHER_ID}, False),
        ("address-search", {"transferId": OTHER_ID}, False),
    ],
)
def test_which_answers_carry_the_id_of_another_call(operation, body, another):
    assert answers_another_call(operation, body, WITHDRAWAL_ID) is another
