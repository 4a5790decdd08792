"""``python -m tests.chaos [--short] [--seed N]``: a fault run, one JSON line per fault; exit 1 if not ok."""

from __future__ import annotations

import argparse
import asyncio
import logging
import random
import secrets
import shutil
import signal
import sys
import tempfile
from pathlib import Path

import orjson

from tests.chaos.arena import open_arena
from tests.chaos.evidence import gather
from tests.chaos.faults import FAULTS
from tests.chaos.run import Plan, Run, full_plan, say, short_plan
from tests.chaos.verdict import Judged, judge
from tests.services import run as services

BREACHES_SHOWN = 40


def main() -> int:
    """Run, print, judge."""
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__)
    parser.add_argument("--short", action="store_true", help="the short form for CI")
    parser.add_argument("--seed", type=int, default=None, help="repeat a run's choices")
    parser.add_argument("--faults", nargs="*", choices=list(FAULTS), help="only these, in this order")
    parser.add_argument("--withdrawals", type=int, default=None, help="at least so many")
    parser.add_argument("--keep", action="store_true", help="keep the logs of a run that went well")
    given = parser.parse_args()
    seed = secrets.randbits(32) if given.seed is None else given.seed
    say(f"seed {seed}")
    logging.getLogger("aiokafka").setLevel(logging.CRITICAL)  # it says at length that the broker is away
    rng = random.Random(seed)
    plan = short_plan(rng) if given.short else full_plan(rng)
    plan = plan.only(given.faults, given.withdrawals)
    folder = Path(tempfile.mkdtemp(prefix="travelrule-chaos-"))
    services.open_run()
    try:
        ok = asyncio.run(_run(folder, plan, rng, seed))
    finally:
        services.close_run()
    if ok and not given.keep:
        shutil.rmtree(folder)
    else:
        say(f"the logs are in {folder}")
    return 0 if ok else 1


async def _run(folder: Path, plan: Plan, rng: random.Random, seed: int) -> bool:
    task = asyncio.current_task()
    assert task is not None
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    async with open_arena(folder) as arena:
        run = Run(arena, plan, rng)
        await run.go()
        evidence = await gather(arena, run.ledger.stories)
        breaches = judge(evidence)
        for breach in breaches[:BREACHES_SHOWN]:
            say(f"invariant {breach.invariant} {breach.harm}: {breach.subject}: {breach.text}")
        lines = Judged(run.ledger, evidence, breaches).lines(arena, seed)
    for line in lines:
        sys.stdout.write(orjson.dumps(line).decode() + "\n")
    return bool(lines[-1]["ok"])


if __name__ == "__main__":
    sys.exit(main())
