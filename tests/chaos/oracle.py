"""The invariants of the design (section 5), proven or disproven on what can be seen from outside.

Each check gives its breaches. A breach says what kind of harm was done: something was ``lost``, an effect was
``duplicated``, or a rule was ``broken``; and to which withdrawal or deposit, if it is one.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from tests.chaos.evidence import Attempt, Call, Evidence, Said

ALIVE = {"verified", "pending", "processing", "wait-confirm", "confirmed"}
UNCONCLUDED = {"EXCHANGE_NOT_CONCLUDED", "TXID_REPORT_FAILED", "FINISH_FAILED", "AUTHORIZATION_OPEN"}
REAL = ("north", "south")
COUNTED = ("verdicts", "exchanges", "alerts", "callbacks")
"""Topics whose numbers count from 1 for each key; the audit roots are numbered by the size of their log."""
AUTHORIZATION = "transfer-authorization"
AGREED = {
    "wait": set[str](),
    "verified": set[str](),
    "pending": set[str](),
    "denied": {"denied"},
    "canceled": {"canceled", "nothing"},
    "processing": {"confirmed"},
    "wait-confirm": {"confirmed"},
    "confirmed": {"confirmed"},
}
"""What the other side may hold at the end, by what this side holds. The first three are no ends."""


Harm = Literal["lost", "duplicated", "broken"]


@dataclass(frozen=True, slots=True)
class Breach:
    """One invariant that did not hold."""

    invariant: int
    harm: Harm
    subject: str
    text: str


Check = Callable[[Evidence], Iterator[Breach]]


def events_have_their_effect(evidence: Evidence) -> Iterator[Breach]:
    """1: everything that the broker took is a stored input, and every script ends as it must."""
    for script in evidence.scripts:
        stored = evidence.inputs.get((script.vasp, script.key), set())
        for topic, event_id in script.sent:
            if event_id not in stored:
                yield Breach(1, "lost", script.key, f"{script.kind}: an event of {topic} left no input")
        last = evidence.last_verdicts.get((script.vasp, script.key))
        if last != script.expected:
            yield Breach(1, "lost", script.key, f"{script.kind}: ended with {last}, not {script.expected}")


def one_event_per_number(evidence: Evidence) -> Iterator[Breach]:
    """1: per topic, key and subject the numbers stand in order and without gaps, and one number is one event."""
    for vasp, said in evidence.said.items():
        events: defaultdict[tuple[str, str, str], list[tuple[int, bytes]]] = defaultdict(list)
        for one in said:
            if one.topic in COUNTED:
                events[one.topic, one.key, one.data.get("subject", "")].append((one.data["sequence"], one.value))
        for (topic, key, _), numbered in events.items():
            numbers = [number for number, _ in numbered]
            if sorted(set(numbers)) != list(range(1, len(set(numbers)) + 1)):
                yield Breach(1, "lost", key, f"{vasp} {topic}: numbers {numbers} have gaps")
            if any(later < earlier for earlier, later in pairwise(numbers)):
                yield Breach(1, "broken", key, f"{vasp} {topic}: numbers {numbers} are out of order")
            if len(set(numbered)) != len(set(numbers)):
                yield Breach(1, "duplicated", key, f"{vasp} {topic}: one number names two events")


def one_exchange_at_a_time(evidence: Evidence) -> Iterator[Breach]:
    """1: another attempt begins only after the one before it was refused, given up or lost; one at most lives."""
    for withdrawal_id, attempts in evidence.attempts.items():
        living = [attempt.transfer_id for attempt in attempts if attempt.statuses[-1] in ALIVE]
        if len(living) > 1:
            yield Breach(1, "duplicated", withdrawal_id, f"{len(living)} exchanges live")
        for attempt in attempts[:-1]:
            if "denied" not in attempt.statuses and not _was_lost(evidence, attempt):
                yield Breach(1, "duplicated", withdrawal_id, "asked anew without a reason")
        stored = [
            attempt.transfer_id
            for attempt in attempts
            if (row := _mirror(evidence, attempt)) is not None and row["status"] == "confirmed"
        ]
        if len(stored) > 1:
            yield Breach(1, "duplicated", withdrawal_id, "the other side holds two confirmed transfers")


def _was_lost(evidence: Evidence, attempt: Attempt) -> bool:
    calls = [call for call in evidence.calls_of.get(attempt.transfer_id, ()) if call.operation == AUTHORIZATION]
    spoilt = any(answer.sort for answer in evidence.answers_of[attempt.transfer_id])
    return not calls or spoilt or any(not call.good for call in calls)


def allowed_only_when_verified(evidence: Evidence) -> Iterator[Breach]:
    """2: an allow names an exchange that the other side stores as verified, and was said before the allow."""
    for vasp, said in evidence.said.items():
        for one in said:
            if one.topic != "verdicts" or one.data["verdict"] != "allow" or not _of_withdrawal(one):
                continue
            transfer_id, counterparty = one.data.get("transferId", ""), one.data.get("counterparty", "")
            verified = [
                call
                for call in evidence.calls_of.get(transfer_id, ())
                if call.operation == AUTHORIZATION and call.result == "verified" and call.good
            ]
            if one.data["reasons"] != ["VERIFIED"] or not verified:
                yield Breach(2, "broken", one.key, f"{vasp}: allowed without a verified answer")
            elif one.at is not None and one.at < min(call.at.replace(microsecond=0) for call in verified):
                yield Breach(2, "broken", one.key, f"{vasp}: allowed before the answer")
            elif counterparty in REAL and (counterparty, vasp, transfer_id) not in evidence.mirrored:
                yield Breach(2, "broken", one.key, f"{counterparty} stores nothing of what {vasp} allowed")


def _of_withdrawal(one: Said) -> bool:
    return str(one.data["subject"]).startswith("withdrawal:")


def verified_is_stored(evidence: Evidence) -> Iterator[Breach]:
    """3: a VASP that answered verified has stored the transfer, even if the answer was lost."""
    for call in evidence.calls:
        if call.operation == AUTHORIZATION and call.result == "verified" and call.target in REAL:
            row = evidence.mirrored.get((call.target, call.caller, call.transfer_id))
            if row is None or row["status"] == "denied":
                yield Breach(
                    3, "lost", call.transfer_id, f"{call.target} answered verified and stores no such transfer"
                )


def verified_is_concluded(evidence: Evidence) -> Iterator[Breach]:
    """4: what was verified was reported or finished and both sides agree, or there is an alert."""
    for withdrawal_id, attempts in evidence.attempts.items():
        for attempt in attempts:
            if UNCONCLUDED & evidence.alerts.get(withdrawal_id, set()):
                continue
            row = _mirror(evidence, attempt)
            there = row["status"] if row is not None else "nothing"
            here = attempt.statuses[-1]
            calls = evidence.calls_of.get(attempt.transfer_id, ())
            if "verified" in attempt.statuses and not any(map(_concludes, calls)):
                yield Breach(4, "lost", withdrawal_id, f"verified, now {here}, and never concluded")
            if attempt.counterparty in REAL and there not in AGREED[here]:
                yield Breach(4, "broken", withdrawal_id, f"here {here}, there {there}")
    for (vasp, origin, transfer_id), row in evidence.mirrored.items():
        if row["status"] == "verified" and f"{origin}/{transfer_id}" not in evidence.alerts:
            yield Breach(4, "lost", transfer_id, f"{vasp} still waits for {origin}")


def _concludes(call: Call) -> bool:
    return call.operation in ("txid-report", "finish") and call.good and call.result == "normal"


def txids_stay(evidence: Evidence) -> Iterator[Breach]:
    """5: one exchange, one txid: on the topics, in the reports, in both databases, and the platform's own."""
    theirs = {story.withdrawal_id: story.txid for story in evidence.stories}
    for withdrawal_id, attempts in evidence.attempts.items():
        for attempt in attempts:
            reported = {
                call.txid for call in evidence.calls_of.get(attempt.transfer_id, ()) if call.operation == "txid-report"
            }
            row = _mirror(evidence, attempt)
            stored = {row["txid"]} - {None} if row is not None else set()
            known = attempt.txids | reported | stored
            if known and known != {theirs.get(withdrawal_id)}:
                yield Breach(5, "broken", withdrawal_id, f"{len(known)} txids, or not the platform's")


def one_counterparty(evidence: Evidence) -> Iterator[Breach]:
    """6: sealed data goes to the VASP that the customer named, after it said that the address is there."""
    by_trace: defaultdict[str, list[Call]] = defaultdict(list)
    for call in evidence.calls:
        by_trace[call.trace].append(call)
    for story in evidence.stories:
        calls = by_trace.get(story.traceparent, []) + [
            call
            for attempt in evidence.attempts.get(story.withdrawal_id, ())
            for call in evidence.calls_of.get(attempt.transfer_id, ())
        ]
        strangers = {call.target for call in calls if call.target and call.caller == story.origin} - {story.target}
        if strangers:
            yield Breach(6, "broken", story.withdrawal_id, f"meant for {story.target}, sent to {strangers}")
        traced = sorted(by_trace.get(story.traceparent, []), key=lambda call: call.at)
        found = [
            call.at for call in traced if call.operation == "address-search" and call.good and call.result == "valid"
        ]
        asked = [call.at for call in traced if call.operation == AUTHORIZATION]
        if asked and (not found or asked[0] < found[0]):
            yield Breach(6, "broken", story.withdrawal_id, "personal data before the address was found there")


def one_key_refresh(evidence: Evidence) -> Iterator[Breach]:
    """8: a refused receiver key leads to one more try, never to a third."""
    refused = Counter(
        (call.operation, call.caller, call.transfer_id or call.trace)
        for call in evidence.calls
        if call.error == "INVALID_RECEIVER_PUBLIC_KEY" and (call.transfer_id or call.trace)
    )
    for (operation, caller, name), count in refused.items():
        if count > 2:
            yield Breach(8, "broken", name, f"{caller}: {operation} was refused {count} times for its key")


def verdicts_are_explained(evidence: Evidence) -> Iterator[Breach]:
    """9: every verdict has reasons and a policy version, and the record proves it."""
    for vasp, said in evidence.said.items():
        for one in said:
            if one.topic == "verdicts" and not (one.data["reasons"] and one.data["policyVersion"]):
                yield Breach(9, "broken", one.key, f"{vasp}: a verdict without reasons or policy")
    for vasp, proof in evidence.audit.items():
        if not proof["ok"]:
            yield Breach(9, "broken", "", f"{vasp}: the audit record does not prove itself: {proof['faults'][:3]}")


def dead_letters_are_wrong_messages(evidence: Evidence) -> Iterator[Breach]:
    """11: exactly what was wrong is in the dead letters, once."""
    wanted = Counter((script.vasp, script.key, code) for script in evidence.scripts for code in script.dead)
    found = Counter(
        (vasp, one.key, one.code) for vasp, said in evidence.said.items() for one in said if one.topic == "deadletters"
    )
    for vasp, key, code in (wanted - found).elements():
        yield Breach(11, "lost", key, f"{vasp}: no dead letter {code}")
    for vasp, key, code in found.keys() - wanted.keys():
        yield Breach(11, "broken", key, f"{vasp}: dead letter {code} of a good message")


def nothing_is_left(evidence: Evidence) -> Iterator[Breach]:
    """At rest no call waits and no input is parked."""
    for vasp, tables in evidence.tables.items():
        for row in tables["calls"]:
            subject = row["subject"].partition(":")[2]
            yield Breach(4, "lost", subject, f"{vasp}: {row['operation']} still waits after {row['tries']} tries")
        for row in tables["subjects"]:
            if row["parked"]:
                yield Breach(1, "lost", row["subject"].partition(":")[2], f"{vasp}: {row['parked']} inputs are parked")


def _mirror(evidence: Evidence, attempt: Attempt) -> dict[str, object] | None:
    return evidence.mirrored.get((attempt.counterparty, attempt.vasp, attempt.transfer_id))
