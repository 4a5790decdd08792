"""Write the golden decisions: ``make golden``.

It refuses where a machine decides a stored case otherwise under the version that is stored. ``--unreleased`` says that
no release has this version yet, so nothing was recorded under it.
"""

from __future__ import annotations

import argparse
import sys

from tests.golden.case_sources import made
from tests.golden.cases import read
from travelrule.engine.registry import MACHINES


def main() -> int:
    """Write all files, or none; return the exit code."""
    arguments = argparse.ArgumentParser(description="Write the golden decisions of all machines.")
    arguments.add_argument("--unreleased", action="store_true", help="no release has the present versions yet")
    unreleased = arguments.parse_args().unreleased
    refused = [kind for kind in sorted(MACHINES) if not unreleased and _changed(kind)]
    for kind in refused:
        sys.stderr.write(f"{kind}: its output changed, raise the version of the machine first\n")
    if refused:
        return 1
    every = made().values()
    for golden in every:
        golden.write()
    for golden in every:
        sys.stdout.write(f"{golden.kind}: version {golden.version}, {len(golden.cases)} decisions\n")
    return 0


def _changed(kind: str) -> bool:
    stored = read(kind)
    return stored is not None and stored.version == MACHINES[kind].version and bool(stored.differing(MACHINES[kind]))


if __name__ == "__main__":
    sys.exit(main())
