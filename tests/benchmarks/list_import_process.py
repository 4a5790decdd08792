"""``python -m tests.benchmarks.list_import_process import|plain FORMAT PATH...``: one import in a process of its own.

``import`` runs ``travelrule lists import``; ``plain`` only parses the same files with the standard library and holds
the texts. The last line of standard output is JSON: what the process had spent before the first file was opened, when
its modules were loaded, and at the end.
"""

from __future__ import annotations

import csv
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from xml.etree import ElementTree as ET

NAME_TAGS = ("FIRST_NAME", "SECOND_NAME", "THIRD_NAME", "FOURTH_NAME", "ALIAS_NAME")
OK = 0


def peak_megabytes() -> float:
    """The most memory that was resident so far; of this program alone, unlike what ``getrusage`` says after an exec."""
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    raise OSError("the kernel does not say the peak of resident memory")


@dataclass(frozen=True)
class Moment:
    """What the process has spent until now: CPU seconds, seconds of the clock, peak resident memory."""

    cpu: float = field(default_factory=time.process_time)
    clock: float = field(default_factory=time.monotonic)
    peak_mb: float = field(default_factory=peak_megabytes)


def main(argv: Sequence[str]) -> int:
    """Import or parse; return the exit status."""
    way, name, *paths = argv
    if way == "import":
        from travelrule.cli import app

        before = Moment()
        status = app(["lists", "import", name, *paths, "--output", "json"], standalone_mode=False) or OK
    else:
        before = Moment()
        kept = [text for path in paths for text in _texts(Path(path))]
        status = OK if kept else 1
    sys.stdout.write(json.dumps({"before": asdict(before), "after": asdict(Moment())}) + "\n")
    return int(status)


def _texts(path: Path) -> list[str]:
    if path.suffix == ".csv":
        with path.open(encoding="utf-8", newline="") as opened:
            return [cell for row in csv.reader(opened) for cell in row]
    root = ET.parse(path).getroot()  # noqa: S314 -- files that this benchmark wrote
    return [element.text or "" for tag in NAME_TAGS for element in root.iter(tag)]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
