"""When a subject is concluded: too early would erase needed data, never would keep personal data indefinitely."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from tests.support.events import requested
from travelrule.engine.registry import MACHINES
from travelrule.engine.retention.eligibility import ELIGIBILITY
from travelrule.exchange.beneficiary.state import ExchangeState
from travelrule.exchange.originator.state import Attempt, WithdrawalState
from travelrule.exchange.table import ORIGINATING
from travelrule.machine.case import Case
from travelrule.machine.transition_table import NEW
from travelrule.messages.arrival import ArrivalReported, ArrivalSeen

REQUEST = WithdrawalState("w-1", "f", requested())
ALLOW, DENY, HOLD = Case("allow"), Case("deny"), Case("hold")


def attempt(status: str, **changes: Any) -> tuple[Attempt, ...]:
    return (Attempt("t-1", "south", status, **changes),)


def over(kind: str, state: Any) -> bool:
    return ELIGIBILITY[kind].is_concluded(state)


def test_every_kind_of_subject_has_its_rule() -> None:
    assert set(ELIGIBILITY) == set(MACHINES)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, False),
        ({"case": HOLD}, False),
        ({"case": ALLOW}, False),
        ({"case": ALLOW, "chain": "broadcast", "txid": "AB"}, False),
        ({"case": ALLOW, "chain": "final", "txid": "AB"}, True),
        ({"case": DENY}, True),
        ({"case": DENY, "chain": "broadcast", "txid": "AB"}, False),
        ({"case": DENY, "chain": "failed", "txid": "AB"}, True),
        ({"recorded": True, "chain": "broadcast", "txid": "AB"}, True),
        ({"case": ALLOW, "chain": "final", "attempts": attempt("confirmed", report="accepted")}, True),
        ({"case": ALLOW, "chain": "final", "attempts": attempt("confirmed", report="owed")}, False),
        ({"case": ALLOW, "chain": "final", "attempts": attempt("confirmed", report="missed")}, False),
        ({"case": DENY, "attempts": attempt("canceled", finish="owed")}, False),
        ({"case": DENY, "attempts": attempt("canceled", finish="accepted")}, True),
        ({"case": DENY, "attempts": attempt("verified")}, False),
    ],
)
def test_a_withdrawal(changes: dict[str, Any], expected: bool) -> None:
    assert over("withdrawal", replace(REQUEST, **changes)) is expected


@pytest.mark.parametrize("chain", ["none", "broadcast", "mined", "final", "failed", "retracted"])
@pytest.mark.parametrize("status", [status for status in ORIGINATING.transitions if status != NEW])
def test_an_inbound_exchange_waits_for_its_value(status: str, chain: Any) -> None:
    state = ExchangeState("south/t", "t", "south", "f", request=None, answer={}, status=status, chain=chain)  # type: ignore[arg-type]
    through = status in {"denied", "canceled"} or (status == "confirmed" and chain in {"final", "failed"})
    assert over("exchange", state) is through
    assert ELIGIBILITY["exchange"].needed_by(state) == ()
    arrived = replace(state, deposit_id="d-1", credited=True)
    assert ELIGIBILITY["exchange"].needed_by(arrived) == ("deposit:d-1",)
    assert over("exchange", arrived) is (status in {"denied", "canceled", "confirmed"})


def test_a_meeting_place_serves_everybody_who_came() -> None:
    report = ArrivalReported(
        exchange="exchange:south/t", counterparty="south", transfer_id="t", currency="XRP", amount=Decimal(1)
    )
    seen = ArrivalSeen(deposit_id="d-1", currency="XRP", amount=Decimal(1))
    machine = MACHINES["arrival"]
    state = replace(machine.load(b"{}"), reports=(report,), deposits=(seen,))
    assert ELIGIBILITY["arrival"].needed_by(state) == ("exchange:south/t", "deposit:d-1")
