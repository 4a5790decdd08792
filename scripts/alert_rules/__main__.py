"""Write the rule files: ``python -m scripts.alert_rules [--check] [--folder DIR] [--speed N]``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from scripts.alert_rules.rule_files import FOLDER, drift, write


def main() -> int:
    """Write the files, or print those that would change."""
    parser = argparse.ArgumentParser(prog="python -m scripts.alert_rules", description=__doc__)
    parser.add_argument("--check", action="store_true", help="change nothing; exit 1 if a file would change")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where to write")
    parser.add_argument("--speed", type=int, default=1, help="divide all times by this: for a rehearsal of the alerts")
    given = parser.parse_args()
    if given.check:
        stale = drift(given.folder)
        sys.stderr.writelines(f"{name} differs: run python -m scripts.alert_rules\n" for name in stale)
        return 1 if stale else 0
    write(given.folder, given.speed)
    return 0


if __name__ == "__main__":
    sys.exit(main())
