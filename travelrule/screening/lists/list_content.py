"""The stored form of a list: one JSON array a line, compressed. Its SHA-256 is the version of the list.

The digest covers the lines before compression, so a version depends on the content of the list only.
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
    """Stored content is damaged, or is not that of its version."""


class ContentWriter:
    """Writes entries one by one; holds the compressed bytes only."""

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
        """Return the version (SHA-256 in hex) and the compressed content."""
        self._parts.append(self._packer.flush())
        return self._digest.hexdigest(), b"".join(self._parts)


def pack(entries: Iterable[ListEntry]) -> tuple[str, bytes]:
    """Return version and content of entries."""
    writer = ContentWriter()
    for entry in entries:
        writer.add(entry)
    return writer.finish()


def unpack(code: str, version: str, content: bytes) -> Iterator[ListEntry]:
    """Yield the entries of stored content.

    Raises ``ContentError`` if the content is damaged or not that of ``version``. The digest is complete only after the
    last entry: use no entry before.
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
