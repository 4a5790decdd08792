"""Answers that are falsified between the hub and a process: those of other transfers, our own words, halves, drops."""

from __future__ import annotations

import random

from tests.chaos.answer_proxy import Falsification, Sort
from tests.chaos.fault_run_network import FaultRun
from tests.chaos.faults import Fault, Step, hold


def falsified(sort: Sort, share: float) -> Step:
    """For a while a share of the answers of all processes becomes this."""

    async def strike(fault_run: FaultRun, rng: random.Random) -> list[str]:
        log = fault_run.network.answers
        concluded = {
            said["transferId"]
            for name in fault_run.network.members
            for script in fault_run.platform(name).scripts.values()
            for said in script.verdicts
            if said["verdict"] == "allow" and said.get("transferId")
        }
        # Only of transfers whose own answer was acted on: a payload says neither its transfer nor its amount, so the
        # first process that gets one cannot tell whose it is.
        others: dict[tuple[str, str], list[bytes]] = {}
        for transfer_id, (way, body) in log.verified.items():
            if transfer_id in concluded:
                others.setdefault(way, []).append(body)
        log.falsification = Falsification(sort, random.Random(rng.getrandbits(64)), share, others)
        try:
            await hold(rng, 4, 8)
        finally:
            log.falsification = None
        return []

    return strike


ANSWER_FAULTS = {
    fault.name: fault
    for fault in (
        Fault("answers-crossed", falsified("crossed", 0.8)),
        Fault("answers-echoed", falsified("echoed", 0.8)),
        Fault("answers-cut", falsified("cut", 0.4)),
        Fault("answers-dripping", falsified("dripped", 0.2)),
    )
}
