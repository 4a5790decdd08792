"""What waits too long: the machine acts first, then raises an alert."""

from __future__ import annotations

import pytest

from tests.support.call_results import answered, denied, reported
from tests.support.events import TXID, WITHDRAWAL_ID, amended, broadcast, settled
from tests.support.exchange_scenes import allowed, asking, reporting, waiting
from tests.support.vasps import policy
from travelrule.machine.internal_inputs import TimerDue

REPORT_ACCEPTED = answered("txid-report", result="normal")


@pytest.mark.parametrize(("code", "status"), [("UNKNOWN", 200), ("NO_ANSWER", 0), ("VASP_BACKEND_INTERNAL_ERROR", 503)])
def test_a_report_that_was_not_taken_for_a_passing_reason_is_made_again_before_it_has_failed(code, status):
    scene = reporting()
    first = scene.calls
    missed = reported("failed", "txid-report", code=code, status=status, attempts=10)
    for _ in range(2):
        scene.submit(missed)
        assert scene.alerts == ["CALL_TROUBLED"]
        assert scene.last.effects[0].attempts == 10
        assert {"report-again", "conclude"} <= set(scene.state.timers)
        assert (scene.state.timers["report-again"] - scene.now).total_seconds() == 3600
        scene.fire("report-again")
        assert scene.calls == first
        assert scene.state.attempt.report == "owed"
    scene.submit(missed)
    assert scene.alerts == ["TXID_REPORT_FAILED"]
    assert not scene.state.timers


def test_a_report_that_is_taken_the_second_time_is_accepted():
    scene = reporting()
    scene.submit(reported("failed", "txid-report", code="NO_ANSWER"), broadcast(vout="2"))
    scene.fire("report-again")
    assert scene.calls[0].clear == {"transferId": WITHDRAWAL_ID, "txid": TXID, "vout": "2"}
    scene.submit(REPORT_ACCEPTED)
    assert scene.state.attempt.report == "accepted"
    assert not scene.state.timers


def test_a_report_waits_no_longer_than_half_of_the_policys_limit():
    scene = reporting(policy("[time_limits]\nconclusion = 60"))
    scene.submit(reported("failed", "txid-report", code="NO_ANSWER"))
    assert (scene.state.timers["report-again"] - scene.now).total_seconds() == 30


def test_a_report_that_the_chain_made_pointless_is_not_made_again():
    scene = reporting()
    scene.submit(reported("failed", "txid-report", code="NO_ANSWER"))
    due = scene.state.timers["report-again"]
    scene.submit(settled("failed"))
    assert [call.operation for call in scene.calls] == ["finish"]
    assert scene.state.attempt.report == "dropped"
    assert scene.submit(TimerDue(name="report-again", due_at=due)).status == "duplicate"


def test_an_exchange_whose_report_waits_is_not_concluded():
    scene = reporting(policy("[time_limits]\nconclusion = 3600"))
    scene.wait(3000)
    scene.submit(reported("failed", "txid-report", code="NO_ANSWER"))
    scene.fire("conclude")
    assert scene.alerts == ["EXCHANGE_NOT_CONCLUDED"]
    assert scene.last.effects[0].attempts == 1
    assert "report-again" in scene.state.timers


def test_an_exchange_that_is_not_concluded_alerts_again_and_again():
    scene = allowed()
    for _ in range(3):
        scene.fire("conclude")
        assert scene.alerts == ["EXCHANGE_NOT_CONCLUDED"]
    scene.submit(broadcast(), REPORT_ACCEPTED)
    assert "conclude" not in scene.state.timers


def test_a_withdrawal_on_hold_is_remembered():
    scene = waiting()
    scene.submit(denied("DOB_MISMATCHED"))
    (said,) = scene.verdicts
    began = scene.now
    for day in (1, 2):
        scene.fire("held")
        assert (scene.verdicts, scene.alerts) == ([said], []), "the platform is reminded first"
        scene.fire("held")
        assert (scene.verdicts, scene.alerts) == ([], ["HELD_TOO_LONG"])
        assert scene.last.effects[0].attempts == day
        assert (scene.now - began).total_seconds() == day * 86_400
    assert "held" in scene.state.timers


def test_another_hold_is_reminded_of_anew():
    scene = waiting()
    scene.submit(denied("DOB_MISMATCHED"))
    scene.fire("held")
    scene.submit(amended())
    new_id = scene.state.attempt.transfer_id
    scene.submit(
        answered("address-search", new_id, result="valid"),
        answered("transfer-authorization", new_id, result="denied", reasonType="INPUT_NAME_MISMATCHED"),
    )
    scene.fire("held")
    assert scene.verdicts
    assert not scene.alerts


def test_a_reminder_names_the_vasp_that_was_found():
    scene = asking()
    scene.submit(answered("address-search", result="valid", beneficiaryVaspEntityId="east"))
    scene.fire("held")
    assert scene.verdicts[0]["counterparty"] == "east"
    scene.fire("held")
    assert scene.last.effects[0].counterparty == "east"
