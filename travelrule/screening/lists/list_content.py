"""The form in which a list is kept: one JSON array a line, compressed. Its SHA-256 is the version of the list.

The digest is taken of the lines before compression, so a version depends on what the list says and on nothing else.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterable, Iterator
from typing import Any

import orjson

from travelrule.screening.lists.list_entries import BirthDate, ListAddress, ListEntry, ListName

FORM = b'["travelrule-list",1]\n'
_READ = 128 * 1024


class ContentError(ValueError):
    """Kept content is not what it was when it was written."""


class ContentWriter:
    """Takes entries one by one; memory holds the compressed bytes only."""

    def __init__(self) -> None:
        self._packer = zlib.compressobj(6)
        self._digest = hashlib.sha256(FORM)
        self._parts = [self._packer.compress(FORM)]
        self.entries = 0
        self.names = 0
        self.addresses = 0

    def add(self, entry: ListEntry) -> None:
        """Write an entry."""
        line = orjson.dumps(_array(entry), option=orjson.OPT_APPEND_NEWLINE)
        self._digest.update(line)
        self._parts.append(self._packer.compress(line))
        self.entries += 1
        self.names += len(entry.names)
        self.addresses += len(entry.addresses)

    def finish(self) -> tuple[str, bytes]:
        """Version (SHA-256 in hex) and compressed content."""
        self._parts.append(self._packer.flush())
        return self._digest.hexdigest(), b"".join(self._parts)


def pack(entries: Iterable[ListEntry]) -> tuple[str, bytes]:
    """Version and content of entries."""
    writer = ContentWriter()
    for entry in entries:
        writer.add(entry)
    return writer.finish()


def unpack(code: str, version: str, content: bytes) -> Iterator[ListEntry]:
    """The entries of kept content, one after another.

    Raises ``ContentError`` if the content is broken or not that of ``version``; that can be known only at its end, so
    use nothing before.
    """
    digest = hashlib.sha256()
    first = True
    try:
        for line in _lines(content):
            digest.update(line)
            if not first:
                yield _entry(code, orjson.loads(line))
            elif line != FORM:
                raise ContentError(f"list {code}: kept in a form that this version does not know")
            first = False
    except (zlib.error, ValueError, TypeError, IndexError) as error:
        if isinstance(error, ContentError):
            raise
        raise ContentError(f"list {code}: the kept content is broken") from error
    if digest.hexdigest() != version:
        raise ContentError(f"list {code}: the kept content is not that of its version")


def _lines(content: bytes) -> Iterator[bytes]:
    unpacker = zlib.decompressobj()
    rest = b""
    data = content
    while data or not unpacker.eof:
        block = unpacker.decompress(data, _READ)
        data = unpacker.unconsumed_tail
        if not block and not data:
            break
        *whole, rest = (rest + block).split(b"\n")
        for line in whole:
            yield line + b"\n"
    if rest or not unpacker.eof:
        raise ContentError("the kept content is cut")


def _array(entry: ListEntry) -> list[Any]:
    return [
        entry.id,
        entry.kind,
        [[name.text, name.quality] for name in entry.names],
        [[birth.first, birth.last, birth.circa] for birth in entry.birth_dates],
        entry.countries,
        entry.programmes,
        [[address.symbol, address.address] for address in entry.addresses],
    ]


def _entry(code: str, array: list[Any]) -> ListEntry:
    return ListEntry(
        code,
        array[0],
        array[1],
        tuple(ListName(text, quality) for text, quality in array[2]),
        tuple(BirthDate(first, last, circa) for first, last, circa in array[3]),
        tuple(array[4]),
        tuple(array[5]),
        tuple(ListAddress(symbol, address) for symbol, address in array[6]),
    )
