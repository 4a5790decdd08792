"""What an import of sanctions lists costs for each 100,000 names: CPU with the database's, and memory.

The lists are the published ones where they are at hand, else the excerpts; written as often, with other numbers, as
gives so many names. The reference parses the same files with the standard library and keeps nothing but their texts.
"""

from __future__ import annotations

import asyncio
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from tests.benchmarks.cpu import Meter
from tests.benchmarks.figure import Figure
from tests.benchmarks.program import ProgramFailed
from tests.benchmarks.surroundings import Surroundings
from tests.services.process import ROOT
from travelrule.commands.demo.vasp import DemoVasp
from travelrule.screening.lists.list_importer import import_list

PER = 100_000
SHARED = "TRAVELRULE_TEST_SHARED"
EXCERPTS = ROOT / "tests" / "data" / "sanctions"
OFAC = ("sdn.csv", "alt.csv", "add.csv", "sdn_comments.csv")
NUMBER = re.compile(r"^(?=\d)", re.MULTILINE)
END_OF_FILE = "\x1a"


class Run(NamedTuple):
    """One import in a process of its own."""

    before: dict[str, float]
    after: dict[str, float]
    database_cpu: float
    answer: dict[str, Any]

    def spent(self, what: str) -> float:
        """CPU, seconds or megabytes beyond those of a process that has loaded its modules."""
        return self.after[what] - self.before[what]


async def figures(surroundings: Surroundings) -> list[Figure]:
    """Two figures for each of two formats: many files of rows, and one file of elements."""
    found = []
    for name, files in (("ofac-csv", _ofac(surroundings)), ("un-xml", _un(surroundings))):
        async with surroundings.database() as database:
            vasp = DemoVasp("lists", "North Exchange Ltd.", "SG", surroundings.folder / name, surroundings.hub_url)
            vasp.database_url = surroundings.postgres.dsn(database)
            ours = await _run(surroundings, vasp, "import", name, files)
            plain = await _run(surroundings, vasp, "plain", name, files)
        found += _figures(name, files, ours, plain)
    return found


def _figures(name: str, files: Sequence[Path], ours: Run, plain: Run) -> list[Figure]:
    names = ours.answer["names"]
    share = PER / names
    extra = {
        "names": names,
        "entries": ours.answer["entries"],
        "megabytes_read": round(sum(file.stat().st_size for file in files) / 1e6, 1),
        "published_lists": SHARED in os.environ,
    }
    cpu = {
        "wall_seconds": round(share * ours.spent("clock"), 2),
        "database_cpu": round(share * ours.database_cpu, 2),
        "start_of_the_process": round(ours.before["cpu"], 2),
    }
    memory = {
        "before_the_first_file_mb": round(ours.before["peak_mb"], 1),
        "peak_mb": round(ours.after["peak_mb"], 1),
    }
    suffix = name.replace("-", "_")
    return [
        Figure(
            f"list_import_cpu_per_100k_names_{suffix}",
            share * (ours.spent("cpu") + ours.database_cpu),
            share * plain.spent("cpu"),
            None,
            "CPU seconds beyond the start",
            extra=extra | cpu,
        ),
        Figure(
            f"list_import_memory_per_100k_names_{suffix}",
            share * ours.spent("peak_mb"),
            share * plain.spent("peak_mb"),
            None,
            "MB beyond the idle process",
            extra=extra | memory,
        ),
    ]


async def _run(surroundings: Surroundings, vasp: DemoVasp, way: str, name: str, files: Sequence[Path]) -> Run:
    clean = {key: value for key, value in os.environ.items() if not key.startswith("TRAVELRULE_")}
    meter = Meter({"postgresql": surroundings.postgres_pid()})
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.benchmarks.list_import_process",
        way,
        name,
        *map(str, files),
        env={**clean, "PYTHONPATH": str(ROOT), **vasp.environment()},
        cwd=vasp.folder,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await process.communicate()
    if process.returncode:
        raise ProgramFailed(f"{way} {name} ended with {process.returncode}: {(out + err)[-2000:].decode()}")
    *answers, measured = (orjson.loads(line) for line in out.splitlines())
    return Run(measured["before"], measured["after"], meter.read()["postgresql"], answers[0] if answers else {})


def _ofac(surroundings: Surroundings) -> list[Path]:
    """OFAC's files, each row in every copy with a number of its own."""
    source = ofac_folder()
    copies = _copies(surroundings, "ofac-csv", [source / name for name in OFAC])
    return [_numbered(surroundings, source / name, copies) for name in OFAC]


def _un(surroundings: Surroundings) -> list[Path]:
    """The UN's file, its individuals and entities in every copy."""
    published = _published()
    source = published / "UN_consolidated.xml" if published else EXCERPTS / "un_consolidated.xml"
    copies = _copies(surroundings, "un-xml", [source])
    text = source.read_text(encoding="utf-8")
    end = text.rindex("</CONSOLIDATED_LIST>")
    begin = min(text.index("<INDIVIDUALS>"), text.index("<ENTITIES>"))
    target = surroundings.folder / "un.xml"
    with target.open("w", encoding="utf-8") as opened:
        opened.write(text[:begin])
        for _ in range(copies):
            opened.write(text[begin:end])
        opened.write(text[end:])
    return [target]


def ofac_folder() -> Path:
    """Where OFAC's files are: the published ones if they are at hand, else the excerpts."""
    return _published() or EXCERPTS / "ofac-csv"


def _published() -> Path | None:
    shared = os.environ.get(SHARED)
    return Path(shared) / "data" / "sanctions" if shared else None


def _copies(surroundings: Surroundings, name: str, files: Sequence[Path]) -> int:
    """How many copies give 100,000 names; a tenth of that in a short run."""
    surroundings.folder.mkdir(parents=True, exist_ok=True)
    wanted = PER // 10 if surroundings.short else PER
    return -(-wanted // import_list(name, files).report.names)


def _numbered(surroundings: Surroundings, source: Path, copies: int) -> Path:
    text = source.read_text(encoding="utf-8").rstrip(f"{END_OF_FILE}\r\n") + "\n"
    target = surroundings.folder / source.name
    with target.open("w", encoding="utf-8") as opened:
        for copy in range(copies):
            opened.write(NUMBER.sub(f"{copy + 1:05d}", text))
    return target
