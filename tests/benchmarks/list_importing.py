"""``python -m tests.benchmarks.list_importing import|plain FORMAT PATH...``: one import in a process of its own.

``import`` runs ``travelrule lists import``; ``plain`` only parses the same files with the standard library and holds
the texts. The last line of standard output is JSON: CPU seconds and peak resident memory of the whole process, and what
it was before the first file was opened.
"""

from __future__ import annotations

import csv
import json
import sys
import time
from collections.abc import Sequence
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


def main(argv: Sequence[str]) -> int:
    """Import or parse; gives the exit status."""
    way, name, *paths = argv
    if way == "import":
        from travelrule.cli import app

        before = peak_megabytes()
        status = app(["lists", "import", name, *paths, "--output", "json"], standalone_mode=False) or OK
    else:
        before = peak_megabytes()
        kept = [text for path in paths for text in _texts(Path(path))]
        status = OK if kept else 1
    measured = {"cpu": time.process_time(), "peak_mb": peak_megabytes(), "before_mb": before}
    sys.stdout.write(json.dumps(measured) + "\n")
    return int(status)


def _texts(path: Path) -> list[str]:
    if path.suffix == ".csv":
        with path.open(encoding="utf-8", newline="") as opened:
            return [cell for row in csv.reader(opened) for cell in row]
    root = ET.parse(path).getroot()  # noqa: S314 -- files that this benchmark wrote
    return [element.text or "" for tag in NAME_TAGS for element in root.iter(tag)]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
