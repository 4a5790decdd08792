"""A list file that is read as a stream, with checks of its size and encoding, and its SHA-256."""

from __future__ import annotations

import codecs
import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from travelrule.screening.lists.import_report import FileFault, FileRead, ListFaults
from travelrule.screening.lists.limits import ListLimits

BLOCK = 256 * 1024
MARKS = {codecs.BOM_UTF16_LE: "UTF-16", codecs.BOM_UTF16_BE: "UTF-16"}


class ListFile:
    """One file. ``blocks`` may be read once; ``read`` is correct after its end. Only UTF-8 is accepted: every publisher
    uses it, and names in another encoding would match no one. A zero byte is refused too: Latin text in UTF-16 is valid
    UTF-8 with a zero beside each letter.
    """

    def __init__(self, path: Path, limits: ListLimits) -> None:
        self.path = path
        self.name = path.name
        self.limits = limits
        self._size = 0
        self._digest = hashlib.sha256()
        self._opened: BinaryIO | None = None

    @property
    def read(self) -> FileRead:
        """Name, digest and size of what was read."""
        return FileRead(self.name, self._digest.hexdigest(), self._size)

    def fault(self, place: str, code: str, fix: str) -> ListFaults:
        """Return the exception that refuses this file."""
        return ListFaults([FileFault(self.name, place, code, fix)])

    def check_entries(self, number: int) -> None:
        """Raise ``ListFaults`` if ``number`` entries, or rows held for them, exceed the limit."""
        if number > self.limits.entries:
            raise self.fault("", "TOO_MANY_ENTRIES", f"no list may have more than {self.limits.entries} entries")

    def close(self) -> None:
        """Close the file, wherever its reader stopped: the traceback of a refusal keeps the reader alive."""
        if self._opened is not None:
            self._opened.close()

    def blocks(self) -> Iterator[bytes]:
        """Yield the bytes, checked to be UTF-8, without a byte order mark. Raises ``ListFaults``."""
        decoder = codecs.getincrementaldecoder("utf-8")()
        try:
            with self.path.open("rb") as opened:
                self._opened = opened
                while block := opened.read(BLOCK):
                    self._take(block, decoder)
                    yield block.removeprefix(codecs.BOM_UTF8) if self._size == len(block) else block
        except OSError as error:
            raise self.fault("", "UNREADABLE", "the file cannot be opened or read: check path and rights") from error
        if not self._size:
            raise self.fault("", "EMPTY", "the file is empty: fetch it again")
        self._decode(b"", decoder, final=True)

    def lines(self) -> Iterator[str]:
        """Yield the text line by line, with line ends. Raises ``ListFaults`` for a line over the limit."""
        rest = b""
        number = 0
        for block in self.blocks():
            *whole, rest = (rest + block).split(b"\n")
            for line in whole:
                number += 1
                yield self._line(line + b"\n", number)
            if len(rest) > self.limits.line_bytes:
                self._line(rest, number + 1)
        if rest:
            yield self._line(rest, number + 1)

    def _line(self, line: bytes, number: int) -> str:
        if len(line) > self.limits.line_bytes:
            raise self.fault(f"line {number}", "LINE_TOO_LONG", f"no line may exceed {self.limits.line_bytes} bytes")
        return line.decode()

    def _take(self, block: bytes, decoder: codecs.IncrementalDecoder) -> None:
        if not self._size:
            for mark, name in MARKS.items():
                if block.startswith(mark):
                    raise self.fault("byte 0", "ENCODING", f"the file is {name}: convert it to UTF-8")
        if self._size + len(block) > self.limits.file_bytes:
            raise self.fault("", "FILE_TOO_LARGE", f"no list file may exceed {self.limits.file_bytes} bytes")
        self._decode(block, decoder, final=False)
        if (zero := block.find(0)) >= 0:
            fix = "a zero byte: the file is UTF-16 without a mark, or no text; fetch it again, or convert it to UTF-8"
            raise self.fault(f"byte {self._size + zero}", "ENCODING", fix)
        self._size += len(block)
        self._digest.update(block)

    def _decode(self, block: bytes, decoder: codecs.IncrementalDecoder, *, final: bool) -> None:
        kept = len(decoder.getstate()[0])
        try:
            decoder.decode(block, final)
        except UnicodeDecodeError as error:
            place = f"byte {self._size - kept + error.start}"
            if final:
                raise self.fault(place, "TRUNCATED", "the file ends within a character: fetch it again") from None
            raise self.fault(place, "ENCODING", "not UTF-8 from here on: fetch it again, or convert it") from None
