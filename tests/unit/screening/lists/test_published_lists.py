"""The whole published lists, as they are."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from travelrule.screening.lists.list_content import unpack
from travelrule.screening.lists.list_entries import ListEntry
from travelrule.screening.lists.list_importer import ImportedList, import_list

pytestmark = pytest.mark.shared


def sanctions() -> Path:
    root = os.environ.get("TRAVELRULE_TEST_SHARED")
    if not root:
        pytest.fail("set TRAVELRULE_TEST_SHARED to the folder that holds data/sanctions")
    return Path(root) / "data" / "sanctions"


def entries(found: ImportedList) -> list[ListEntry]:
    return list(unpack(found.report.code, found.report.version, found.content))


def test_ofac_is_read_whole() -> None:
    found = import_list("ofac-csv", [sanctions()])
    report = found.report
    listed = entries(found)
    kinds = {kind: sum(entry.kind == kind for entry in listed) for kind in ("person", "vessel", "aircraft")}
    assert kinds == {"person": 3845, "vessel": 323, "aircraft": 217}
    assert sum(entry.kind == "organisation" for entry in listed) == 2994
    assert len({entry.id for entry in listed}) == report.entries == len(listed)
    assert {(unread.file, unread.code) for unread in report.unread} == {("sdn_comments.csv", "NO_ENTRY")}
    assert report.names > 19_000
    assert not [name for entry in listed for name in entry.names if "-0-" in name.text or not name.text.strip()]
    addresses = {address.address: entry.id for entry in listed for address in entry.addresses}
    assert addresses["149w62rY42aZBox8fGcmqNsXUzSStKeq8C"] == "26137"
    assert addresses["0x8589427373D6D84E98730D7795D8f6f8731FDA16"] == "39796", "of a comment without its entry"
    assert addresses["0x4736dCf1b7A3d580672CcE6E7c65cd5cc9cFBa9D"] == "39796", "the end of a cut item"
    with_dates = [entry for entry in listed if entry.birth_dates]
    assert len(with_dates) > 3_500
    assert {entry.kind for entry in with_dates} == {"person"}


def test_un_is_read_whole() -> None:
    found = import_list("un-xml", [sanctions() / "UN_consolidated.xml"])
    listed = entries(found)
    assert found.report.unread == ()
    assert sum(entry.kind == "person" for entry in listed) == 730
    assert sum(entry.kind == "organisation" for entry in listed) == 273
    assert found.report.names > 4_000
    assert sum(name.quality == "original-script" for entry in listed for name in entry.names) >= 378
    assert max(len(name.text) for entry in listed for name in entry.names) < 200, "several names in one"


def test_a_cut_copy_is_refused(tmp_path: Path) -> None:
    from travelrule.screening.lists.import_report import ListFaults

    whole = (sanctions() / "UN_consolidated.xml").read_bytes()
    (tmp_path / "un.xml").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ListFaults):
        import_list("un-xml", [tmp_path / "un.xml"])
