"""The oracle finds what it is for: a sound run has no breach, and each harm done to its traces is noticed."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from tests.chaos.evidence import Evidence, read_said
from tests.chaos.result_lines import judge
from tests.chaos.timeline import LATE_SECONDS, FaultWindow, Timeline
from tests.chaos.traces import START, row, said, sound, verdict
from tests.chaos.withdrawal_scenarios import new_story


def test_a_sound_run_has_no_breach() -> None:
    assert judge(sound()) == []


Harm = Callable[[Evidence], object]


def lose_an_input(evidence: Evidence) -> None:
    evidence.tables["north"]["inputs"].pop()


def lose_the_verdict(evidence: Evidence) -> None:
    evidence.said["north"].pop()


def end_otherwise(evidence: Evidence) -> None:
    evidence.said["north"].append(verdict(evidence.stories[0], 2, "hold", "COUNTERPARTY_UNREACHABLE"))


def skip_a_number(evidence: Evidence) -> None:
    del evidence.said["north"][1]


def swap_two_numbers(evidence: Evidence) -> None:
    told = evidence.said["north"]
    told[1], told[2] = told[2], told[1]


def two_events_for_one_number(evidence: Evidence) -> None:
    evidence.said["north"].append(replace(verdict(evidence.stories[0]), value=b"another"))


def ask_anew(evidence: Evidence) -> None:
    one = evidence.stories[0].withdrawal_id
    evidence.tables["north"]["exchanges"].append(
        row("originating", "south", "anew", "wait") | {"created_at": START + timedelta(seconds=9)}
    )
    facts = {"transferId": "anew", "side": "originating", "counterparty": "south", "withdrawalId": one}
    evidence.said["north"].append(said("exchanges", "anew", 1, 9, status="wait", **facts))


def forget_what_was_answered(evidence: Evidence) -> None:
    evidence.tables["south"]["exchanges"].clear()


def allow_without_asking(evidence: Evidence) -> None:
    del evidence.calls[1]


def allow_too_early(evidence: Evidence) -> None:
    evidence.calls[1] = replace(evidence.calls[1], at=START + timedelta(seconds=8))


def never_conclude(evidence: Evidence) -> None:
    evidence.calls.pop()


def leave_the_other_side_waiting(evidence: Evidence) -> None:
    evidence.tables["south"]["exchanges"][0]["status"] = "verified"


def disagree(evidence: Evidence) -> None:
    evidence.tables["south"]["exchanges"][0]["status"] = "canceled"


def report_another_txid(evidence: Evidence) -> None:
    evidence.calls[2] = replace(evidence.calls[2], txid="CD" * 32)


def store_another_txid(evidence: Evidence) -> None:
    evidence.tables["south"]["exchanges"][0]["txid"] = "CD" * 32


def ask_a_stranger(evidence: Evidence) -> None:
    evidence.calls.append(replace(evidence.calls[0], target="robot-eu"))


def tell_before_the_address_is_found(evidence: Evidence) -> None:
    evidence.calls[0] = replace(evidence.calls[0], at=START + timedelta(seconds=5))


def call_the_dead(evidence: Evidence) -> None:
    evidence.said["north"].append(said("alerts", "south", 1, -60, code="DIRECTORY_VASP_DOWN"))
    evidence.said["north"].append(said("alerts", "south", 2, 60, code="DIRECTORY_VASP_UP"))


def insist_on_a_key(evidence: Evidence) -> None:
    refused = replace(evidence.calls[1], status=422, error="INVALID_RECEIVER_PUBLIC_KEY", result="")
    evidence.calls += [replace(refused, at=START + timedelta(seconds=second)) for second in (1, 1.1, 1.2)]


def give_no_reason(evidence: Evidence) -> None:
    evidence.said["north"][-1].data["policyVersion"] = ""


def break_the_chain(evidence: Evidence) -> None:
    evidence.audit["south"] = {"ok": False, "faults": ["withdrawal:x: record 2"]}


def refuse_a_good_message(evidence: Evidence) -> None:
    one = evidence.stories[0].withdrawal_id
    evidence.said["north"].append(read_said("deadletters", one.encode(), b"sealed", "CONFLICT"))


def swallow_a_wrong_message(evidence: Evidence) -> None:
    evidence.stories[0].dead.append("INVALID_JSON")


def leave_a_call(evidence: Evidence) -> None:
    subject = f"withdrawal:{evidence.stories[0].withdrawal_id}"
    evidence.tables["north"]["calls"].append({"subject": subject, "operation": "finish", "target": "south", "tries": 3})


def leave_an_input_parked(evidence: Evidence) -> None:
    evidence.tables["north"]["subjects"].append({"subject": "withdrawal:unknown", "parked": 1})


def allow_on_our_own_words(evidence: Evidence) -> None:
    evidence.answers[0] = replace(evidence.answers[0], sort="echoed")


def allow_on_the_answer_of_another(evidence: Evidence) -> None:
    evidence.answers[0] = replace(evidence.answers[0], sort="crossed")


def allow_on_what_another_vasp_was_answered(evidence: Evidence) -> None:
    evidence.answers[0] = replace(evidence.answers[0], vasp="south")


def allow_on_a_report(evidence: Evidence) -> None:
    evidence.answers[0] = replace(evidence.answers[0], path="/v1/code/transfer/south/txid")


@pytest.mark.parametrize(
    ("harm", "invariant", "kind"),
    [
        (lose_an_input, 1, "lost"),
        (lose_the_verdict, 1, "lost"),
        (end_otherwise, 1, "lost"),
        (skip_a_number, 1, "lost"),
        (swap_two_numbers, 1, "broken"),
        (two_events_for_one_number, 1, "duplicated"),
        (ask_anew, 1, "duplicated"),
        (forget_what_was_answered, 2, "broken"),
        (forget_what_was_answered, 3, "lost"),
        (allow_without_asking, 2, "broken"),
        (allow_too_early, 2, "broken"),
        (allow_on_our_own_words, 2, "broken"),
        (allow_on_the_answer_of_another, 2, "broken"),
        (allow_on_what_another_vasp_was_answered, 2, "broken"),
        (allow_on_a_report, 2, "broken"),
        (never_conclude, 4, "lost"),
        (leave_the_other_side_waiting, 4, "lost"),
        (disagree, 4, "broken"),
        (report_another_txid, 5, "broken"),
        (store_another_txid, 5, "broken"),
        (ask_a_stranger, 6, "broken"),
        (tell_before_the_address_is_found, 6, "broken"),
        (call_the_dead, 7, "broken"),
        (insist_on_a_key, 8, "broken"),
        (give_no_reason, 9, "broken"),
        (break_the_chain, 9, "broken"),
        (refuse_a_good_message, 11, "broken"),
        (swallow_a_wrong_message, 11, "lost"),
        (leave_a_call, 4, "lost"),
        (leave_an_input_parked, 1, "lost"),
    ],
)
def test_harm_is_noticed(harm: Harm, invariant: int, kind: str) -> None:
    evidence = sound()
    harm(evidence)
    assert (invariant, kind) in {(breach.invariant, breach.harm) for breach in judge(evidence)}


def test_what_comes_twice_is_no_harm() -> None:
    """A relay that was killed before it noted that an event was sent sends it again."""
    evidence = sound()
    evidence.said["north"].append(evidence.said["north"][-1])
    assert judge(evidence) == []


def test_a_lost_answer_is_a_reason_to_ask_anew() -> None:
    evidence = sound()
    ask_anew(evidence)
    evidence.calls.insert(1, replace(evidence.calls[1], status=None))
    texts = [breach.text for breach in judge(evidence)]
    assert "asked anew without a reason" not in texts


async def test_the_recovery_runs_until_the_last_delayed_withdrawal_was_served() -> None:
    stories = [new_story(random.Random(number), "ordinary", "north", "south") for number in range(3)]
    for story, requested_at, served_at in zip(stories, (100.0, 101.0, 130.0), (100.5, 117.0, 130.4), strict=True):
        story.requested_at, story.served_at = requested_at, served_at
    first, second = FaultWindow("a", 99, over_at=102), FaultWindow("b", 125, over_at=126)
    timeline = Timeline([*stories], [first, second])
    assert timeline.of(first) == stories[:2]
    assert first.recovered_s(timeline.of(first)) == 15
    assert second.recovered_s(timeline.of(second)) == 0
    stories[2].served_at = None
    assert second.recovered_s(timeline.of(second)) is None
    assert [timeline.backlog(now) for now in (130 + LATE_SECONDS, 130.1 + LATE_SECONDS)] == [0, 1]


async def test_a_story_waits_for_its_verdict() -> None:
    story = new_story(random.Random(1), "ordinary", "north", "south")
    waiting = asyncio.create_task(story.until(("allow", "VERIFIED")))
    story.see({"verdict": "hold", "reasons": ["COUNTERPARTY_UNREACHABLE"]})
    await asyncio.sleep(0)
    assert not waiting.done()
    story.see({"verdict": "allow", "reasons": ["VERIFIED"]})
    await waiting
    assert story.served_at is not None
