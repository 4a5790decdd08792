"""The result of a run: one line per fault, and one for all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from streams.app import Timing
from tests.chaos import deposit_oracle, oracle
from tests.chaos.answer_oracle import allowed_only_on_true_answers
from tests.chaos.deposit_scenarios import DepositScript
from tests.chaos.downtime import the_down_are_left_alone
from tests.chaos.evidence import Evidence
from tests.chaos.fault_run_network import FaultRun
from tests.chaos.oracle import Breach
from tests.chaos.subject import SubjectScript
from tests.chaos.timeline import FaultWindow, Timeline

CHECKS: tuple[oracle.Check, ...] = (
    oracle.events_have_their_effect,
    oracle.one_event_per_number,
    oracle.one_exchange_at_a_time,
    oracle.allowed_only_when_verified,
    allowed_only_on_true_answers,
    oracle.verified_is_stored,
    oracle.verified_is_concluded,
    oracle.txids_stay,
    oracle.one_counterparty,
    the_down_are_left_alone,
    oracle.one_key_refresh,
    oracle.verdicts_are_explained,
    oracle.dead_letters_are_wrong_messages,
    oracle.nothing_is_left,
    deposit_oracle.one_verdict_each,
    deposit_oracle.data_are_asked_of_the_finder,
    deposit_oracle.one_effect_each,
    deposit_oracle.one_deposit_per_exchange,
    deposit_oracle.forged_callbacks_change_nothing,
    deposit_oracle.interrupted_searches_are_made_again,
)


def judge(evidence: Evidence) -> list[Breach]:
    """Every breach of every invariant."""
    return [breach for check in CHECKS for breach in check(evidence)]


class Judged:
    """A run with its breaches, by the withdrawals and deposits they concern."""

    def __init__(self, timeline: Timeline, evidence: Evidence, breaches: Sequence[Breach]) -> None:
        self._ledger = timeline
        self._evidence = evidence
        self._breaches = breaches

    def lines(self, fault_run: FaultRun, plan: str, seed: int) -> list[dict[str, Any]]:
        """One line per fault and the summary."""
        faults = [self._fault(strike) for strike in self._ledger.strikes]
        return [*faults, self._summary(fault_run, plan, seed, faults)]

    def _fault(self, strike: FaultWindow) -> dict[str, Any]:
        scripts = self._ledger.of(strike)
        names = {script.key for script in scripts}
        names |= {attempt.transfer_id for name in names for attempt in self._evidence.attempts.get(name, ())}
        mine = [breach for breach in self._breaches if breach.subject.rpartition("/")[2] in names]
        recovered = strike.recovered_s(scripts)
        line: dict[str, Any] = {
            "fault": strike.name,
            "events": sum(len(script.sent) for script in scripts),
            "lost": sum(breach.harm == "lost" for breach in mine),
            "duplicated_effects": sum(breach.harm == "duplicated" for breach in mine),
            "recovered_s": None if recovered is None else round(max(recovered, 0.0), 1),
            "ok": recovered is not None and not mine,
            **_counted(scripts),
        }
        if strike.served_s is not None:
            session = Timing().session_s
            ratio = strike.served_s / session
            line |= {"served_s": round(strike.served_s, 1), "session_s": session, "ratio": round(ratio, 2)}
        return line

    def _summary(self, fault_run: FaultRun, plan: str, seed: int, faults: list[dict[str, Any]]) -> dict[str, Any]:
        invariants = sorted({breach.invariant for breach in self._breaches})
        return {
            "fault": "all",
            "events": sum(len(script.sent) for script in self._ledger.scripts),
            "lost": sum(breach.harm == "lost" for breach in self._breaches),
            "duplicated_effects": sum(breach.harm == "duplicated" for breach in self._breaches),
            "recovered_s": max((line["recovered_s"] or 0.0 for line in faults), default=0.0),
            "ok": not self._breaches and all(line["ok"] for line in faults),
            **_counted(self._ledger.scripts),
            "faults": len(faults),
            "calls": len(self._evidence.calls),
            "brokers": fault_run.brokers,
            "forged": sum(self._evidence.forged.values()),
            "falsified": dict(Counter(answer.sort for answer in self._evidence.answers if answer.sort)),
            "interrupted_searches": len(self._evidence.interrupted),
            "searched_again": deposit_oracle.searched_again(self._evidence),
            "broken_invariants": invariants,
            "ended_by_themselves": dict(fault_run.ended_by_itself),
            "not_alive": dict(fault_run.not_alive),
            "run": plan,
            "seed": seed,
        }


def _counted(scripts: Sequence[SubjectScript]) -> dict[str, int]:
    deposits = [script for script in scripts if isinstance(script, DepositScript)]
    anonymous = sum(deposit.withdrawal is None for deposit in deposits)
    return {"withdrawals": len(scripts) - len(deposits), "deposits": len(deposits), "anonymous": anonymous}
