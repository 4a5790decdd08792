"""``python -m tests.benchmarks [--short] [--only NAME]``: the figures of speed, one JSON line each.

The full form fails if a target is missed. The short form fails only if a figure is broken: no result, an error, or
numbers that cannot be.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import traceback
from collections.abc import Awaitable, Callable, Sequence

import uvloop

from tests.benchmarks import anonymous_deposit, event_intake, gateway, growth, list_import, name_screening, withdrawals
from tests.benchmarks.figure import Figure
from tests.benchmarks.surroundings import Surroundings
from tests.services import run

FIGURES: dict[str, Callable[[Surroundings], Awaitable[list[Figure]]]] = {
    "withdrawals": withdrawals.figures,
    "name-screening": name_screening.figures,
    "list-import": list_import.figures,
    "accepting": event_intake.figures,
    "gateway": gateway.figures,
    "anonymous-deposit": anonymous_deposit.figures,
    "growth": growth.figures,
}


def main(argv: Sequence[str] | None = None) -> int:
    """Measure; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("--short", action="store_true", help="small runs; fail only on a broken figure")
    parser.add_argument("--only", action="append", choices=sorted(FIGURES), help="measure only this (repeatable)")
    given = parser.parse_args(argv)
    run.open_run()
    try:
        wanted = given.only or list(FIGURES)
        return uvloop.run(_measure(wanted, short=given.short))
    finally:
        run.close_run()


async def _measure(wanted: Sequence[str], *, short: bool) -> int:
    kafka = await asyncio.to_thread(run.shared_kafka)
    postgres = await asyncio.to_thread(run.shared_postgres)
    bad = 0
    for name in wanted:
        surroundings = Surroundings(run.run_directory() / name, short, kafka, postgres)
        try:
            measured = await FIGURES[name](surroundings)
        except Exception:  # noqa: BLE001 -- one figure without a result must not hide the others
            sys.stderr.write(f"{name}:\n{traceback.format_exc()}")
            bad += 1
            continue
        for figure in measured:
            sys.stdout.write(figure.line() + "\n")
            sys.stdout.flush()
            bad += figure.broken if short else not figure.ok
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
