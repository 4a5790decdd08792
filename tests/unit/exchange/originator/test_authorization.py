"""From the address search to the verdict."""

from __future__ import annotations

import pytest

from schemas.events.exchanges import ExchangeBody
from schemas.events.verdicts import VerdictBody
from tests.support.call_results import HONEST, VALID, VERIFIED, answered, denied, reported
from tests.support.events import WITHDRAWAL_ID, broadcast, requested
from tests.support.exchange_scenes import asking, waiting
from tests.support.scene import Scene
from tests.support.vasps import policy
from travelrule.machine.effects import Emit

TIMED_OUT = "BENEFICIARY_VASP_REQUEST_TIMEOUT"
USED_UP = {"code": TIMED_OUT, "attempts": 4, "maybe_acted": True}


def verdict_of(scene: Scene) -> tuple[str, list[str], list[str], bool]:
    (data,) = scene.verdicts
    VerdictBody.model_validate(data)
    return data["verdict"], data["reasons"], data["needs"], data["final"]


def test_a_valid_address_stores_wait_and_sends_the_authorization():
    scene = waiting()
    assert scene.statuses == ["wait"]
    (call,) = scene.calls
    assert call.operation == "transfer-authorization"
    assert call.clear == {
        "transferId": WITHDRAWAL_ID,
        "currency": "XRP",
        "amount": "250.50",
        "historicalCost": "",
        "tradePrice": "150.30",
        "tradeCurrency": "USD",
        "isExceedingThreshold": "true",
        "address": "rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY",
        "tag": "77001",
        "network": "XRP",
    }
    assert set(call.payload) == {"Originator", "Beneficiary", "OriginatingVASP"}


@pytest.mark.parametrize(
    ("threshold", "flag", "sent"), [("150.30", False, "true"), ("150.31", False, "false"), ("1000", True, "true")]
)
def test_the_counterparty_is_told_what_the_own_threshold_says(threshold, flag, sent):
    scene = Scene(rules=policy(f"[thresholds]\nUSD = '{threshold}'"))
    scene.submit(requested(isExceedingThreshold=flag), VALID)
    (call,) = scene.calls
    assert call.clear["isExceedingThreshold"] == sent


def test_verified_leads_through_verified_to_pending_and_allows():
    scene = waiting()
    scene.submit(VERIFIED)
    assert scene.statuses == ["verified", "pending"]
    assert verdict_of(scene) == ("allow", ["VERIFIED"], [], True)
    (data,) = scene.verdicts
    assert (data["transferId"], data["exchangeStatus"], data["counterparty"]) == (WITHDRAWAL_ID, "pending", "south")
    assert scene.state.attempt.payload == HONEST
    assert set(scene.state.timers) == {"conclude"}


def test_every_event_fits_its_schema():
    scene = waiting()
    scene.submit(VERIFIED, broadcast())
    emitted = [effect for effect in scene.history if isinstance(effect, Emit)]
    assert {effect.topic for effect in emitted} == {"exchanges", "verdicts"}
    for effect in emitted:
        model = ExchangeBody if effect.topic == "exchanges" else VerdictBody
        model.model_validate(effect.data)
        assert effect.key == WITHDRAWAL_ID


@pytest.mark.parametrize("payload", [None, {}, {"a": [[]] * 3, "deep": None}])
def test_verified_without_travel_rule_data_is_finished_and_held(payload):
    if payload:
        deep: list[object] = []
        for _ in range(80):
            deep = [deep]
        payload["deep"] = deep
    scene = waiting()
    scene.submit(answered("transfer-authorization", result="verified", payload=payload))
    assert scene.statuses == ["verified", "canceled"]
    assert [(call.operation, call.clear["reasonType"]) for call in scene.calls] == [("finish", "LACK_OF_INFORMATION")]
    assert verdict_of(scene) == ("hold", ["PAYLOAD_UNREADABLE"], ["operator-decision"], False)
    assert scene.alerts == ["PAYLOAD_UNREADABLE"]


@pytest.mark.parametrize(
    ("reason", "expected"),
    [
        ("INPUT_NAME_MISMATCHED", ("hold", ["DENIED_INPUT_NAME_MISMATCHED"], ["beneficiary-name"], False)),
        ("DOB_MISMATCHED", ("hold", ["DENIED_DOB_MISMATCHED"], ["date-of-birth"], False)),
        ("LACK_OF_INFORMATION", ("hold", ["DENIED_LACK_OF_INFORMATION"], ["information"], False)),
        ("NOT_FOUND_ADDRESS", ("deny", ["DENIED_NOT_FOUND_ADDRESS"], [], True)),
        ("NOT_SUPPORTED_SYMBOL", ("deny", ["DENIED_NOT_SUPPORTED_SYMBOL"], [], True)),
        ("NOT_KYC_USER", ("deny", ["DENIED_NOT_KYC_USER"], [], True)),
        ("SANCTION_LIST", ("deny", ["DENIED_SANCTION_LIST"], [], True)),
        ("UNKNOWN", ("deny", ["DENIED_UNKNOWN"], [], True)),
        ("lack_of_information", ("hold", ["DENIED_LACK_OF_INFORMATION"], ["information"], False)),
        ("odd reason, maybe with a name in it", ("deny", ["DENIED_UNKNOWN"], [], True)),
        ("", ("deny", ["DENIED_UNKNOWN"], [], True)),
    ],
)
def test_a_refused_authorization(reason, expected):
    scene = waiting()
    scene.submit(denied(reason))
    assert scene.statuses == ["denied"]
    assert verdict_of(scene) == expected
    assert not scene.calls
    assert scene.alerts == (["COUNTERPARTY_SANCTION_LIST"] if reason == "SANCTION_LIST" else [])


@pytest.mark.parametrize(
    ("reason", "expected"),
    [
        ("NOT_FOUND_ADDRESS", ("deny", ["ADDRESS_NOT_FOUND"], [], True)),
        ("NOT_SUPPORTED_SYMBOL", ("deny", ["DENIED_NOT_SUPPORTED_SYMBOL"], [], True)),
        ("NOT_KYC_USER", ("deny", ["DENIED_NOT_KYC_USER"], [], True)),
        ("SANCTION_LIST", ("deny", ["DENIED_SANCTION_LIST"], [], True)),
        ("LACK_OF_INFORMATION", ("hold", ["DENIED_LACK_OF_INFORMATION"], ["information"], False)),
        ("UNKNOWN", ("deny", ["DENIED_UNKNOWN"], [], True)),
    ],
)
def test_a_refused_address_sends_nothing_personal(reason, expected):
    scene = asking()
    scene.submit(answered("address-search", result="invalid", reasonType=reason))
    assert verdict_of(scene) == expected
    assert not scene.calls
    assert not scene.statuses


def test_a_reason_beside_a_good_result_does_not_count():
    scene = asking()
    scene.submit(answered("address-search", result="valid", reasonType="NOT_FOUND_ADDRESS"))
    assert [call.operation for call in scene.calls] == ["transfer-authorization"]


def test_an_address_that_another_vasp_owns_is_held_and_nothing_goes_to_either():
    scene = asking()
    scene.submit(answered("address-search", result="valid", beneficiaryVaspEntityId="east"))
    assert verdict_of(scene) == ("hold", ["COUNTERPARTY_FOUND"], ["counterparty-confirmation"], False)
    assert scene.verdicts[0]["counterparty"] == "east"
    assert not scene.calls


@pytest.mark.parametrize("owner", ["ea\x00st", "e" * 201])
def test_an_owner_whose_name_is_no_id_is_not_repeated(owner):
    scene = asking()
    scene.submit(answered("address-search", result="valid", beneficiaryVaspEntityId=owner))
    assert verdict_of(scene)[1] == ["COUNTERPARTY_FOUND"]
    assert scene.verdicts[0]["counterparty"] == "south"


@pytest.mark.parametrize("owner", ["south", "SOUTH", "", None, 7, {}])
def test_the_owner_named_in_the_answer_may_be_the_target_or_nothing(owner):
    scene = asking()
    scene.submit(answered("address-search", result="valid", beneficiaryVaspEntityId=owner))
    assert [call.operation for call in scene.calls] == ["transfer-authorization"]


@pytest.mark.parametrize(
    ("alliance", "born", "sent"),
    [("code", "", True), ("", "", True), ("GTR", "", False), ("gtr", "1980-05-06", True), ("Sygna", "", False)],
)
def test_what_the_counterpartys_network_requires_is_there_before_anything_is_sent(alliance, born, sent):
    scene = Scene()
    person = {"lastName": "Lind", "firstName": "Erik", **({"dateOfBirth": born} if born else {})}
    scene.submit(requested(beneficiary={"natural": person}))
    scene.submit(VALID.model_copy(update={"counterparty_alliance": alliance}))
    if sent:
        assert [call.operation for call in scene.calls] == ["transfer-authorization"]
    else:
        assert not scene.calls
        assert verdict_of(scene) == ("hold", ["INFORMATION_INCOMPLETE"], ["information"], False)


def test_verifyvasp_gets_the_originating_vasp_outside_the_payload():
    scene = asking()
    scene.submit(VALID.model_copy(update={"counterparty_alliance": "VerifyVASP"}))
    (call,) = scene.calls
    assert call.clear["originatingVasp"] == call.payload["OriginatingVASP"]


@pytest.mark.parametrize("operation", ["address-search", "transfer-authorization"])
def test_a_vasp_that_is_down_holds_the_withdrawal_at_once(operation):
    scene = asking() if operation == "address-search" else waiting()
    scene.submit(reported("deferred", operation, code="COUNTERPARTY_DOWN"))
    assert verdict_of(scene) == ("hold", ["COUNTERPARTY_UNREACHABLE"], ["operator-decision"], False)
    assert "try-again" in scene.state.timers


def test_when_the_vasp_is_up_again_the_verdict_becomes_allow():
    scene = asking()
    scene.submit(reported("deferred", "address-search", code="COUNTERPARTY_DOWN"), VALID, VERIFIED)
    assert verdict_of(scene)[0] == "allow"
    assert "try-again" not in scene.state.timers
    assert "held" not in scene.state.timers


def test_a_used_up_address_search_is_tried_again_ever_more_rarely_until_the_limit():
    scene = asking()
    waits = []
    alerts: list[str] = []
    for _ in range(60):
        scene.submit(reported("failed", "address-search", code=TIMED_OUT, attempts=4))
        alerts += scene.alerts
        if "try-again" not in scene.state.timers:
            break
        waits.append((scene.state.timers["try-again"] - scene.now).total_seconds())
        scene.fire("try-again")
        assert scene.drops == [("address-search",)]
        assert [(call.operation, call.correlation_id) for call in scene.calls] == [("address-search", WITHDRAWAL_ID)]
    assert waits[:5] == [300, 600, 1200, 2400, 3600]
    assert set(waits[4:]) == {3600}
    assert alerts == ["COUNTERPARTY_UNREACHABLE"]
    assert 20 <= len(waits) <= 40
    assert scene.state.case.verdict == "hold"


def test_the_same_hold_is_said_once():
    scene = asking()
    scene.submit(reported("failed", "address-search", code=TIMED_OUT))
    assert scene.verdicts
    scene.fire("try-again")
    scene.submit(reported("failed", "address-search", code=TIMED_OUT))
    assert not scene.verdicts


def test_a_lost_authorization_is_finished_held_and_begun_anew_later():
    scene = waiting()
    scene.submit(reported("failed", "transfer-authorization", **USED_UP))
    assert scene.statuses == ["canceled"]
    assert [(call.operation, call.correlation_id) for call in scene.calls] == [("finish", WITHDRAWAL_ID)]
    assert verdict_of(scene)[1] == ["COUNTERPARTY_UNREACHABLE"]
    scene.fire("try-again")
    (call,) = scene.calls
    assert call.operation == "address-search"
    assert call.correlation_id != WITHDRAWAL_ID
    scene.submit(
        answered("address-search", call.correlation_id, result="valid"),
        answered("transfer-authorization", call.correlation_id, result="verified", payload=HONEST),
    )
    assert verdict_of(scene) == ("allow", ["VERIFIED"], [], True)


def test_an_authorization_that_never_arrived_owes_no_finish():
    scene = waiting()
    scene.submit(reported("failed", "transfer-authorization", code="NOT_SENT", maybe_acted=False))
    assert scene.statuses == ["canceled"]
    assert not scene.calls


def test_a_late_answer_after_the_finish_is_ignored():
    scene = waiting()
    scene.submit(reported("failed", "transfer-authorization", **USED_UP))
    before = scene.state
    scene.submit(VERIFIED)
    assert scene.state == before
    assert not scene.last.effects


def test_a_known_transfer_id_is_finished_and_begun_anew_a_few_times():
    scene = waiting()
    ids = [WITHDRAWAL_ID]
    for _ in range(3):
        scene.submit(
            reported("failed", "transfer-authorization", ids[-1], code="DUPLICATED_TRANSFER_ID", maybe_acted=True)
        )
        finish, authorization = scene.calls
        assert (finish.operation, finish.correlation_id) == ("finish", ids[-1])
        assert authorization.operation == "transfer-authorization"
        ids.append(authorization.correlation_id)
        assert not scene.verdicts
    assert len(set(ids)) == 4
    scene.submit(reported("failed", "transfer-authorization", ids[-1], code="DUPLICATED_TRANSFER_ID", maybe_acted=True))
    assert [call.operation for call in scene.calls] == ["finish"]
    assert scene.alerts == ["DUPLICATED_TRANSFER_ID"]
    assert verdict_of(scene)[0] == "hold"


@pytest.mark.parametrize(
    ("status", "code", "reason", "alert"),
    [
        (422, "INVALID_TARGET_VASP_ID", "COUNTERPARTY_UNKNOWN", []),
        (422, "INVALID_BENEFICIARY", "COUNTERPARTY_UNKNOWN", []),
        (0, "COUNTERPARTY_NOT_ALLOWED", "COUNTERPARTY_NOT_ALLOWED", []),
        (503, "UNACCEPTABLE_REQUEST", "COUNTERPARTY_UNREACHABLE", ["COUNTERPARTY_REFUSED_CALL"]),
        (422, "INVALID_RECEIVER_PUBLIC_KEY", "COUNTERPARTY_UNREACHABLE", ["COUNTERPARTY_REFUSED_CALL"]),
        (503, "INVALID_ENCRYPTED_BODY", "COUNTERPARTY_UNREACHABLE", ["COUNTERPARTY_REFUSED_CALL"]),
        (422, "INVALID_HEADER_SIGNATURE", "COUNTERPARTY_UNREACHABLE", ["COUNTERPARTY_REFUSED_CALL"]),
    ],
)
def test_a_call_that_was_refused_is_not_repeated_by_itself(status, code, reason, alert):
    for scene, operation in ((asking(), "address-search"), (waiting(), "transfer-authorization")):
        scene.submit(reported("failed", operation, status=status, code=code, attempts=1))
        assert verdict_of(scene)[1] == [reason]
        assert scene.alerts == alert
        assert "try-again" not in scene.state.timers


def test_policy_may_deny_what_cannot_be_reached_and_then_nothing_goes_on():
    scene = waiting(policy('[verdicts]\nCOUNTERPARTY_UNREACHABLE = "deny"'))
    scene.submit(reported("deferred", "transfer-authorization", code="COUNTERPARTY_DOWN"))
    assert verdict_of(scene) == ("deny", ["COUNTERPARTY_UNREACHABLE"], [], True)
    assert "try-again" not in scene.state.timers
    scene.submit(VERIFIED)
    assert [call.operation for call in scene.calls] == ["finish"]
    assert not scene.verdicts


def test_reports_of_calls_that_nobody_made_change_nothing():
    scene = waiting()
    before = scene.state
    for report in (
        answered("transfer-authorization", "another-id", result="verified", payload={"x": 1}),
        answered("txid-report", result="normal"),
        answered("finish", result="normal"),
        answered("status-search", status="confirmed"),
        VALID,
    ):
        scene.submit(report)
        assert scene.state == before
        assert not scene.last.effects


def test_korean_names_are_swapped_only_between_korean_vasps():
    korean = {"lastName": "Kim", "firstName": "Minsu", "localLastName": "김", "localFirstName": "민수"}
    scene = Scene()
    scene.submit(requested(beneficiary={"natural": korean}))
    scene.submit(VALID.model_copy(update={"counterparty_country": "KR"}))
    (call,) = scene.calls
    (person,) = call.payload["Beneficiary"]["beneficiaryPersons"]
    assert person["naturalPerson"]["name"]["nameIdentifier"][0]["primaryIdentifier"] == "Kim"


def test_an_authorization_that_waits_for_its_vasp_is_not_sent_twice():
    scene = waiting()
    scene.submit(reported("deferred", "transfer-authorization", code="COUNTERPARTY_DOWN"))
    scene.fire("try-again")
    assert not scene.calls
    assert "try-again" in scene.state.timers
    scene.submit(VERIFIED)
    assert set(scene.state.timers) == {"conclude"}


def test_authorizations_that_are_lost_one_after_another_end_at_the_limit_too():
    scene = waiting()
    used = [WITHDRAWAL_ID]
    for _ in range(60):
        scene.submit(reported("failed", "transfer-authorization", used[-1], **USED_UP))
        if "try-again" not in scene.state.timers:
            break
        scene.fire("try-again")
        used.append(scene.state.attempt.transfer_id)
        scene.submit(answered("address-search", used[-1], result="valid"))
    assert scene.alerts == ["COUNTERPARTY_UNREACHABLE"]
    assert 20 <= len(used) <= 40
    assert len(set(used)) == len(used)


def test_an_answer_after_all_ends_the_tries():
    for answer in (
        answered("address-search", result="invalid", reasonType="NOT_FOUND_ADDRESS"),
        reported("failed", "address-search", code="UNACCEPTABLE_REQUEST", status=503),
    ):
        scene = asking()
        scene.submit(reported("deferred", "address-search", code="COUNTERPARTY_DOWN"), answer)
        assert "try-again" not in scene.state.timers
