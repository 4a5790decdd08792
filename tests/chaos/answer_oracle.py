"""Invariant 2 at the process's own door: what it was really answered, by the record of its proxy."""

from __future__ import annotations

from collections.abc import Iterator

from tests.chaos.evidence import Evidence
from tests.chaos.oracle import Breach


def allowed_only_on_true_answers(evidence: Evidence) -> Iterator[Breach]:
    """2: an allow rests on an answer to its own request that nobody falsified or cut on its way."""
    for vasp, said in evidence.said.items():
        for one in said:
            if one.topic != "verdicts" or one.data["verdict"] != "allow":
                continue
            if not str(one.data["subject"]).startswith("withdrawal:"):
                continue
            answers = [answer for answer in evidence.answers_of[one.data.get("transferId", "")] if answer.vasp == vasp]
            if not any(answer.authorizes for answer in answers):
                sorts = sorted({answer.sort or answer.result for answer in answers})
                yield Breach(2, "broken", one.key, f"{vasp}: allowed, but it was answered only {sorts}")
