"""Requests, repetitions, amendments and records, up to the first call."""

from __future__ import annotations

from uuid import UUID

import pytest

from schemas.events.verdicts import VerdictBody
from tests.support.call_results import VALID, VERIFIED, answered, denied, reported
from tests.support.events import (
    UNHOSTED,
    UNKNOWN,
    WITHDRAWAL_ID,
    amended,
    broadcast,
    cancelled,
    decided,
    mined,
    recorded,
    requested,
    settled,
)
from tests.support.exchange_scenes import allowed, asking, waiting
from tests.support.scene import Scene
from tests.support.vasps import policy
from travelrule.machine.ids import first_transfer_id, fresh_transfer_id
from travelrule.policy.policy import OwnVasp, Policy


def verdict_of(scene: Scene) -> tuple[str, list[str], list[str], bool]:
    (data,) = scene.verdicts
    VerdictBody.model_validate(data)
    return data["verdict"], data["reasons"], data["needs"], data["final"]


def test_a_request_begins_with_an_address_search_that_holds_no_person():
    scene = asking()
    (call,) = scene.calls
    assert (call.operation, call.target, call.correlation_id) == ("address-search", "south", WITHDRAWAL_ID)
    assert call.clear == {
        "currency": "XRP",
        "address": "rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY",
        "tag": "77001",
        "network": "XRP",
    }
    assert call.payload == {
        "Beneficiary": {"beneficiaryPersons": [], "accountNumber": ["rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY:77001"]}
    }
    assert not scene.verdicts
    assert not scene.statuses


def test_the_wire_id_is_the_platforms_own_only_if_that_is_a_uuid4():
    salt = UUID("00000000-0000-4000-8000-000000000001")
    assert first_transfer_id(WITHDRAWAL_ID, salt) == WITHDRAWAL_ID
    for other in ("w-1", "x" * 36, WITHDRAWAL_ID.replace("-", ""), "c232ab00-9414-11ec-b3c8-9f6bdeced846"):
        fresh = first_transfer_id(other, salt)
        assert fresh == fresh_transfer_id(salt)
        assert UUID(fresh).version == 4
    assert fresh_transfer_id(salt) != str(salt)
    assert fresh_transfer_id(salt) != fresh_transfer_id(UUID("00000000-0000-4000-8000-000000000002"))


def test_a_joined_tag_is_sent_apart():
    scene = Scene()
    scene.submit(requested(destination={"kind": "vasp", "vaspEntityId": "south", "address": "rPEP:9"}))
    (call,) = scene.calls
    assert (call.clear["address"], call.clear["tag"]) == ("rPEP", "9")


@pytest.mark.parametrize(
    ("rules", "changes", "expected"),
    [
        ("[assets.BTC]", {}, ("deny", ["ASSET_NOT_SUPPORTED"], [], True)),
        ("[assets.XRP]\nenabled = false", {}, ("deny", ["ASSET_NOT_SUPPORTED"], [], True)),
        ('[assets.XRP]\nnetworks = ["OTHER"]', {}, ("deny", ["ASSET_NOT_SUPPORTED"], [], True)),
        ('allow_list = ["east"]', {}, ("deny", ["COUNTERPARTY_NOT_ALLOWED"], [], True)),
        ('deny_list = ["south"]', {}, ("deny", ["COUNTERPARTY_NOT_ALLOWED"], [], True)),
        (
            "",
            {
                "destination": {
                    "kind": "unhosted", "address": "0xab", "blockchain": "ETH", "asset": "ETH",
                    "widgetOrigin": "https://a.example",
                }
            },
            ("hold", ["OWNERSHIP_PENDING"], ["ownership-proof"], False),
        ),
        (
            "[exemptions]\nbelow_threshold = true",
            {"isExceedingThreshold": False},
            ("allow", ["EXEMPT_BELOW_THRESHOLD"], [], True),
        ),
        (
            "[exemptions]\nbelow_threshold = true\n[thresholds]\nUSD = '150.31'\nKRW = 1",
            {"isExceedingThreshold": False},
            ("allow", ["EXEMPT_BELOW_THRESHOLD"], [], True),
        ),
        (
            "",
            {"destination": {"kind": "vasp", "vaspEntityId": "north", "address": "rPEP"}},
            ("allow", ["EXEMPT_OWN_ENTITY"], [], True),
        ),
        (
            'deny_list = ["south"]\n[exemptions]\nbelow_threshold = true',
            {"isExceedingThreshold": False},
            ("deny", ["COUNTERPARTY_NOT_ALLOWED"], [], True),
        ),
        (
            'deny_list = ["south"]\n[verdicts]\nCOUNTERPARTY_NOT_ALLOWED = "hold"\n',
            {},
            ("hold", ["COUNTERPARTY_NOT_ALLOWED"], ["operator-decision"], False),
        ),
    ],
)  # fmt: skip
def test_what_is_decided_before_anything_is_sent(rules, changes, expected):
    scene = Scene(rules=policy(rules))
    scene.submit(requested(**changes))
    assert verdict_of(scene) == expected
    assert not scene.calls
    assert scene.verdicts[0]["policyVersion"] == scene.rules.version


def test_a_verdict_names_its_counterparty_but_no_transfer_that_was_never_sent():
    scene = Scene(rules=policy('deny_list = ["south"]'))
    scene.submit(requested())
    (data,) = scene.verdicts
    assert data["counterparty"] == "south"
    assert "transferId" not in data
    assert "exchangeStatus" not in data


def test_a_request_under_another_event_id_is_a_duplicate_if_its_data_are_equal():
    scene = waiting()
    before = scene.state
    assert scene.submit(requested()).status == "duplicate"
    assert scene.submit(requested(amount="1")).code == "CONFLICT"
    assert scene.last.status == "rejected"
    assert scene.state == before


def test_amounts_that_are_written_differently_are_other_data():
    scene = asking()
    assert scene.submit(requested(amount="250.5")).code == "CONFLICT"


def test_a_recorded_withdrawal_has_no_verdict_and_no_exchange_but_a_row():
    scene = Scene()
    decision = scene.submit(recorded())
    assert decision.effects == ()
    assert scene.state.txid is not None
    assert scene.submit(recorded()).status == "duplicate"
    assert scene.submit(requested()).code == "CONFLICT"
    for data in (cancelled(), amended(), decided("deny")):
        assert scene.submit(data).code == "ALREADY_BROADCAST"
    assert scene.submit(mined(), settled()).status == "applied"
    assert scene.state.chain == "final"
    assert not scene.history


@pytest.mark.parametrize(
    "data",
    [broadcast(), mined(), settled(), amended(), cancelled(), decided("allow"), VALID, reported("failed", "finish")],
    ids=lambda data: type(data).__name__,
)
def test_what_comes_before_its_request_is_parked(data):
    scene = Scene()
    assert scene.submit(data).status == "parked"
    assert scene.state is None


def test_an_amendment_begins_anew_with_another_id_and_the_new_facts():
    scene = waiting()
    scene.submit(denied("INPUT_NAME_MISMATCHED"))
    scene.submit(amended())
    (call,) = scene.calls
    assert call.operation == "address-search"
    assert call.correlation_id != WITHDRAWAL_ID
    assert UUID(call.correlation_id).version == 4
    scene.submit(answered("address-search", call.correlation_id, result="valid"))
    (authorization,) = scene.calls
    assert "Lindh" in str(authorization.payload)
    assert authorization.correlation_id == call.correlation_id


def test_the_same_refusal_after_an_amendment_is_said_again():
    scene = waiting()
    scene.submit(denied("INPUT_NAME_MISMATCHED"))
    assert scene.verdicts
    for _ in range(2):
        scene.submit(amended())
        new_id = scene.state.attempt.transfer_id
        scene.submit(
            answered("address-search", new_id, result="valid"),
            answered("transfer-authorization", new_id, result="denied", reasonType="INPUT_NAME_MISMATCHED"),
        )
        assert verdict_of(scene) == ("hold", ["DENIED_INPUT_NAME_MISMATCHED"], ["beneficiary-name"], False)


def test_an_amendment_may_follow_another_one_at_once():
    scene = waiting()
    scene.submit(denied("LACK_OF_INFORMATION"), amended())
    first = scene.state.attempt.transfer_id
    assert scene.submit(amended()).status == "applied"
    assert scene.state.attempt.transfer_id != first
    assert scene.drops == [("address-search",)]


@pytest.mark.parametrize("scene_of", [asking, waiting, allowed])
def test_only_what_is_on_hold_can_be_amended(scene_of):
    scene = scene_of()
    before = scene.state
    assert scene.submit(amended()).code == "NOT_ON_HOLD"
    assert scene.state == before


def test_a_destination_that_was_unhosted_and_is_amended_starts_its_exchange():
    scene = Scene()
    unhosted = {"kind": "unhosted", "address": "0xab", "blockchain": "ETH", "asset": "ETH", "widgetOrigin": "https://a"}
    scene.submit(requested(destination=unhosted))
    scene.submit(amended(destination={"kind": "vasp", "vaspEntityId": "south", "address": "rPEP"}))
    assert [call.target for call in scene.calls] == ["south"]


def test_an_authorization_on_its_way_when_amended_is_finished_when_its_answer_comes():
    scene = waiting()
    scene.submit(reported("deferred", "transfer-authorization", code="COUNTERPARTY_DOWN"))
    assert verdict_of(scene)[1] == ["COUNTERPARTY_UNREACHABLE"]
    scene.submit(amended())
    new_id = scene.state.attempt.transfer_id
    scene.submit(VERIFIED)
    assert [(call.operation, call.correlation_id) for call in scene.calls] == [("finish", WITHDRAWAL_ID)]
    assert not scene.verdicts
    assert scene.state.attempt.transfer_id == new_id


def test_without_our_own_profile_nothing_personal_is_built_or_sent():
    scene = Scene(rules=Policy(sanctions="off").with_own(OwnVasp("north", "code:north")))
    scene.submit(requested(), VALID)
    assert not scene.calls
    assert scene.alerts == ["OWN_PROFILE_MISSING"]
    assert verdict_of(scene)[1] == ["NOT_AVAILABLE"]


def test_what_reaches_the_own_threshold_is_not_exempt_whatever_the_flag_says():
    scene = Scene(rules=policy("[exemptions]\nbelow_threshold = true\n[thresholds]\nUSD = '150.30'"))
    scene.submit(requested(isExceedingThreshold=False))
    assert not scene.verdicts
    assert [call.operation for call in scene.calls] == ["address-search"]


FIRST_PARTY = "[names]\nfirst_party_withdrawals = true"
ANNA = {"natural": {"lastName": "Berg", "firstName": "Anna"}}


@pytest.mark.parametrize(
    ("changes", "reasons"),
    [
        ({}, ["NOT_FIRST_PARTY"]),
        ({"isExceedingThreshold": False}, ["NOT_FIRST_PARTY"]),
        ({"destination": UNKNOWN}, ["NOT_FIRST_PARTY"]),
    ],
)
def test_only_withdrawals_to_oneself_are_sent_where_the_policy_says_so(changes, reasons):
    scene = Scene(rules=policy(f"{FIRST_PARTY}\n[exemptions]\nbelow_threshold = true"))
    scene.submit(requested(**changes))
    assert [data["reasons"] for data in scene.verdicts] == [reasons]
    assert not scene.calls


@pytest.mark.parametrize(
    "beneficiary", [ANNA, {"natural": {"lastName": "BERG", "firstName": "anna"}}], ids=["same", "case"]
)
def test_a_withdrawal_to_oneself_goes_on(beneficiary):
    scene = Scene(rules=policy(FIRST_PARTY))
    scene.submit(requested(beneficiary=beneficiary))
    assert [call.operation for call in scene.calls] == ["address-search"]


def test_an_unhosted_wallet_is_ones_own_by_its_proof():
    scene = Scene(rules=policy(FIRST_PARTY))
    scene.submit(requested(destination=UNHOSTED))
    assert [data["reasons"] for data in scene.verdicts] == [["OWNERSHIP_PENDING"]]
