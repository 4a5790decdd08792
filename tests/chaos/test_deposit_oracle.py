"""The oracle of deposits: a sound run has no breach, and each harm done to its traces is noticed."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from tests.chaos.deposit_scenarios import DATA_RECEIVED, MATCHED, DepositScript
from tests.chaos.evidence import Call, Evidence, Said
from tests.chaos.members import ROBOT_SENDER, THIEF
from tests.chaos.result_lines import judge
from tests.chaos.traces import START, TXID, said, sound
from tests.chaos.withdrawal_scenarios import WithdrawalScript

ANONYMOUS_TXID = "EF" * 32
REQUEST = "request-1"


def deposit(
    kind: str, expected: tuple[str, str], sender: str, txid: str, withdrawal: WithdrawalScript | None
) -> DepositScript:
    return DepositScript(
        kind=kind,
        vasp="south",
        key=f"d-{kind}",
        expected=expected,
        rng=random.Random(1),
        txid=txid,
        sender=sender,
        tag="1",
        amount="1",
        withdrawal=withdrawal,
    )


def allow(one: DepositScript, transfer_id: str, sequence: int = 1, **changes: Any) -> Said:
    facts: dict[str, Any] = {
        "subject": f"deposit:{one.key}",
        "verdict": "allow",
        "reasons": [one.allowed_for],
        "final": True,
        "policyVersion": "p1",
        "counterparty": one.sender,
        "transferId": transfer_id,
    }
    return said("verdicts", one.key, sequence, 9, **{**facts, **changes})


def joined(one: DepositScript, transfer_id: str) -> Said:
    facts = {"transferId": transfer_id, "side": "beneficiary", "counterparty": "north", "status": "confirmed"}
    return said("exchanges", f"north/{transfer_id}", 1, 8, depositId=one.key, **facts)


def search_end(one: DepositScript, request_id: str = REQUEST, sequence: int = 1) -> Said:
    facts = {"requestId": request_id, "outcome": "found", "counterparty": one.sender}
    return said("callbacks", one.key, sequence, 7, subject=f"deposit:{one.key}", **facts)


def asked(operation: str, seconds: float, result: str, *, target: str = "", **ids: str) -> Call:
    return Call(
        at=START + timedelta(seconds=seconds),
        operation=operation,
        caller="south",
        target=target,
        transfer_id=ids.get("transfer_id", ""),
        request_id=ids.get("request_id", ""),
        txid=ids.get("txid", ""),
        trace="",
        status=200,
        error="",
        result=result,
        reached=True,
    )


def arrived() -> Evidence:
    """A withdrawal that arrives as an announced deposit, and an anonymous one from a robot."""
    evidence = sound()
    (story,) = evidence.stories
    announced = deposit("report-late", MATCHED, "north", TXID, story)
    anonymous = deposit("from-robot", DATA_RECEIVED, ROBOT_SENDER, ANONYMOUS_TXID, None)
    evidence.scripts += [announced, anonymous]
    evidence.said["south"] += [
        joined(announced, story.key),
        allow(announced, story.key),
        search_end(anonymous),
        allow(anonymous, REQUEST),
    ]
    evidence.calls += [
        asked("txid-search", 4, "success", request_id=REQUEST, txid=ANONYMOUS_TXID),
        asked("txid-search-result", 5, "valid", request_id=REQUEST),
        asked("data-request", 6, "normal", target=ROBOT_SENDER, transfer_id=REQUEST, txid=ANONYMOUS_TXID),
    ]
    evidence.tables["south"]["searches"] = [{"subject": f"deposit:{anonymous.key}", "request_id": REQUEST}]
    evidence.forged = Counter({("guessed-path", 404): 3, ("invented-finder", 200): 3})
    return evidence


def test_a_sound_run_has_no_breach() -> None:
    evidence = arrived()
    evidence.interrupted = [("deposit:d-from-robot", REQUEST)]
    assert judge(evidence) == []


def test_a_report_ends_the_search_that_was_lost_with_the_hub() -> None:
    evidence = arrived()
    announced = next(deposit for deposit in evidence.deposits if deposit.withdrawal is not None)
    evidence.interrupted = [(f"deposit:{announced.key}", "request-0")]
    assert judge(evidence) == []


Harm = Callable[[Evidence], object]
ANNOUNCED, ANONYMOUS = 1, 2
"""Where they stand among the scripts."""


def the(evidence: Evidence, place: int) -> DepositScript:
    found = evidence.scripts[place]
    assert isinstance(found, DepositScript)
    return found


def never_allow(evidence: Evidence) -> None:
    evidence.said["south"].pop()


def allow_twice(evidence: Evidence) -> None:
    evidence.said["south"].append(allow(the(evidence, ANONYMOUS), REQUEST, 2))


def allow_for_another_reason(evidence: Evidence) -> None:
    one = the(evidence, ANNOUNCED)
    evidence.said["south"][1] = allow(one, one.withdrawal.key if one.withdrawal else "", reasons=["DATA_RECEIVED"])


def allow_by_another_exchange(evidence: Evidence) -> None:
    evidence.said["south"][1] = allow(the(evidence, ANNOUNCED), "another")


def name_another_sender(evidence: Evidence) -> None:
    evidence.said["south"][3] = allow(the(evidence, ANONYMOUS), REQUEST, counterparty="north")


def ask_another_vasp(evidence: Evidence) -> None:
    evidence.calls[-1] = replace(evidence.calls[-1], target="north")


def ask_before_it_is_found(evidence: Evidence) -> None:
    evidence.calls[-1] = replace(evidence.calls[-1], at=START)


def ask_without_a_result(evidence: Evidence) -> None:
    evidence.calls[-2] = replace(evidence.calls[-2], result="invalid")


def get_the_data_twice(evidence: Evidence) -> None:
    evidence.calls.append(replace(evidence.calls[-2], request_id="request-2"))
    evidence.calls.append(replace(evidence.calls[-2], transfer_id="request-2"))


def say_the_end_of_a_search_twice(evidence: Evidence) -> None:
    evidence.said["south"].append(search_end(the(evidence, ANONYMOUS), sequence=2))


def join_to_a_strange_exchange(evidence: Evidence) -> None:
    evidence.said["south"].append(joined(the(evidence, ANNOUNCED), "strange"))


def speak_to_the_thief(evidence: Evidence) -> None:
    evidence.calls.append(asked("status-search", 7, "", target=THIEF, txid=ANONYMOUS_TXID))


def believe_the_thief(evidence: Evidence) -> None:
    facts = {"requestId": "request-3", "outcome": "found", "counterparty": THIEF}
    evidence.said["south"].append(said("callbacks", "d-from-robot", 2, 7, **facts))


def know_a_guessed_path(evidence: Evidence) -> None:
    evidence.forged["guessed-path", 200] += 1


def forget_an_interrupted_search(evidence: Evidence) -> None:
    evidence.interrupted = [("deposit:d-from-robot", "request-0")]


@pytest.mark.parametrize(
    ("harm", "invariant", "kind"),
    [
        (never_allow, 1, "lost"),
        (allow_twice, 1, "duplicated"),
        (allow_for_another_reason, 9, "broken"),
        (allow_by_another_exchange, 9, "broken"),
        (name_another_sender, 9, "broken"),
        (ask_another_vasp, 6, "broken"),
        (ask_before_it_is_found, 6, "broken"),
        (ask_without_a_result, 6, "broken"),
        (get_the_data_twice, 1, "duplicated"),
        (say_the_end_of_a_search_twice, 1, "duplicated"),
        (join_to_a_strange_exchange, 1, "broken"),
        (speak_to_the_thief, 6, "broken"),
        (believe_the_thief, 6, "broken"),
        (know_a_guessed_path, 6, "broken"),
        (forget_an_interrupted_search, 1, "lost"),
    ],
)
def test_harm_is_noticed(harm: Harm, invariant: int, kind: str) -> None:
    evidence = arrived()
    harm(evidence)
    assert (invariant, kind) in {(breach.invariant, breach.harm) for breach in judge(evidence)}
