"""Broken, empty and cut files, wrong encodings, odd rows: what is refused entirely, and what is reported and kept."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.list_files import DATA, INVENTED, ROWS, SAMPLES, XML, fault
from travelrule.errors import UsageError
from travelrule.screening.lists.formats.registry import FORMATS
from travelrule.screening.lists.import_report import UNREAD_KEPT, ListFaults
from travelrule.screening.lists.list_content import unpack
from travelrule.screening.lists.list_importer import import_list


def test_every_format_has_a_sample() -> None:
    assert SAMPLES.keys() == FORMATS.keys()


@pytest.mark.parametrize("name", SAMPLES)
def test_an_empty_file_is_no_list(name: str, tmp_path: Path) -> None:
    assert fault(name, tmp_path / SAMPLES[name].name, b"").code == "EMPTY"


@pytest.mark.parametrize("name", XML)
def test_a_cut_xml_file_is_refused_wherever_it_is_cut(name: str, tmp_path: Path) -> None:
    whole = SAMPLES[name].read_bytes().rstrip()
    for cut in range(1, len(whole), max(len(whole) // 60, 1)):
        assert fault(name, tmp_path / "list.xml", whole[:cut]).code in ("TRUNCATED", "NOT_XML", "ENCODING")
    assert fault(name, tmp_path / "list.xml", whole[:-1]).code == "TRUNCATED"


@pytest.mark.parametrize("name", ROWS)
def test_a_cut_last_row_is_refused(name: str, tmp_path: Path) -> None:
    """Cut inside of the last row's quotes, names or braces; a file cut between rows looks whole to any reader."""
    whole = SAMPLES[name].read_bytes().rstrip()
    start = whole.rindex(b"\n") + 1
    last = whole[start:]
    marks = last.count(b",")
    assert marks > 3
    before_the_last_cell = start + last.rindex(b",")
    for cut in range(start + 1, before_the_last_cell):
        found = fault(name, tmp_path / SAMPLES[name].name, whole[:cut])
        assert found.code == "TRUNCATED", whole[start:cut]
        assert found.place.startswith(("line ", "byte "))


@pytest.mark.parametrize("name", SAMPLES)
def test_another_encoding_is_refused_with_the_byte(name: str, tmp_path: Path) -> None:
    whole = SAMPLES[name].read_bytes()
    found = fault(name, tmp_path / SAMPLES[name].name, whole[:60] + "é".encode("latin-1") + whole[60:])
    assert (found.code, found.place) == ("ENCODING", "byte 60")
    found = fault(name, tmp_path / SAMPLES[name].name, whole.decode().encode("utf-16"))
    assert (found.code, found.place) == ("ENCODING", "byte 0")
    assert "UTF-16" in found.fix


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be", "cp500"])
def test_a_wide_or_foreign_encoding_without_a_mark_is_never_taken_for_a_list(
    name: str, encoding: str, tmp_path: Path
) -> None:
    """ASCII in two bytes a letter is valid UTF-8 full of zeros: taken for text, every name would match nobody."""
    sample = SAMPLES[name].read_text(encoding="utf-8")
    content = "".join(letter for letter in sample if letter.isascii()).encode(encoding)
    assert fault(name, tmp_path / SAMPLES[name].name, content).code == "ENCODING"


@pytest.mark.parametrize("name", XML)
def test_an_encoding_that_the_file_claims_does_not_count(name: str, tmp_path: Path) -> None:
    """A list in UTF-8 that claims Latin-1 would be read as wrong letters."""
    body = re.sub(r"^<\?xml.*?\?>\s*", "", SAMPLES[name].read_text(encoding="utf-8").removeprefix("\ufeff"))
    versions = set()
    for claimed in ("UTF-8", "ISO-8859-1", "windows-1251", "UTF-16"):
        path = tmp_path / "list.xml"
        path.write_text(f'<?xml version="1.0" encoding="{claimed}"?>\n{body}', encoding="utf-8")
        versions.add(import_list(name, [path]).report.version)
    assert len(versions) == 1


def test_the_byte_is_right_far_into_the_file_and_across_blocks(tmp_path: Path) -> None:
    row = "Pavel Przykład,7,,,,,,,\n".encode()
    head = b"name,id,kind,aliases,weak_aliases,birth_date,countries,programmes,addresses\n"
    whole = head + row * 40_000
    for at in (256 * 1024 - 1, 256 * 1024, 700_001):
        assert fault("own-csv", tmp_path / "own.csv", whole[:at] + b"\xff" + whole[at:]).place in (
            f"byte {at}",
            f"byte {at - 1}",  # the byte before began a character that this one does not continue
        )


@pytest.mark.parametrize("name", SAMPLES)
def test_a_file_of_another_format_is_refused(name: str, tmp_path: Path) -> None:
    for other, sample in SAMPLES.items():
        if other == name or (name == "own-csv" and other == "opensanctions-csv"):
            continue  # the columns of OpenSanctions include those that an operator's list needs
        found = fault(name, tmp_path / SAMPLES[name].name, sample.read_bytes())
        assert found.code in ("OTHER_FORMAT", "NOT_XML", "NOT_CSV", "TRUNCATED", "TOO_MUCH_UNREAD", "NO_ENTRIES"), other


def test_a_well_formed_list_of_nobody_is_refused(tmp_path: Path) -> None:
    assert fault("un-xml", tmp_path / "un.xml", "<CONSOLIDATED_LIST/>").code == "NO_ENTRIES"
    assert fault("own-csv", tmp_path / "own.csv", "name,id\n").code == "NO_ENTRIES"


def test_rows_that_cannot_be_understood_are_said_and_kept_as_text(tmp_path: Path) -> None:
    sdn = (DATA / "ofac-csv" / "sdn.csv").read_text(encoding="utf-8")
    first, rest = sdn.split("\n", 1)
    (tmp_path / "sdn.csv").write_text(
        f'{first}\nabc,"LOST, Person","individual"\n77,"WRONG, Columns","individual","X"\n{rest}', encoding="utf-8"
    )
    found = import_list("ofac-csv", [tmp_path / "sdn.csv"])
    entries = {entry.id: entry for entry in unpack("x", found.report.version, found.content)}
    assert [(name.text, name.quality) for name in entries["abc"].names] == [("LOST, Person", "opaque")]
    assert [(name.text, name.quality) for name in entries["77"].names] == [("WRONG, Columns", "opaque")]
    said = [(unread.place, unread.code) for unread in found.report.unread if unread.code == "ROW"]
    assert said == [("line 2", "ROW"), ("line 3", "ROW")]


def test_odd_rows_of_the_other_formats_are_said_and_kept_as_text(tmp_path: Path) -> None:
    added = {
        "own-csv": "Lost Person,8\n",
        "uk-csv": "13/11/2026,,,,Lost Person\n",
        "opensanctions-csv": '"NK-9","Person","Lost Person"\n',
        "opensanctions-ftm": '{"id":"NK-9","schema":"Person","caption":"Lost Person","properties":{"name":"none"}}\n',
    }
    for name, row in added.items():
        lines = SAMPLES[name].read_text(encoding="utf-8").splitlines(keepends=True)
        (tmp_path / "list").write_text("".join([*lines[:-1], row, lines[-1]]), encoding="utf-8")
        found = import_list(name, [tmp_path / "list"])
        opaque = [
            each.text
            for entry in unpack("x", found.report.version, found.content)
            for each in entry.names
            if each.quality == "opaque"
        ]
        assert "Lost Person" in opaque, name
        assert [(unread.place, unread.code) for unread in found.report.unread] == [(f"line {len(lines)}", "ROW")], name


def test_what_is_unread_is_counted_without_end_but_kept_bounded(tmp_path: Path) -> None:
    rows = "Jo Doe,not a day\n" * 150 + "Jo Doe,1980\n" * 2_000
    (tmp_path / "own.csv").write_text("name,birth_date\n" + rows, encoding="utf-8")
    report = import_list("own-csv", [tmp_path / "own.csv"]).report
    assert (report.unread_total, len(report.unread), report.entries) == (150, UNREAD_KEPT, 2_150)
    rows = "Jo Doe,not a day\n" * 300 + "Jo Doe,1980\n" * 2_000
    assert fault("own-csv", tmp_path / "own.csv", "name,birth_date\n" + rows).code == "TOO_MUCH_UNREAD"


def test_long_and_odd_names_are_kept_within_bounds(tmp_path: Path) -> None:
    text = f"name,aliases\n{'A' * 5_000},B\u200b\u202eob\x07 \u2003 Roe\n"
    (tmp_path / "own.csv").write_text(text, encoding="utf-8")
    found = import_list("own-csv", [tmp_path / "own.csv"])
    (entry,) = unpack("x", found.report.version, found.content)
    assert [name.text for name in entry.names] == ["A" * 1_000, "Bob Roe"]
    assert [unread.code for unread in found.report.unread] == ["NAME_TOO_LONG"]


def test_wrong_use_is_said(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such format"):
        import_list("ofac", [tmp_path])
    with pytest.raises(UsageError, match="neither a file nor a folder"):
        import_list("un-xml", [tmp_path / "none.xml"])
    with pytest.raises(UsageError, match="no files of the format"):
        import_list("un-xml", [tmp_path])
    with pytest.raises(UsageError, match="a code has"):
        import_list("own-csv", [INVENTED / "own.csv"], "../own")
    with pytest.raises(ListFaults) as caught:
        import_list("ofac-csv", [INVENTED / "own.csv"])
    assert [each.code for each in caught.value.faults] == ["FILE_NAME", "FILE_MISSING"]


def test_faults_do_not_quote_the_file(tmp_path: Path) -> None:
    for name, sample in SAMPLES.items():
        whole = sample.read_bytes()
        try:
            found = fault(name, tmp_path / sample.name, whole[: len(whole) // 2])
        except pytest.fail.Exception:  # cut between two rows
            continue
        assert not re.search("przyklad|pavel|primer", f"{found}", re.IGNORECASE)


def test_the_example_of_the_own_list_s_page_is_read_with_every_column(tmp_path: Path) -> None:
    """Page and reader share the columns; that each is really read shows in the entry."""
    page = (DATA.parents[2] / "docs" / "generated" / "own-csv.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```csv\n(.*?)```", page, re.DOTALL)
    columns = re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)
    assert example.splitlines()[0].split(",") == columns
    file = tmp_path / "own.csv"
    file.write_text(example, encoding="utf-8")
    whole = import_list("own-csv", [file])
    assert (whole.report.entries, whole.report.unread_total) == (1, 0)
    header, row = example.splitlines()
    for number, column in enumerate(columns):
        cells = row.split(",")
        if column == "name":
            continue
        assert cells[number], column
        cells[number] = ""
        file.write_text(f"{header}\n{','.join(cells)}\n", encoding="utf-8")
        without = import_list("own-csv", [file])
        assert without.content != whole.content, f"{column} is not read"


def test_the_page_about_lists_names_every_format_with_its_usual_code() -> None:
    page = (DATA.parents[2] / "docs" / "lists.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `([a-z-]+)` \|.*\| (`[^|]+`) \|$", page, re.MULTILINE))
    assert rows.keys() == FORMATS.keys()
    for name, format_ in FORMATS.items():
        assert rows[name].startswith(f"`{format_.code}`")
