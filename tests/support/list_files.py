"""A small file of every format, and how a file that is no list is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from travelrule.screening.lists.import_report import FileFault, ListFaults
from travelrule.screening.lists.limits import ListLimits
from travelrule.screening.lists.list_importer import import_list

DATA = Path(__file__).parents[1] / "data" / "sanctions"
INVENTED = DATA / "invented"
SAMPLES = {
    "ofac-csv": DATA / "ofac-csv" / "sdn.csv",
    "ofac-xml": INVENTED / "sdn_advanced.xml",
    "un-xml": DATA / "un_consolidated.xml",
    "eu-xml": INVENTED / "eu.xml",
    "uk-csv": INVENTED / "uk.csv",
    "opensanctions-csv": INVENTED / "targets.simple.csv",
    "opensanctions-ftm": INVENTED / "entities.ftm.json",
    "own-csv": INVENTED / "own.csv",
}
XML = [name for name in SAMPLES if name.endswith("xml")]
ROWS = [name for name in SAMPLES if not name.endswith("xml")]


def fault(name: str, path: Path, content: bytes | str, limits: ListLimits | None = None) -> FileFault:
    """The one fault of a file with this content."""
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(ListFaults) as caught:
        import_list(name, [path], **({"limits": limits} if limits else {}))
    (found,) = caught.value.faults
    assert found.file == path.name
    assert found.fix
    return found
