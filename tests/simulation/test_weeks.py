"""Weeks of timers in seconds, thousands of exchanges, and every invariant after every step.

A failure names its seed and the command that plays it again. More runs than the suite has time for:
``SIMULATION_SEEDS=1-300 pytest tests/simulation/test_weeks.py -k seeds_of_choice``.
"""

from __future__ import annotations

import os
import secrets
import sys
from collections import Counter
from collections.abc import Iterable

import pytest

from tests.simulation.simulation import SEEDS_VARIABLE, WITHDRAWALS_VARIABLE, Figures, Simulation, SimulationFailed

WITHDRAWALS = 500
FIXED = (1, 2)
FRESH = 300
"""Withdrawals of a run whose seed nobody chose."""
EVERYTHING = (
    *("withdrawal.verdict.v1 allow VERIFIED", "withdrawal.verdict.v1 allow EXEMPT_OWN_ENTITY"),
    *("withdrawal.verdict.v1 hold COUNTERPARTY_UNREACHABLE", "withdrawal.verdict.v1 hold COUNTERPARTY_UNKNOWN"),
    *("withdrawal.verdict.v1 deny CANCELLED", "withdrawal.verdict.v1 hold DENIED_INPUT_NAME_MISMATCHED"),
    *("withdrawal.verdict.v1 deny OPERATOR", "withdrawal.verdict.v1 deny ADDRESS_NOT_FOUND"),
    *(
        "deposit.verdict.v1 allow MATCHED",
        "deposit.verdict.v1 allow DATA_RECEIVED",
        "deposit.verdict.v1 allow OPERATOR",
    ),
    *("deposit.verdict.v1 hold AMOUNT_MISMATCH", "deposit.verdict.v1 hold ORIGINATOR_UNKNOWN"),
    *("deposit.verdict.v1 hold OWNER_UNKNOWN", "deposit.verdict.v1 hold ORIGINATOR_AMBIGUOUS"),
    *("deposit.verdict.v1 deny RETRACTED", "AUTHORIZATION_OPEN", "BROADCAST_WITHOUT_ALLOW", "CALL_TROUBLED"),
    *("withdrawal.verdict.v1 hold REJECTED_INPUT", "REQUEST_REFUSED"),
    *("EXCHANGE_NOT_CONCLUDED", "HELD_TOO_LONG", "DEPOSIT_NOT_SETTLED", "DIRECTORY_KEY_CHANGED", "PARKED_TOO_LONG"),
)
"""What the known seeds must have seen."""


def show(figures: Figures, capsys: pytest.CaptureFixture[str]) -> None:
    with capsys.disabled():
        sys.stdout.write(
            f"\nsimulation: seed {figures.seed}, {figures.exchanges} exchanges, {figures.deposits} deposits,"
            f" {figures.decisions} decisions, {figures.requests} requests, {figures.days} days"
            f" in {figures.seconds:.1f} s of processor time\n"
        )


async def played(seed: int, capsys: pytest.CaptureFixture[str], withdrawals: int = WITHDRAWALS) -> Figures:
    figures = await Simulation(seed).play(withdrawals)
    show(figures, capsys)
    return figures


def chosen() -> str:
    return os.environ.get(SEEDS_VARIABLE, "")


def seeds_of_choice() -> Iterable[int]:
    """``7``, ``7,12`` or ``1-300`` from the environment; a fresh one otherwise."""
    for part in (chosen() or str(secrets.randbelow(2**31))).split(","):
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)


async def test_weeks_of_known_seeds(capsys: pytest.CaptureFixture[str]) -> None:
    """A simulation in which nothing happens would find nothing: what these see is counted too."""
    seen: Counter[str] = Counter()
    for seed in FIXED:
        figures = await played(seed, capsys)
        assert figures.exchanges > WITHDRAWALS
        assert figures.recomputed > 200
        assert figures.doubles > 50
        seen += figures.seen
    assert [one for one in EVERYTHING if not seen[one]] == []


async def test_weeks_of_seeds_of_choice(capsys: pytest.CaptureFixture[str]) -> None:
    withdrawals = int(os.environ.get(WITHDRAWALS_VARIABLE) or (WITHDRAWALS if chosen() else FRESH))
    failures = []
    for seed in seeds_of_choice():
        try:
            await played(seed, capsys, withdrawals)
        except SimulationFailed as failure:
            failures.append(str(failure))
    assert not failures, "\n".join(failures)


async def test_the_same_seed_is_the_same_run() -> None:
    runs = [Simulation(7), Simulation(7)]
    figures = [await one.play(60) for one in runs]
    assert figures[0].seen == figures[1].seen
    assert figures[0].steps == figures[1].steps
    events = [[event for process in one.processes.values() for event in process.engine_model.outbox] for one in runs]
    assert events[0] == events[1]
