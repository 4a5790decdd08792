"""Write the schema of the chart's values: ``python -m scripts.chart_values [--check]``."""

from __future__ import annotations

import argparse
import sys

from scripts.chart_values.pages import pages


def main() -> int:
    """Write the files, or with ``--check`` exit 1 if one differs."""
    parser = argparse.ArgumentParser(prog="python -m scripts.chart_values", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing: exit 1 if a file differs")
    check = parser.parse_args().check
    stale = [(path, text) for path, text in pages().items() if not path.exists() or path.read_text() != text]
    for path, text in stale:
        sys.stdout.write(f"{path.name}\n")
        if not check:
            path.write_text(text)
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
