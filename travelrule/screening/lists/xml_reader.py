"""Elements of an XML file, one entry at a time, from a parser that accepts no document type and no entity.

Entity bombs and references to other files need a document type declaration, which no publisher uses: a file that has
one is refused at its first character. Names lose their namespace. Memory is bounded by the largest entry.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from xml.parsers import expat

from travelrule.screening.lists.source import ListFile

SEPARATOR = "\x1f"
ELEMENT_BYTES = 64
"""What an element counts for beside its text and attributes."""


@dataclass(slots=True)
class Element:
    """An element with its attributes, its own text, its children and the line where it began."""

    tag: str
    attributes: dict[str, str]
    line: int
    text: str = ""
    children: list[Element] = field(default_factory=list)

    def all(self, *path: str) -> list[Element]:
        """The descendants along ``path``."""
        found = [self]
        for tag in path:
            found = [child for element in found for child in element.children if child.tag == tag]
        return found

    def words(self, *path: str) -> str:
        """The text of the first descendant along ``path``; empty if there is none."""
        return next((element.text.strip() for element in self.all(*path)), "")


class _Builder:
    """Builds the elements whose tag is wanted; forgets all others."""

    def __init__(self, file: ListFile, wanted: frozenset[str], parser: expat.XMLParserType) -> None:
        self.ready: list[Element] = []
        self.root: Element | None = None
        self._file = file
        self._wanted = wanted
        self._parser = parser
        self._open: list[Element] = []
        self._depth = 0
        self._bytes = 0

    def start(self, name: str, attributes: dict[str, str]) -> None:
        line = self._parser.CurrentLineNumber
        self._depth += 1
        if self._depth > self._file.limits.element_depth:
            raise self._file.fault(f"line {line}", "TOO_DEEP", "elements are nested deeper than in any list")
        tag = name.rpartition(SEPARATOR)[2]
        if self.root is None:
            self.root = Element(tag, _plain(attributes), line)
        if self._open or tag in self._wanted:
            element = Element(tag, _plain(attributes), line)
            if self._open:
                self._open[-1].children.append(element)
            self._open.append(element)
            self._count(ELEMENT_BYTES + sum(map(len, attributes)) + sum(map(len, attributes.values())))

    def data(self, text: str) -> None:
        if self._open:
            self._open[-1].text += text
            self._count(len(text))

    def end(self, _name: str) -> None:
        self._depth -= 1
        if self._open:
            element = self._open.pop()
            if not self._open:
                self._bytes = 0
                self.ready.append(element)

    def _count(self, more: int) -> None:
        self._bytes += more
        if self._bytes > self._file.limits.element_bytes:
            place = f"line {self._open[0].line}"
            raise self._file.fault(place, "ELEMENT_TOO_LARGE", "one entry is larger than any list has")


def _plain(attributes: dict[str, str]) -> dict[str, str]:
    if SEPARATOR in "".join(attributes):
        return {name.rpartition(SEPARATOR)[2]: value for name, value in attributes.items()}
    return attributes


def elements(file: ListFile, roots: tuple[str, ...], wanted: frozenset[str]) -> Iterator[Element]:
    """The root without children (first), then every element with a tag of ``wanted``, in the order of their ends.

    Raises ``ListFaults`` for a file that is cut, broken, hostile, or another format: then nothing read so far counts.
    """
    parser = expat.ParserCreate(encoding="utf-8", namespace_separator=SEPARATOR)
    builder = _Builder(file, wanted, parser)
    parser.buffer_text = True
    parser.StartElementHandler = builder.start
    parser.EndElementHandler = builder.end
    parser.CharacterDataHandler = builder.data
    refuse = _refusing(file, parser)
    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    parser.ExternalEntityRefHandler = refuse
    named = False
    fed = 0
    for block in file.blocks():
        _feed(file, parser, block, final=False)
        fed += len(block)
        if fed - parser.CurrentByteIndex > file.limits.token_bytes:
            place = f"line {parser.CurrentLineNumber}"
            raise file.fault(place, "TOKEN_TOO_LARGE", "one tag or comment is larger than any list has")
        if not named and builder.root is not None:
            if builder.root.tag not in roots:
                raise file.fault(
                    f"line {builder.root.line}", "OTHER_FORMAT", f"the first element is not <{'> or <'.join(roots)}>"
                )
            named = True
            yield builder.root
        ready, builder.ready = builder.ready, []
        yield from ready
    _feed(file, parser, b"", final=True)


def _refusing(file: ListFile, parser: expat.XMLParserType) -> Callable[..., int]:
    def refuse(*_anything: object) -> int:
        place = f"line {parser.CurrentLineNumber}"
        raise file.fault(place, "DOCTYPE", "a list has no document type and no entities: this file is not genuine")

    return refuse


def _feed(file: ListFile, parser: expat.XMLParserType, block: bytes, *, final: bool) -> None:
    try:
        parser.Parse(block, final)
    except expat.ExpatError as error:
        place = f"line {error.lineno} column {error.offset}"
        if final:
            raise file.fault(place, "TRUNCATED", "the file ends before its last element: fetch it again") from None
        raise file.fault(place, "NOT_XML", f"{expat.ErrorString(error.code)}: fetch it again") from None
