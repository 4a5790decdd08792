"""Elements of an XML file, one entry at a time, from a parser that refuses document types and entities.

Entity bombs and references to other files need a document type declaration, which no publisher uses: a file that has
one is refused at the start of the declaration. Names are read without namespace. The largest entry bounds the memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from xml.parsers import expat

from travelrule.screening.lists.list_file import ListFile

SEPARATOR = "\x1f"
ELEMENT_BYTES = 64
"""Size that is counted per element besides its text and attributes."""
_ENDINGS = frozenset(
    expat.errors.codes[message]
    for message in (
        expat.errors.XML_ERROR_NO_ELEMENTS,
        expat.errors.XML_ERROR_UNCLOSED_TOKEN,
        expat.errors.XML_ERROR_PARTIAL_CHAR,
        expat.errors.XML_ERROR_UNCLOSED_CDATA_SECTION,
    )
)
"""Errors that the parser reports only at the end of a file."""


@dataclass(slots=True)
class XmlElement:
    """An element with its attributes, its text, its children and its first line."""

    tag: str
    attributes: dict[str, str]
    line: int
    text: str = ""
    children: list[XmlElement] = field(default_factory=list)

    def all(self, *path: str) -> list[XmlElement]:
        """Return the descendants along ``path``."""
        found = [self]
        for tag in path:
            found = [child for element in found for child in element.children if child.tag == tag]
        return found

    def words(self, *path: str) -> str:
        """Return the text of the first descendant along ``path``, empty if there is none."""
        return next((element.text.strip() for element in self.all(*path)), "")


class _Builder:
    """Builds the elements with a wanted tag; ignores all others."""

    def __init__(self, file: ListFile, wanted: frozenset[str], parser: expat.XMLParserType) -> None:
        self.ready: list[XmlElement] = []
        self.root: XmlElement | None = None
        self._file = file
        self._wanted = wanted
        self._parser = parser
        self._open: list[XmlElement] = []
        self._depth = 0
        self._bytes = 0

    def start(self, name: str, attributes: dict[str, str]) -> None:
        line = self._parser.CurrentLineNumber
        self._depth += 1
        if self._depth > self._file.limits.element_depth:
            raise self._file.fault(f"line {line}", "TOO_DEEP", "elements are nested deeper than in any list")
        tag = name.rpartition(SEPARATOR)[2]
        if self.root is None:
            self.root = XmlElement(tag, _plain(attributes), line)
        if self._open or tag in self._wanted:
            element = XmlElement(tag, _plain(attributes), line)
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


def elements(file: ListFile, roots: tuple[str, ...], wanted: frozenset[str]) -> Iterator[XmlElement]:
    """Yield the root without children, then every element with a tag of ``wanted``, in the order of their ends.

    Raises ``ListFaults`` for a file that is truncated, malformed, hostile, or in another format; nothing that was read
    of it may be used.
    """
    parser = _new_parser()
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
    for block, final in _portions(file, parser):
        _feed(file, parser, block, final=final)
        if not named and builder.root is not None:
            if builder.root.tag not in roots:
                raise file.fault(
                    f"line {builder.root.line}", "OTHER_FORMAT", f"the first element is not <{'> or <'.join(roots)}>"
                )
            named = True
            yield builder.root
        ready, builder.ready = builder.ready, []
        yield from ready


def _new_parser() -> expat.XMLParserType:
    """Return a parser without reparse deferral: it reads each token as early as possible, like older versions."""
    parser = expat.ParserCreate(encoding="utf-8", namespace_separator=SEPARATOR)
    if (defer := getattr(parser, "SetReparseDeferralEnabled", None)) is not None:
        defer(False)  # noqa: FBT003
    return parser


def _portions(file: ListFile, parser: expat.XMLParserType) -> Iterator[tuple[bytes, bool]]:
    """Yield portions for the parser, each with whether it is the last.

    A token that is open at the end of a portion is read again from its start. Versions of expat from 2.6 on, and
    patched older ones whose Python cannot turn it off, defer that until the token is twice as long. So each portion
    after an open token is at least as long as the part already read: then all versions read the same tokens at the same
    byte, and a large token is read only a few times. No portion ends between half of the limit and the limit, because
    the next one would have to end far beyond it.
    """
    limit = file.limits.token_bytes
    fed = read = 0
    waiting = b""
    for block in file.blocks():
        waiting += block
        begun = fed - read
        if len(waiting) < begun or limit < 2 * (begun + len(waiting)) <= 2 * limit:
            continue
        yield waiting, False
        fed += len(waiting)
        waiting = b""
        read = max(read, parser.CurrentByteIndex)  # -1 while a token is deferred
        if fed - read > limit:
            place = f"line {parser.CurrentLineNumber}"
            raise file.fault(place, "TOKEN_TOO_LARGE", "one tag or comment is larger than any list has")
    yield waiting, True


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
        if error.code in _ENDINGS:
            raise file.fault(place, "TRUNCATED", "the file ends before its last element: fetch it again") from None
        raise file.fault(place, "NOT_XML", f"{expat.ErrorString(error.code)}: fetch it again") from None
