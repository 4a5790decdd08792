"""No machine's output changes without a new version: else ``audit verify`` would call an upgrade tampering."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import orjson
import pytest

from tests.golden import __main__ as command
from tests.golden.case_sources import TYPES
from tests.golden.cases import Golden, decided, read
from travelrule.assessments import machine as assessment
from travelrule.deposits import machine as deposit
from travelrule.engine.registry import MACHINES
from travelrule.exchange.beneficiary import machine as beneficiary
from travelrule.exchange.originator import machine as withdrawal
from travelrule.machine.effects import Alert
from travelrule.machine.port import Machine

WRITE = "make golden"
KINDS = sorted(MACHINES)
PLATFORM = ("call.", "decision.", "screening.", "ownership.")
"""Inputs that never reach an assessment requested by another subject."""
HANDLED: dict[str, set[str]] = {
    "withdrawal": {
        *(TYPES[model] for model in withdrawal.HANDLERS if model in TYPES and not TYPES[model].startswith("call.")),
        "withdrawal.requested.v1",
        "withdrawal.recorded.v1",
        *(f"call.{outcome}" for outcome in ("answered", "failed", "troubled", "deferred")),
    },
    "exchange": {
        *(TYPES[model] for model in beneficiary.DEPOSIT_HANDLERS),
        *("authorization.received", "txid-report.received", "finish.received", "timer.due", "call.answered"),
    },
    "deposit": {
        "deposit.detected.v1",
        "call.answered",
        *(TYPES[model] for model in deposit.HANDLERS if not TYPES[model].startswith("call.")),
    },
    "screening": {"screening.requested.v1", "ownership.requested.v1", "call.answered", "timer.due"},
    "assessment": {TYPES[model] for model in assessment.HANDLERS if not TYPES[model].startswith(PLATFORM)},
    "wallet": {"wallet.registered.v1", "wallet.removed.v1", "owner.screened", "owner.listed"},
    "owner": {"owner.hits"},
    "vasp": {"directory.changed"},
    "disclosure": {"dead-letter.shown"},
    "arrival": {"arrival.reported", "arrival.withdrawn", "arrival.seen", "arrival.retracted"},
    "data-request": {"data-request.received"},
}
OPERATIONS = {"withdrawal": set(withdrawal.RESULT_HANDLERS)}


@pytest.fixture(scope="module", params=KINDS)
def golden(request: pytest.FixtureRequest) -> Golden:
    stored = read(request.param)
    assert stored is not None, f"there are none for {request.param}: {WRITE}"
    return stored


def test_every_machine_decides_as_stored(golden: Golden) -> None:
    machine = MACHINES[golden.kind]
    assert machine.version == golden.version, f"the version of {golden.kind} was raised: regenerate with {WRITE}"
    differing = golden.differing(machine)
    assert differing == [], (
        f"{len(differing)} of {len(golden.cases)} decisions changed:"
        f" raise the version of machine {golden.kind} and regenerate with {WRITE}"
    )


def test_every_handler_decides_something(golden: Golden) -> None:
    """Of each input type of a machine, a decision that is no refusal is stored."""
    machine = MACHINES[golden.kind]
    heard, operations = set(), set()
    for case in golden.cases:
        if decided(machine, case).status == "applied":
            packed = orjson.loads(case.packed)
            heard.add(packed["type"])
            operations.add(orjson.loads(packed["data"]).get("operation"))
    assert HANDLED[golden.kind] - heard == set()
    assert OPERATIONS.get(golden.kind, set()) - operations == set()


def with_another_effect(machine: Machine) -> Machine:
    def decide(*arguments: Any) -> Any:
        decision = machine.decide(*arguments)
        return replace(decision, effects=(*decision.effects, Alert("PLANTED")))

    return replace(machine, decide=decide)


def with_another_state(machine: Machine) -> Machine:
    return replace(machine, dump=lambda state: b'{"planted":1,' + machine.dump(state)[1:])


def with_another_row(machine: Machine) -> Machine:
    return replace(machine, project=lambda state: replace(machine.project(state), counterparty="planted"))


@pytest.mark.parametrize("plant", [with_another_effect, with_another_state, with_another_row])
def test_a_change_of_output_is_found_and_not_written_over(
    plant: Callable[[Machine], Machine], monkeypatch: pytest.MonkeyPatch
) -> None:
    stored = read("owner")
    assert stored is not None
    planted = plant(MACHINES["owner"])
    assert stored.differing(planted)
    monkeypatch.setitem(MACHINES, "owner", planted)
    assert command._changed("owner")
    monkeypatch.setitem(MACHINES, "owner", replace(planted, version=planted.version + 1))
    assert not command._changed("owner")
