"""Hostile and enormous list files, and what a failed download leaves: refused early, and with nothing in memory."""

from __future__ import annotations

import gzip
import random
import shutil
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.support.list_files import DATA, SAMPLES, fault
from travelrule.screening.lists.import_report import ListFaults
from travelrule.screening.lists.limits import ListLimits
from travelrule.screening.lists.list_content import unpack
from travelrule.screening.lists.list_file import ListFile
from travelrule.screening.lists.list_importer import import_list

NOISE = random.Random(5).randbytes(50_000)
JUNK = {
    "noise": NOISE,
    "zeros": bytes(50_000),
    "blanks": b" \n" * 1_000,
    "gzip": gzip.compress(b"name,id\n" * 100, mtime=0),
    "zip": b"PK\x03\x04\x14\x00\x00\x00\x08\x00" + NOISE,
    "page": b"<!DOCTYPE html>\n<html><head><title>Access denied</title></head><body><p>Sign in</p></body></html>\n",
    "answer": b'{"error":{"code":403,"message":"expired token"}}\n',
}


@pytest.mark.parametrize("junk", JUNK)
@pytest.mark.parametrize("name", SAMPLES)
def test_what_a_failed_download_leaves_is_no_list(name: str, junk: str, tmp_path: Path) -> None:
    found = fault(name, tmp_path / SAMPLES[name].name, JUNK[junk])
    assert found.code in {
        "ENCODING",
        "NOT_XML",
        "DOCTYPE",
        "TRUNCATED",
        "OTHER_FORMAT",
        "NOT_CSV",
        "EMPTY",
        "NO_ENTRIES",
    }


BOMB = """<?xml version="1.0"?>
<!DOCTYPE lolz [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;">
<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;">]>
<CONSOLIDATED_LIST><INDIVIDUALS><INDIVIDUAL><FIRST_NAME>&c;</FIRST_NAME></INDIVIDUAL></INDIVIDUALS></CONSOLIDATED_LIST>
"""
OUTSIDE = """<?xml version="1.0"?>
<!DOCTYPE CONSOLIDATED_LIST [<!ENTITY x SYSTEM "file:///etc/passwd">]>
<CONSOLIDATED_LIST><INDIVIDUALS><INDIVIDUAL><FIRST_NAME>&x;</FIRST_NAME></INDIVIDUAL></INDIVIDUALS></CONSOLIDATED_LIST>
"""
DTD = """<?xml version="1.0"?>
<!DOCTYPE CONSOLIDATED_LIST SYSTEM "http://127.0.0.1:1/list.dtd">
<CONSOLIDATED_LIST><INDIVIDUALS/></CONSOLIDATED_LIST>
"""


@pytest.mark.parametrize("text", [BOMB, OUTSIDE, DTD], ids=["bomb", "outside entity", "outside dtd"])
def test_document_types_and_entities_are_refused_where_they_begin(text: str, tmp_path: Path) -> None:
    found = fault("un-xml", tmp_path / "un.xml", text)
    assert (found.code, found.place) == ("DOCTYPE", "line 2")


def test_an_undeclared_entity_is_no_xml(tmp_path: Path) -> None:
    text = "<CONSOLIDATED_LIST><INDIVIDUAL><FIRST_NAME>&x;</FIRST_NAME></INDIVIDUAL></CONSOLIDATED_LIST>"
    assert fault("un-xml", tmp_path / "un.xml", text).code == "NOT_XML"


def test_deep_and_large_elements_are_refused(tmp_path: Path) -> None:
    deep = "<CONSOLIDATED_LIST>" + "<INDIVIDUAL>" * 100_000
    assert fault("un-xml", tmp_path / "un.xml", deep).code == "TOO_DEEP"
    name = "<FIRST_NAME>" + "A" * 2_000_000 + "</FIRST_NAME>"
    large = f"<CONSOLIDATED_LIST>\n<INDIVIDUAL>{name}</INDIVIDUAL></CONSOLIDATED_LIST>"
    found = fault("un-xml", tmp_path / "un.xml", large, ListLimits(element_bytes=1_000_000))
    assert (found.code, found.place) == ("ELEMENT_TOO_LARGE", "line 2")
    many = "<A/>" * 50_000
    large = f"<CONSOLIDATED_LIST>\n<INDIVIDUAL>{many}</INDIVIDUAL></CONSOLIDATED_LIST>"
    assert fault("un-xml", tmp_path / "un.xml", large, ListLimits(element_bytes=1_000_000)).code == "ELEMENT_TOO_LARGE"


@pytest.mark.parametrize("name", SAMPLES)
def test_a_file_over_the_limit_is_refused_before_it_is_in_memory(name: str, tmp_path: Path) -> None:
    path = tmp_path / SAMPLES[name].name
    with path.open("wb") as opened:
        opened.write(SAMPLES[name].read_bytes())
        opened.write(b"\n" * 2_000_000)
        opened.truncate(3 * 1024**3)  # holds nothing on disk
    with pytest.raises(ListFaults) as caught:
        import_list(name, [path], limits=ListLimits(file_bytes=1_000_000))
    assert caught.value.faults[0].code == "FILE_TOO_LARGE"


@pytest.mark.parametrize("name", SAMPLES)
def test_the_limit_of_a_file_is_told(name: str, tmp_path: Path) -> None:
    whole = SAMPLES[name].read_bytes()
    found = fault(name, tmp_path / SAMPLES[name].name, whole, ListLimits(file_bytes=len(whole) - 1))
    assert found.code == "FILE_TOO_LARGE"
    assert f" {len(whole) - 1} bytes" in found.fix
    assert import_list(name, [tmp_path / SAMPLES[name].name], limits=ListLimits(file_bytes=len(whole))).report.entries


@pytest.mark.parametrize("head", ["<!--", "<OTHER a='", "<", "<?", "<INDIVIDUAL a='"])
def test_a_tag_or_comment_without_end_is_refused_long_before_its_end(head: str, tmp_path: Path) -> None:
    """The parser reads an open one from its start with every block: a few hundred megabytes would take a day."""
    path = tmp_path / "un.xml"
    with path.open("w", encoding="utf-8") as opened:
        opened.write(f"<CONSOLIDATED_LIST>\n{head}")
        for _ in range(40):
            opened.write("x" * 1_000_000)
    read = 0
    whole = ListFile.blocks

    def counted(file: ListFile) -> Iterator[bytes]:
        nonlocal read
        for block in whole(file):
            read += len(block)
            yield block

    with pytest.MonkeyPatch.context() as patched, pytest.raises(ListFaults) as caught:
        patched.setattr(ListFile, "blocks", counted)
        import_list("un-xml", [path])
    (found,) = caught.value.faults
    assert (found.code, found.place) == ("TOKEN_TOO_LARGE", "line 2")
    assert read < 2_000_000


def test_a_large_comment_between_entries_is_no_reason_to_refuse(tmp_path: Path) -> None:
    whole = SAMPLES["un-xml"].read_text(encoding="utf-8")
    (tmp_path / "un.xml").write_text(whole.replace("<INDIVIDUALS>", f"<!--{'x' * 900_000}--><INDIVIDUALS>"))
    found = import_list("un-xml", [tmp_path / "un.xml"])
    assert found.report.version == import_list("un-xml", [SAMPLES["un-xml"]]).report.version


def test_a_row_that_goes_on_from_line_to_line_is_refused(tmp_path: Path) -> None:
    """Each cell is short and each line is short; only the row has no end."""
    text = "name,id\n" + '"a\n",' * 400_000
    found = fault("own-csv", tmp_path / "own.csv", text, ListLimits(row_bytes=10_000))
    assert found.code == "ROW_TOO_LONG"
    assert int(found.place.removeprefix("line ")) < 5_000
    text = "name,id\n" + '"Jo\nDoe",1\n' * 5_000
    (tmp_path / "own.csv").write_text(text, encoding="utf-8")
    assert import_list("own-csv", [tmp_path / "own.csv"], limits=ListLimits(row_bytes=20)).report.entries == 5_000


def test_json_nested_without_end_is_no_entry(tmp_path: Path) -> None:
    for nested in ("[" * 200_000, '{"id":' * 200_000):
        found = fault("opensanctions-ftm", tmp_path / "entities.ftm.json", nested)
        assert found.code == "TRUNCATED"
        lines = SAMPLES["opensanctions-ftm"].read_text(encoding="utf-8")
        (tmp_path / "entities.ftm.json").write_text(f"{nested}\n{lines}", encoding="utf-8")
        report = import_list("opensanctions-ftm", [tmp_path / "entities.ftm.json"]).report
        assert [(unread.place, unread.code) for unread in report.unread] == [("line 1", "NOT_JSON")]
        assert report.entries == 3


def test_a_line_without_end_is_refused(tmp_path: Path) -> None:
    for name in ("own-csv", "opensanctions-ftm"):
        found = fault(
            name, tmp_path / SAMPLES[name].name, b"name\n" + b"a" * 3_000_000, ListLimits(line_bytes=1_000_000)
        )
        assert (found.code, found.place) == ("LINE_TOO_LONG", "line 2")


def test_a_field_without_end_is_refused(tmp_path: Path) -> None:
    text = "name,id\n" + '"' + "a\n" * 200_000 + '",1\n'
    assert fault("own-csv", tmp_path / "own.csv", text).code == "NOT_CSV"


@pytest.mark.parametrize(
    ("name", "content", "code"),
    [
        ("own-csv", "name,id\n" + '"' + "a\n" * 200_000 + '",1\n', "NOT_CSV"),
        ("own-csv", "name\n" + "Jo Doe\n" * 200_000, "TOO_MANY_ENTRIES"),
        ("opensanctions-ftm", b"{}\n" + b"a" * 300_000 + b"\n", "LINE_TOO_LONG"),
        ("un-xml", "<CONSOLIDATED_LIST>" + "<A>" * 100_000, "TOO_DEEP"),
    ],
)
def test_a_refused_file_is_closed_while_its_refusal_is_handled(
    name: str, content: bytes | str, code: str, tmp_path: Path
) -> None:
    """The traceback of the refusal holds the suspended readers, and these the file."""
    path = tmp_path / SAMPLES[name].name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(ListFaults) as caught:
        import_list(name, [path], limits=ListLimits(entries=10, line_bytes=100_000))
    assert str(path) not in {opened.path for opened in psutil.Process().open_files()}
    assert [found.code for found in caught.value.faults] == [code]


def test_more_entries_than_any_list_has_are_refused(tmp_path: Path) -> None:
    text = "name\n" + "Jo Doe\n" * 11
    assert fault("own-csv", tmp_path / "own.csv", text, ListLimits(entries=10)).code == "TOO_MANY_ENTRIES"


def test_rows_that_are_held_until_the_end_are_counted_as_they_come(tmp_path: Path) -> None:
    """These formats give out their first entry when all is read: the count at the end would come too late."""
    uk = SAMPLES["uk-csv"].read_text(encoding="utf-8")
    assert fault("uk-csv", tmp_path / "uk.csv", uk + '"never closed', ListLimits(entries=1)).code == "TOO_MANY_ENTRIES"
    advanced = SAMPLES["ofac-xml"].read_text(encoding="utf-8").removesuffix("\n")[:-3]
    found = fault("ofac-xml", tmp_path / "sdn_advanced.xml", advanced, ListLimits(entries=1))
    assert found.code == "TOO_MANY_ENTRIES"
    for file in (DATA / "ofac-csv").iterdir():
        shutil.copy(file, tmp_path / file.name)
    with (tmp_path / "alt.csv").open("a", encoding="utf-8") as opened:
        opened.write('"never closed')
    with pytest.raises(ListFaults) as caught:
        import_list("ofac-csv", [tmp_path / name for name in ("sdn.csv", "alt.csv")], limits=ListLimits(entries=10))
    assert [(each.file, each.code) for each in caught.value.faults] == [("alt.csv", "TOO_MANY_ENTRIES")]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    name=st.sampled_from(list(SAMPLES)),
    start=st.integers(0, 12_000),
    length=st.integers(0, 40),
    put=st.binary(max_size=12),
)
@example(name="eu-xml", start=1_900, length=4, put=b"9" * 12)
def test_no_damage_leads_anywhere_but_to_a_list_or_to_faults(
    tmp_path: Path, name: str, start: int, length: int, put: bytes
) -> None:
    whole = SAMPLES[name].read_bytes()
    start %= len(whole)
    path = tmp_path / SAMPLES[name].name
    path.write_bytes(whole[:start] + put + whole[start + length :])
    try:
        found = import_list(name, [path])
    except ListFaults:
        return
    entries = list(unpack(found.report.code, found.report.version, found.content))
    assert len(entries) == found.report.entries > 0
    assert all(birth.earliest <= birth.latest for entry in entries for birth in entry.birth_dates)
