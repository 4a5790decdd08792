"""The law and its page."""

from __future__ import annotations

import pytest

from travelrule.deposits import diagram
from travelrule.deposits.table import AUTOMATIC, TABLE, WAITS
from travelrule.machine.alert_codes import ASSESSMENT_ALERTS, DEPOSIT_ALERTS, SHARED_ALERTS, AlertCode
from travelrule.machine.transition_table import NEW, IllegalTransitionError

TRANSITIONS = TABLE.transitions
STATUSES = set(TRANSITIONS) - {NEW}


def test_every_status_can_be_reached_and_left():
    reached = {after for row in TRANSITIONS.values() for after in row.values()}
    assert reached == STATUSES
    assert all(TRANSITIONS.values())


def test_every_row_steps_and_nothing_else_does():
    triggers = {trigger for row in TRANSITIONS.values() for trigger in row}
    for status, row in TRANSITIONS.items():
        for trigger in triggers:
            assert TABLE.may(status, trigger) == (trigger in row)
            if trigger in row:
                assert TABLE.step(status, trigger) == row[trigger]
            else:
                with pytest.raises(IllegalTransitionError):
                    TABLE.step(status, trigger)


def test_a_retraction_ends_everything_and_a_report_ends_everything_automatic():
    assert all("retracted" in TRANSITIONS[status] for status in STATUSES - {"retracted"})
    assert all(TRANSITIONS[status]["matched"] == "matched" for status in AUTOMATIC)
    assert set(WAITS) < AUTOMATIC


def test_the_committed_page_is_what_the_table_says():
    assert diagram.main(["--check"]) == 0


def test_a_page_that_differs_is_found_and_written_anew(tmp_path, capsys):
    path = tmp_path / "docs" / "page.md"
    assert diagram.main(["--check"], path) == 1
    assert "differs" in capsys.readouterr().err
    assert diagram.main([], path) == 0
    assert diagram.main(["--check"], path) == 0


def test_the_page_names_every_change_timer_and_alert():
    page = diagram.page()
    for status, row in TRANSITIONS.items():
        for trigger, after in row.items():
            assert f"{'[*]' if status == NEW else status} --> {after}: {trigger}" in page
    assert all(f"| `{code}` |" in page for code in DEPOSIT_ALERTS)
    assert all(f"| `{timer}` |" in page for timer in diagram.TIMERS)


def test_every_code_is_on_one_page():
    assert sorted((*SHARED_ALERTS, *DEPOSIT_ALERTS, *ASSESSMENT_ALERTS)) == sorted(AlertCode)
