from __future__ import annotations

import pytest

from travelrule.exchange.table import SIDES
from travelrule.machine.transition_table import NEW, IllegalTransitionError

STATUSES = ("wait", "verified", "denied", "pending", "processing", "wait-confirm", "confirmed", "canceled")
ORIGINATING = {  # states.md section 2, without the resend of a failed transaction
    (NEW, "wait"), ("wait", "verified"), ("wait", "denied"), ("wait", "canceled"),
    ("verified", "pending"), ("verified", "canceled"), ("pending", "canceled"), ("pending", "processing"),
    ("processing", "wait-confirm"), ("processing", "canceled"), ("wait-confirm", "confirmed"),
    ("wait-confirm", "canceled"), ("confirmed", "canceled"),
}  # fmt: skip
BENEFICIARY = {  # states.md section 3
    (NEW, "verified"), (NEW, "denied"), ("verified", "confirmed"), ("verified", "canceled"),
    ("denied", "canceled"), ("confirmed", "canceled"),
}  # fmt: skip


@pytest.mark.parametrize(("side", "pairs"), [("originating", ORIGINATING), ("beneficiary", BENEFICIARY)])
def test_the_table_has_the_changes_of_the_protocol_and_no_other(side, pairs):
    table = SIDES[side].transitions
    assert {(status, after) for status, row in table.items() for after in row.values()} == pairs


@pytest.mark.parametrize("side", ["originating", "beneficiary"])
def test_every_status_that_can_be_reached_has_a_row_and_a_name_of_the_protocol(side):
    table = SIDES[side].transitions
    reached = {after for row in table.values() for after in row.values()}
    assert reached <= set(table)
    assert reached <= set(STATUSES)


def test_canceled_is_for_good_and_denied_ends_only_by_a_finish():
    assert SIDES["originating"].transitions["canceled"] == {}
    assert SIDES["originating"].transitions["denied"] == {}
    assert SIDES["beneficiary"].transitions["canceled"] == {}
    assert SIDES["beneficiary"].transitions["denied"] == {"finished": "canceled"}


def test_what_the_table_does_not_have_is_our_own_fault():
    assert not SIDES["originating"].may("denied", "answered-verified")
    with pytest.raises(IllegalTransitionError, match="no transition from denied"):
        SIDES["originating"].step("denied", "answered-verified")
    with pytest.raises(IllegalTransitionError):
        SIDES["beneficiary"].step("processing", "finished")
