"""``python -m tests.chaos [withdrawals] [deposits] [--short] [--seed N]``: fault runs, one JSON line per fault.

Without ``--short`` each of the named runs (none named: both), one after the other; exit 1 if one is not ok.
"""

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
from collections.abc import Callable
from pathlib import Path

import orjson

from tests.chaos.evidence import gather
from tests.chaos.fault_run_network import open_arena
from tests.chaos.members import payments
from tests.chaos.plan import ALL_FAULTS, FULL, Plan, short_plan
from tests.chaos.result_lines import Judged, judge
from tests.chaos.run import Run, say
from tests.services import run as services

BREACHES_SHOWN = 40


def main() -> int:
    """Run, print, judge."""
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__)
    parser.add_argument("runs", nargs="*", choices=[*FULL, []], help="which full runs; none named: both")
    parser.add_argument("--short", action="store_true", help="the short form for CI")
    parser.add_argument("--seed", type=int, default=None, help="repeat a run's choices")
    parser.add_argument("--faults", nargs="*", choices=list(ALL_FAULTS), help="only these, in this order")
    parser.add_argument("--customers", type=int, default=None, help="at least so many, in the plan's proportion")
    parser.add_argument("--keep", action="store_true", help="keep the logs of a run that went well")
    given = parser.parse_args()
    seed = secrets.randbits(32) if given.seed is None else given.seed
    say(f"seed {seed}")
    logging.getLogger("aiokafka").setLevel(logging.CRITICAL)  # it says at length that the broker is away
    plans = [short_plan] if given.short else [FULL[name] for name in given.runs or FULL]
    results = [_one(plan, given, seed) for plan in plans]
    return 0 if all(results) else 1


def _one(new_plan: Callable[[random.Random], Plan], given: argparse.Namespace, seed: int) -> bool:
    rng = random.Random(seed)
    plan = new_plan(rng).only(given.faults, given.customers)
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
    return ok


async def _run(folder: Path, plan: Plan, rng: random.Random, seed: int) -> bool:
    task = asyncio.current_task()
    assert task is not None
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    sent = payments(rng, plan.deposits // 5)
    async with open_arena(folder, sent, seed, plan.brokers) as fault_run:
        run = Run(fault_run, plan, sent, rng)
        await run.go()
        evidence = await gather(fault_run, run.timeline.scripts)
        breaches = judge(evidence)
        for breach in breaches[:BREACHES_SHOWN]:
            say(f"invariant {breach.invariant} {breach.harm}: {breach.subject}: {breach.text}")
        lines = Judged(run.timeline, evidence, breaches).lines(fault_run, plan.name, seed)
    for line in lines:
        sys.stdout.write(orjson.dumps(line).decode() + "\n")
    sys.stdout.flush()
    return bool(lines[-1]["ok"])


if __name__ == "__main__":
    sys.exit(main())
