"""``python -m tests.drills [--short] [NAME...]``: provoke each fault; a JSON line per drill, exit 1 if one failed."""

from __future__ import annotations

import argparse
import asyncio
import shutil
import signal
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import orjson

from tests.drills.drill import conduct
from tests.drills.network import open_ground
from tests.drills.plan import DRILLS, SHORT
from tests.services import run as services


def main() -> int:
    """Run the named drills, or all of them."""
    parser = argparse.ArgumentParser(prog="python -m tests.drills", description=__doc__)
    parser.add_argument("names", nargs="*", choices=[*DRILLS, []], help="which drills; none named: all")
    parser.add_argument("--short", action="store_true", help="without names: one drill of each kind")
    parser.add_argument("--keep", action="store_true", help="keep the logs of a run that went well")
    given = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="travelrule-drills-"))
    services.open_run()
    try:
        ok = asyncio.run(_run(folder, given.names or (SHORT if given.short else list(DRILLS))))
    finally:
        services.close_run()
    if ok and not given.keep:
        shutil.rmtree(folder)
    else:
        sys.stderr.write(f"the logs are in {folder}\n")
    return 0 if ok else 1


async def _run(folder: Path, names: Sequence[str]) -> bool:
    task = asyncio.current_task()
    assert task is not None
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    lines = []
    async with open_ground(folder) as ground:
        for name in names:
            lines.append(await conduct(DRILLS[name], ground))
            sys.stdout.write(orjson.dumps(asdict(lines[-1])).decode() + "\n")
            sys.stdout.flush()
    return all(line.ok for line in lines)


if __name__ == "__main__":
    sys.exit(main())
