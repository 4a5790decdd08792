"""After verified: chain events, the txid report, the finish, and the alert when neither is accepted."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.support.call_results import VALID, VERIFIED, answered, reported
from tests.support.events import (
    OTHER_TXID,
    TXID,
    WITHDRAWAL_ID,
    broadcast,
    cancelled,
    decided,
    mined,
    recorded,
    settled,
)
from tests.support.exchange_scenes import allowed, asking, reporting, waiting
from tests.support.scene import Scene
from tests.support.vasps import policy
from travelrule.exchange.originator.state import reached
from travelrule.machine.internal_inputs import TimerDue

REPORT_ACCEPTED = answered("txid-report", result="normal")
FINISH_ACCEPTED = answered("finish", result="normal")


def test_the_usual_way_to_confirmed():
    scene = allowed()
    scene.submit(broadcast(vout="1"))
    assert scene.statuses == ["processing"]
    assert [(call.operation, call.clear) for call in scene.calls] == [
        ("txid-report", {"transferId": WITHDRAWAL_ID, "txid": TXID, "vout": "1"})
    ]
    scene.submit(REPORT_ACCEPTED)
    assert scene.state.attempt.report == "accepted"
    assert "conclude" not in scene.state.timers
    scene.submit(mined())
    assert scene.statuses == ["wait-confirm"]
    scene.submit(settled())
    assert scene.statuses == ["confirmed"]
    assert scene.state.chain == "final"
    assert not scene.calls


def test_settled_without_mined_passes_both_statuses():
    scene = reporting()
    scene.submit(settled())
    assert scene.statuses == ["wait-confirm", "confirmed"]


@pytest.mark.parametrize(
    ("rules", "moments"),
    [
        ("", [1, 0, 0]),
        ('report_moment = "mined"', [0, 1, 0]),
        ('report_moment = "final"', [0, 0, 1]),
        ('[report_moments]\nxrp = "final"', [0, 0, 1]),
        ('report_moment = "final"\n[report_moments]\nXRP = "broadcast"\nBTC = "mined"', [1, 0, 0]),
    ],
)
def test_the_txid_is_reported_once_at_the_moment_of_the_policy(rules, moments):
    scene = allowed(policy(rules))
    sent = []
    for event in (broadcast(), mined(), settled()):
        scene.submit(event)
        sent.append(len(scene.calls))
    assert sent == moments


def test_a_stored_txid_is_never_replaced():
    scene = reporting()
    before = scene.state
    assert scene.submit(broadcast(OTHER_TXID)).code == "TXID_ALREADY_STORED"
    assert scene.submit(broadcast(TXID)).status == "duplicate"
    assert scene.submit(broadcast("0x" + TXID.lower())).status == "duplicate"
    assert scene.state == before


def test_an_output_index_may_come_later_but_not_change():
    scene = reporting()
    assert scene.submit(broadcast(TXID, "3")).status == "applied"
    assert (scene.state.txid, scene.state.vout) == (TXID, "3")
    assert not scene.calls
    assert scene.submit(broadcast(TXID, "4")).code == "TXID_ALREADY_STORED"
    assert scene.submit(broadcast(TXID)).status == "duplicate"
    assert scene.state.vout == "3"


@pytest.mark.parametrize("event", [mined(), settled()])
def test_the_chain_does_nothing_before_a_txid_is_known(event):
    scene = allowed()
    assert scene.submit(event).code == "NOT_BROADCAST"
    assert scene.last.status == "rejected"


def test_chain_events_again_change_nothing():
    scene = reporting()
    scene.submit(mined(), settled())
    before = scene.state
    for event in (mined(), settled()):
        assert scene.submit(event).status == "duplicate"
    assert scene.state == before


@pytest.mark.parametrize("scene_of", [asking, waiting])
def test_value_sent_without_an_allow_is_stored_and_said_aloud(scene_of):
    scene = scene_of()
    scene.submit(broadcast())
    assert scene.alerts == ["BROADCAST_WITHOUT_ALLOW"]
    assert scene.state.txid == TXID
    assert not scene.calls


def test_value_sent_too_early_is_reported_when_the_answer_is_verified():
    scene = waiting()
    scene.submit(broadcast(), mined(), VERIFIED)
    assert scene.statuses == ["verified", "pending", "processing", "wait-confirm"]
    assert [call.operation for call in scene.calls] == ["txid-report"]
    assert scene.verdicts[0]["verdict"] == "allow"


def test_value_sent_after_a_cancellation_is_stored_but_not_reported():
    scene = allowed()
    scene.submit(cancelled(), broadcast())
    assert scene.alerts == ["BROADCAST_WITHOUT_ALLOW"]
    assert scene.state.txid == TXID
    assert not scene.calls


def test_an_exempt_withdrawal_is_broadcast_without_exchange_or_alert():
    scene = asking(policy("[exemptions]\nown_entity = true"))
    exempt = asking(policy('operator_override = true\n[assets.XRP]\n[verdicts]\nCOUNTERPARTY_UNREACHABLE = "hold"'))
    exempt.submit(reported("failed", "address-search", code="NO_ANSWER"), decided("allow"), broadcast())
    assert not exempt.alerts
    assert not exempt.calls
    assert scene.calls


def test_a_chain_failure_after_the_report_is_finished():
    scene = reporting()
    scene.submit(REPORT_ACCEPTED, settled("failed"))
    assert scene.statuses == ["canceled"]
    assert [(call.operation, call.clear) for call in scene.calls] == [
        ("finish", {"transferId": WITHDRAWAL_ID, "status": "canceled", "reasonType": "UNKNOWN"})
    ]
    assert not scene.drops
    assert not scene.verdicts


def test_a_chain_failure_takes_back_a_report_that_is_still_to_be_sent():
    scene = reporting()
    scene.submit(settled("failed"))
    assert scene.drops == [("txid-report",)]
    assert [call.operation for call in scene.calls] == ["finish"]
    scene.submit(reported("failed", "txid-report", code="TRANSFER_ALREADY_FAILED"))
    assert not scene.alerts
    scene.submit(FINISH_ACCEPTED)
    assert "conclude" not in scene.state.timers


def test_a_reorganisation_cancels_even_a_confirmed_exchange():
    scene = reporting()
    scene.submit(REPORT_ACCEPTED, settled(), settled("failed"))
    assert scene.statuses == ["canceled"]
    assert [call.operation for call in scene.calls] == ["finish"]


def test_value_that_was_never_sent_is_finished_when_the_platform_gives_it_up():
    scene = allowed()
    scene.submit(settled("failed"))
    assert scene.statuses == ["canceled"]
    assert [call.operation for call in scene.calls] == ["finish"]
    waits = waiting()
    waits.submit(settled("failed"))
    assert waits.verdicts[0]["reasons"] == ["CANCELLED"]
    waits.submit(VERIFIED)
    assert [call.operation for call in waits.calls] == ["finish"]


def test_money_that_moved_after_all_is_said_aloud():
    scene = reporting()
    scene.submit(settled("failed"), settled())
    assert scene.alerts == ["SETTLED_AFTER_FAILURE"]
    assert scene.state.chain == "final"
    assert scene.state.attempt.status == "canceled"
    assert not scene.calls


def test_value_sent_after_it_was_given_up_is_said_aloud_twice():
    scene = allowed()
    scene.submit(settled("failed"), broadcast())
    assert scene.alerts == ["BROADCAST_WITHOUT_ALLOW"]
    assert (scene.state.chain, scene.state.txid) == ("failed", TXID)
    scene.submit(settled())
    assert scene.alerts == ["SETTLED_AFTER_FAILURE"]
    assert not scene.calls


@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("TXID_ALREADY_EXISTS", 200),
        ("TRANSFER_ALREADY_FAILED", 200),
        ("UNKNOWN_TRANSFER_ID", 200),
        ("INVALID_HEADER_SIGNATURE", 422),
        ("INVALID_TARGET_VASP_ID", 0),
        ("ERASED", 0),
    ],
)
def test_a_report_that_fails_for_good_is_critical(code, status):
    scene = reporting()
    scene.submit(reported("failed", "txid-report", code=code, status=status, attempts=10))
    assert scene.alerts == ["TXID_REPORT_FAILED"]
    assert scene.last.effects[0].severity == "critical"
    assert scene.state.attempt.report == "failed"


def test_a_finish_for_what_the_counterparty_does_not_know_is_closed():
    scene = allowed()
    scene.submit(cancelled(), reported("failed", "finish", code="UNKNOWN_TRANSFER_ID", attempts=3))
    assert scene.state.attempt.finish == "closed"
    assert not scene.alerts
    assert "conclude" not in scene.state.timers


def test_a_finish_that_is_refused_for_good_is_critical():
    scene = reporting()
    scene.submit(REPORT_ACCEPTED, settled("failed"), reported("failed", "finish", code="ILLEGAL_STATEFLOW", attempts=3))
    assert scene.alerts == ["FINISH_FAILED"]
    assert scene.state.attempt.finish == "failed"


@pytest.mark.parametrize("operation", ["txid-report", "finish"])
def test_what_is_owed_waits_for_a_vasp_that_is_down(operation):
    scene = reporting()
    if operation == "finish":
        scene.submit(settled("failed"))
    before = scene.state
    scene.submit(reported("deferred", operation, code="COUNTERPARTY_DOWN"))
    assert scene.state == before
    assert "conclude" in scene.state.timers


def test_a_call_in_trouble_alerts_and_goes_on():
    scene = reporting()
    before = scene.state
    scene.submit(reported("troubled", "txid-report", code="NO_ANSWER", attempts=10))
    assert scene.alerts == ["CALL_TROUBLED"]
    assert scene.last.effects[0].attempts == 10
    assert scene.state == before


def test_a_timer_that_was_moved_since_is_nothing():
    scene = asking()
    scene.submit(reported("failed", "address-search", code="NO_ANSWER"))
    old = scene.state.timers["try-again"]
    scene.fire("try-again")
    scene.submit(VALID)
    before = scene.state
    assert scene.submit(TimerDue(name="try-again", due_at=old)).status == "duplicate"
    assert scene.submit(TimerDue(name="no-such-timer", due_at=old)).status == "duplicate"
    assert scene.state == before


def test_a_transaction_that_failed_before_its_report_was_due_is_only_finished():
    scene = allowed(policy('report_moment = "final"'))
    scene.submit(broadcast(), settled("failed"))
    assert [call.operation for call in scene.calls] == ["finish"]
    assert not scene.drops
    assert scene.submit(settled("failed")).status == "duplicate"


def test_a_recorded_withdrawal_that_failed_needs_no_verdict():
    scene = Scene()
    scene.submit(recorded(), settled("failed"))
    assert scene.state.chain == "failed"
    assert not scene.history


@pytest.mark.parametrize(
    ("chain", "moments"),
    [
        ("none", []),
        ("broadcast", ["broadcast"]),
        ("mined", ["broadcast", "mined"]),
        ("final", ["broadcast", "mined", "final"]),
        ("failed", []),
    ],
)
def test_which_moments_a_chain_has_reached(chain, moments):
    state = replace(reporting().state, chain=chain)
    assert [moment for moment in ("broadcast", "mined", "final") if reached(state, moment)] == moments
