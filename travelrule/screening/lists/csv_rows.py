"""Rows of a CSV file. Quoting is strict: a quote without an end means that the file is truncated."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from typing import Self

from travelrule.screening.lists.list_file import ListFile

END_OF_FILE = "\x1a"
"""The last line of OFAC's files."""


class _Counted:
    """The lines of a file, with a limit on a row that spans many of them."""

    def __init__(self, file: ListFile) -> None:
        self.characters = 0
        self._file = file
        self._lines = file.lines()
        self._number = 0

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> str:
        line = next(self._lines)
        self._number += 1
        self.characters += len(line)
        if self.characters > self._file.limits.row_bytes:
            raise self._file.fault(
                f"line {self._number}", "ROW_TOO_LONG", f"no row may exceed {self._file.limits.row_bytes} bytes"
            )
        return line


def rows(file: ListFile) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows, each with the number of its last line; blank lines are skipped. Raises ``ListFaults``."""
    counted = _Counted(file)
    reader = csv.reader(counted, strict=True)
    while True:
        counted.characters = 0
        try:
            row = next(reader, None)
        except csv.Error as error:
            place = f"line {reader.line_num}"
            if "unexpected end" in str(error):
                raise file.fault(place, "TRUNCATED", "the last row is cut: fetch the file again") from None
            raise file.fault(place, "NOT_CSV", "the quotes of this row are broken: fetch the file again") from None
        if row is None:
            return
        if row and row != [END_OF_FILE]:
            yield reader.line_num, row


def rows_of(file: ListFile, columns: int) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of a file without empty cells. A last row with fewer than ``columns``, or with an empty last
    cell, means that the file is truncated.
    """
    last: tuple[int, list[str]] | None = None
    for found in rows(file):
        if last is not None:
            yield last
        last = found
    if last is None:
        raise file.fault("", "EMPTY", "the file has no rows: fetch it again")
    if len(last[1]) < columns or not last[1][-1]:
        raise file.fault(
            f"line {last[0]}", "TRUNCATED", f"the last row has fewer than {columns} columns: fetch it again"
        )
    yield last
