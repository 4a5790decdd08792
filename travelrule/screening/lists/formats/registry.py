"""The formats of ``lists import``: one row each. Another format is another file beside this one and a row here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from types import MappingProxyType

from travelrule.screening.lists.entry_draft import ListImport
from travelrule.screening.lists.formats import (
    eu_xml,
    ofac_csv,
    ofac_xml,
    opensanctions_csv,
    opensanctions_ftm,
    own_csv,
    uk_csv,
    un_xml,
)
from travelrule.screening.lists.list_entries import ListEntry
from travelrule.screening.lists.list_file import ListFile

Importer = Callable[[Sequence[ListFile], ListImport], Iterator[ListEntry]]

OFAC_OTHER = {"cons": "ofac-cons"}
"""OFAC's lists beside the SDN list, whose files are named ``cons_...`` or ``consolidated``."""


@dataclass(frozen=True, slots=True)
class ListFormat:
    """One format.

    ``code`` is the default code of its list; ``codes_by_prefix`` has those of lists whose file names begin otherwise.
    ``read`` imports the files. In a folder, files with a suffix of ``suffixes`` that ``has_name`` accepts belong to it.
    """

    code: str
    read: Importer
    suffixes: tuple[str, ...]
    codes_by_prefix: Mapping[str, str] = field(default_factory=dict)
    has_name: Callable[[str], object] = bool

    def is_file_of(self, name: str) -> bool:
        """Whether a file of a folder belongs to this format."""
        suffix = PurePath(name).suffix.lower()
        return suffix in self.suffixes and not name.startswith(".") and bool(self.has_name(name))

    def code_of(self, names: Iterable[str]) -> str:
        """Return the default code of a list with files of these names."""
        lowered = [name.lower() for name in names]
        codes = (
            code for prefix, code in self.codes_by_prefix.items() if any(one.startswith(prefix) for one in lowered)
        )
        return next(codes, self.code)


_FORMATS: dict[str, ListFormat] = {
    "ofac-csv": ListFormat("ofac-sdn", ofac_csv.read, (".csv",), OFAC_OTHER, ofac_csv.part_of),
    "ofac-xml": ListFormat("ofac-sdn", ofac_xml.read, (".xml",), OFAC_OTHER),
    "un-xml": ListFormat("un", un_xml.read, (".xml",)),
    "eu-xml": ListFormat("eu", eu_xml.read, (".xml",)),
    "uk-csv": ListFormat("uk", uk_csv.read, (".csv",)),
    "opensanctions-csv": ListFormat("opensanctions", opensanctions_csv.read, (".csv",)),
    "opensanctions-ftm": ListFormat("opensanctions", opensanctions_ftm.read, (".json", ".jsonl", ".ftm")),
    "own-csv": ListFormat("own", own_csv.read, (".csv",)),
}
FORMATS = MappingProxyType(_FORMATS)
"""Every format, by its name in commands and folders."""
