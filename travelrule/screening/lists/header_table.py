"""CSV files with columns named in a header row."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from travelrule.screening.lists.csv_rows import rows
from travelrule.screening.lists.list_file import ListFile

Row = tuple[str, Mapping[str, str], list[str]]
"""Place, cells by column, and the bare cells; the cells by column are empty if the row has another number of cells."""

HEADER_WITHIN = 5
"""The header is within these lines: some publishers write a line about the file before it."""


def columns_of(cells: Iterable[str]) -> list[str]:
    """Return names of columns in lower-case letters and digits only: ``Name 6`` and ``name6`` are one."""
    return [re.sub(r"[^a-z0-9]", "", cell.casefold()) for cell in cells]


def _nothing(_cells: list[str]) -> None:
    """Most files have nothing before the header."""


def table(file: ListFile, needed: frozenset[str], before: Callable[[list[str]], None] = _nothing) -> Iterator[Row]:
    """Yield every row below the header; ``before`` is called with the rows above it.

    Raises ``ListFaults`` if there is no header with the ``needed`` columns, or if the last row is truncated.
    """
    header: list[str] = []
    last: Row | None = None
    for line, cells in rows(file):
        if not header:
            names = columns_of(cells)
            if needed <= set(names):
                header = names
            elif line > HEADER_WITHIN:
                break
            else:
                before(cells)
            continue
        if last is not None:
            yield last
        whole = len(cells) == len(header)
        last = (
            f"line {line}",
            dict(zip(header, (cell.strip() for cell in cells), strict=True)) if whole else {},
            cells,
        )
    if not header:
        raise file.fault(
            "line 1", "OTHER_FORMAT", f"there is no header row with the columns {', '.join(sorted(needed))}"
        )
    if last is not None:
        if len(last[2]) < len(header):
            raise file.fault(last[0], "TRUNCATED", "the last row has fewer columns than the header: fetch it again")
        yield last


def split(cell: str, between: str = ";") -> list[str]:
    """Return the values of one cell."""
    return [part for part in (part.strip() for part in cell.split(between)) if part]
