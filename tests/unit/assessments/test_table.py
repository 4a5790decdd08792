"""The law and its page."""

from __future__ import annotations

import pytest

from schemas.registry import SUBJECT_KINDS
from travelrule.assessments import diagram
from travelrule.assessments.interruptions import LIMIT_HANDLERS
from travelrule.assessments.table import TABLE, WAITING
from travelrule.engine.registry import INTERNAL_INPUTS, MACHINES
from travelrule.engine.registry import MACHINES as ALL
from travelrule.machine.alert_codes import ASSESSMENT_ALERTS
from travelrule.machine.transition_table import NEW, IllegalTransitionError
from travelrule.messages.assessment import ASSESSMENT_MESSAGES

TRANSITIONS = TABLE.transitions
STATUSES = set(TRANSITIONS) - {NEW}


def test_every_status_can_be_reached_and_every_waiting_one_left():
    assert {after for row in TRANSITIONS.values() for after in row.values()} == STATUSES
    assert {status for status in STATUSES if TRANSITIONS[status]} == WAITING == set(LIMIT_HANDLERS)
    assert all({"ended", "dropped"} <= set(TRANSITIONS[status]) for status in WAITING)


def test_every_row_steps_and_nothing_else_does():
    triggers = {trigger for row in TRANSITIONS.values() for trigger in row}
    for status, row in TRANSITIONS.items():
        for trigger in triggers:
            if trigger in row:
                assert TABLE.step(status, trigger) == row[trigger]
            else:
                with pytest.raises(IllegalTransitionError):
                    TABLE.step(status, trigger)


def test_the_engine_knows_the_machines_their_messages_and_their_subjects():
    assert all(ALL[kind] is machine for kind, machine in MACHINES.items())
    assert ASSESSMENT_MESSAGES.items() <= INTERNAL_INPUTS.items()
    assert set(MACHINES) <= set(SUBJECT_KINDS)


def test_the_committed_page_is_what_the_table_says():
    assert diagram.main(["--check"]) == 0


def test_a_page_that_differs_is_found_and_written_anew(tmp_path, capsys):
    path = tmp_path / "docs" / "page.md"
    assert diagram.main(["--check"], path) == 1
    assert "differs" in capsys.readouterr().err
    assert diagram.main([], path) == 0
    assert diagram.main(["--check"], path) == 0


def test_the_page_names_every_change_and_alert():
    page = diagram.page()
    for status, row in TRANSITIONS.items():
        for trigger, after in row.items():
            assert f"{'[*]' if status == NEW else status} --> {after}: {trigger}" in page
    assert all(f"| `{code}` |" in page for code in ASSESSMENT_ALERTS)
