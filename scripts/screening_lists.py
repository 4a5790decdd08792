"""The names of the public OFAC and UN lists, for ``scripts.screening_names`` and the benchmark."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree as ET

_BORN = re.compile(r"DOB (?:circa )?(\d{1,2} [A-Z][a-z]{2} \d{4}|[A-Z][a-z]{2} \d{4}|\d{4})")
_FORMS = (("%d %b %Y", "%Y-%m-%d"), ("%b %Y", "%Y-%m"), ("%Y", "%Y"))
_NAME_PARTS = ("FIRST_NAME", "SECOND_NAME", "THIRD_NAME", "FOURTH_NAME")


class Name(NamedTuple):
    """One name of an entry; ``role`` is ``primary``, ``alias`` or ``script`` (original script)."""

    list_code: str
    entry_id: str
    kind: str
    name: str
    quality: str
    role: str
    births: str
    group: str


def read(folder: Path) -> list[Name]:
    """Return every name of both lists, in the order of the files."""
    return [name for name in (*_ofac(folder), *_un(folder)) if name.name]


def _rows(path: Path, least: int) -> Iterator[list[str]]:
    with path.open(encoding="utf-8", errors="replace", newline="") as file:
        for row in csv.reader(file):
            if len(row) >= least:
                yield ["" if part.strip() == "-0-" else part.strip() for part in row]


def _ofac(folder: Path) -> Iterator[Name]:
    known: dict[str, Name] = {}
    for row in _rows(folder / "sdn.csv", 12):
        kind = "person" if row[2] == "individual" else "organisation"
        births = " ".join(dict.fromkeys(map(_iso, _BORN.findall(row[11])))) if kind == "person" else ""
        known[row[0]] = Name("OFAC", row[0], kind, row[1], "strong", "primary", births, row[3])
    yield from known.values()
    for row in _rows(folder / "alt.csv", 4):
        if row[0] in known:
            yield known[row[0]]._replace(name=row[3], role="alias")


def _iso(written: str) -> str:
    for read_as, write_as in _FORMS:
        try:
            return datetime.strptime(written, read_as).strftime(write_as)  # noqa: DTZ007 -- a date, no time
        except ValueError:
            continue
    return written[-4:]


def _un(folder: Path) -> Iterator[Name]:
    root = ET.parse(folder / "UN_consolidated.xml").getroot()  # noqa: S314 -- a local file named by the caller
    for tag, kind in (("INDIVIDUAL", "person"), ("ENTITY", "organisation")):
        for entry in root.iter(tag):
            parts = [(entry.findtext(part) or "").strip() for part in _NAME_PARTS]
            births = " ".join(
                dict.fromkeys(filter(None, (each.findtext("YEAR") for each in entry.findall(f"{tag}_DATE_OF_BIRTH"))))
            )
            primary = Name(
                "UN", entry.findtext("REFERENCE_NUMBER") or "", kind, " ".join(filter(None, parts)), "strong",
                "primary", births, entry.findtext("UN_LIST_TYPE") or "",
            )  # fmt: skip
            yield primary
            yield primary._replace(name=(entry.findtext("NAME_ORIGINAL_SCRIPT") or "").strip(), role="script")
            for alias in entry.findall(f"{tag}_ALIAS"):
                quality = "weak" if alias.findtext("QUALITY") == "Low" else "strong"
                text = " ".join((alias.findtext("ALIAS_NAME") or "").split())
                yield primary._replace(name=text, quality=quality, role="alias")
