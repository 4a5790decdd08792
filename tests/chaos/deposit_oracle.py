"""What must hold of deposits, on what can be seen from outside; numbers are the design's invariants (section 5)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from tests.chaos.deposit_scenarios import DepositScript
from tests.chaos.evidence import Call, Evidence
from tests.chaos.forged_callbacks import NO_ANSWER
from tests.chaos.members import THIEF
from tests.chaos.oracle import Breach, Harm

RESULT = "txid-search-result"
REFUSED = frozenset({404, 503, NO_ANSWER})
"""How a guessed callback path may be answered; the last two while a service is away."""


def one_verdict_each(evidence: Evidence) -> Iterator[Breach]:
    """1, 9: an allow is said once, is final, and names why, whom and by which exchange or request."""
    for deposit in evidence.deposits:
        verdicts = evidence.verdicts.get((deposit.vasp, deposit.key), {})
        allows = [data for data in verdicts.values() if data["verdict"] == "allow"]
        if len(allows) != bool(deposit.allowed_for):
            harm: Harm = "duplicated" if allows else "lost"
            yield Breach(1, harm, deposit.key, f"{deposit.kind}: allowed {len(allows)} times")
        for data in allows:
            if data["reasons"] != [deposit.allowed_for] or not data["final"]:
                yield Breach(9, "broken", deposit.key, f"{deposit.kind}: allowed for {data['reasons']}")
            if data.get("counterparty") != deposit.sender:
                yield Breach(9, "broken", deposit.key, f"from {deposit.sender}, not from {data.get('counterparty')}")
            if data.get("transferId") not in _ways(evidence, deposit):
                yield Breach(9, "broken", deposit.key, f"{deposit.kind}: allowed by another one's transferId")


def _ways(evidence: Evidence, deposit: DepositScript) -> set[str]:
    """The transferIds by which a deposit may have been allowed."""
    if deposit.withdrawal is not None:
        return {attempt.transfer_id for attempt in evidence.attempts.get(deposit.withdrawal.key, ())}
    return {call.transfer_id for call in evidence.requests.get(deposit.txid, ()) if call.good}


def data_are_asked_of_the_finder(evidence: Evidence) -> Iterator[Breach]:
    """6: data are requested from the VASP that a search of this very deposit found, after it was found."""
    deposits = {deposit.txid: deposit for deposit in evidence.deposits}
    found = {
        (call.caller, call.request_id): call.at
        for call in reversed(evidence.calls)
        if call.operation == RESULT and call.good and call.result == "valid"
    }
    for txid, calls in evidence.requests.items():
        deposit = deposits.get(txid)
        for call in calls:
            if deposit is None or (call.caller, call.target) != (deposit.vasp, deposit.sender):
                yield Breach(6, "broken", deposit.key if deposit else txid, f"{call.caller} asked {call.target}")
                continue
            found_at = found.get((call.caller, call.transfer_id))
            if found_at is None or found_at > call.at:
                yield Breach(6, "broken", deposit.key, "data were requested before the search found somebody")


def one_effect_each(evidence: Evidence) -> Iterator[Breach]:
    """1: data come once, under one id, and the end of a search is said once."""
    for deposit in evidence.deposits:
        calls = evidence.requests.get(deposit.txid, ())
        answered = {call.transfer_id for call in calls if call.good and call.result == "normal"}
        if len(answered) > 1:
            yield Breach(1, "duplicated", deposit.key, f"data came under {len(answered)} ids")
    for vasp, said in evidence.said.items():
        ended: defaultdict[tuple[str, str], set[int]] = defaultdict(set)
        for one in said:
            if one.topic == "callbacks":
                ended[one.key, one.data["requestId"]].add(one.data["sequence"])
        for (key, _), numbers in ended.items():
            if len(numbers) > 1:
                yield Breach(1, "duplicated", key, f"{vasp}: the end of one search was said {len(numbers)} times")


def one_deposit_per_exchange(evidence: Evidence) -> Iterator[Breach]:
    """1: an exchange announces its own deposit and no other."""
    own = {
        (deposit.vasp, attempt.transfer_id): deposit.key
        for deposit in evidence.deposits
        if deposit.withdrawal is not None
        for attempt in evidence.attempts.get(deposit.withdrawal.key, ())
    }
    for vasp, said in evidence.said.items():
        for one in said:
            joined = one.data.get("depositId") if one.topic == "exchanges" else None
            if joined and joined != own.get((vasp, one.data["transferId"])):
                yield Breach(1, "broken", joined, f"{vasp}: joined to another one's exchange")


def forged_callbacks_change_nothing(evidence: Evidence) -> Iterator[Breach]:
    """6: nothing is sent to the VASP that only forged callbacks named, and a guessed path does not exist."""
    for call in evidence.calls:
        if call.target == THIEF and call.caller in evidence.said:
            yield Breach(6, "broken", call.txid, f"{call.caller} spoke to {THIEF}: {call.operation}")
    for vasp, said in evidence.said.items():
        for one in said:
            if one.topic in ("callbacks", "verdicts") and one.data.get("counterparty") == THIEF:
                yield Breach(6, "broken", one.key, f"{vasp} believed a forged callback")
    for (sort, status), count in evidence.forged.items():
        if sort == "guessed-path" and status not in REFUSED:
            yield Breach(6, "broken", "", f"{count} guessed callback paths were answered {status}")


def interrupted_searches_are_made_again(evidence: Evidence) -> Iterator[Breach]:
    """1: a search that was lost with the hub is made again under another id, unless its result came before.

    An announced deposit may be searched for while its report is on the way; the report then ends the search.
    """
    announced = {f"deposit:{deposit.key}" for deposit in evidence.deposits if deposit.withdrawal is not None}
    ended = {
        call.request_id
        for call in evidence.calls
        if call.operation == RESULT and call.good and call.result in ("valid", "invalid") and _is_final(call)
    }
    for subject, request_id in evidence.interrupted:
        if subject not in announced and request_id not in ended and len(evidence.searches[subject]) <= 1:
            yield Breach(1, "lost", subject.partition(":")[2], "its search was lost with the hub and not made again")


def searched_again(evidence: Evidence) -> int:
    """How many deposits were searched for again after the hub was killed in the middle of it."""
    return len({subject for subject, _ in evidence.interrupted if len(evidence.searches[subject]) > 1})


def _is_final(call: Call) -> bool:
    return call.reason not in ("PROCESSING", "LACK_OF_INFORMATION")
