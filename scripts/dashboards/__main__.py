"""Write the dashboards: ``python -m scripts.dashboards [--check]``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from scripts.dashboards.flow import FLOW
from scripts.dashboards.grafana import dashboard_json
from scripts.dashboards.protocol import PROTOCOL
from scripts.dashboards.runtime import RUNTIME
from scripts.dashboards.screening import SCREENING

FOLDER = Path(__file__).parents[2] / "helm" / "travelrule" / "dashboards"
DASHBOARDS = (FLOW, PROTOCOL, SCREENING, RUNTIME)


def pages() -> dict[str, str]:
    """Return the content of each file of the folder by its name."""
    return {f"{spec.name}.json": dashboard_json(spec) for spec in DASHBOARDS}


def drift(folder: Path = FOLDER) -> list[str]:
    """Return the files that differ from the code, and those that no dashboard belongs to."""
    written = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*")} if folder.is_dir() else {}
    wanted = pages()
    return sorted(name for name in written.keys() | wanted.keys() if written.get(name) != wanted.get(name))


def main() -> int:
    """Write the files, or print those that would change."""
    parser = argparse.ArgumentParser(prog="python -m scripts.dashboards", description=__doc__)
    parser.add_argument("--check", action="store_true", help="change nothing; exit 1 if a file would change")
    if parser.parse_args().check:
        stale = drift()
        sys.stderr.writelines(f"helm/travelrule/dashboards/{name} differs: run make docs\n" for name in stale)
        return 1 if stale else 0
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in drift():
        (FOLDER / name).unlink(missing_ok=True)
    for name, page in pages().items():
        (FOLDER / name).write_text(page, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
