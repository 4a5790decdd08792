"""Each published format, read from files of its form: names, grades, dates, countries, addresses on chain."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from travelrule.screening.lists.formats.registry import FORMATS
from travelrule.screening.lists.import_report import ImportReport
from travelrule.screening.lists.list_content import unpack
from travelrule.screening.lists.list_entries import BirthDate, ListAddress, ListEntry, ListName
from travelrule.screening.lists.list_importer import import_list

DATA = Path(__file__).parents[3] / "data" / "sanctions"
INVENTED = DATA / "invented"


def imported(name: str, *paths: Path) -> tuple[dict[str, ListEntry], ImportReport]:
    found = import_list(name, paths)
    report = found.report
    entries = list(unpack(report.code, report.version, found.content))
    assert len(entries) == report.entries
    return {entry.id: entry for entry in entries}, report


def names(entry: ListEntry) -> list[tuple[str, str]]:
    return [(name.text, name.quality) for name in entry.names]


def dates(entry: ListEntry) -> list[tuple[str, str, bool]]:
    return [(birth.first, birth.last, birth.circa) for birth in entry.birth_dates]


def test_ofac_csv_joins_four_files_and_turns_names_round() -> None:
    entries, report = imported("ofac-csv", DATA / "ofac-csv")
    person = entries["26138"]
    assert person == ListEntry(
        "ofac-sdn",
        "26138",
        "person",
        (
            ListName("Mohammad GHORBANIYAN", "primary"),
            ListName("Mohammad GHORBANIAN", "strong"),
            ListName("Ensaniyat", "weak"),
            ListName("Ensaniyat_Exchanger", "weak"),
            ListName("EnExchanger", "weak"),
        ),
        (BirthDate("1987-03-09", "1987-03-09"),),
        ("IR",),
        ("CYBER2",),
        (ListAddress("XBT", "1AjZPMsnmpdK2Rv9KQNfMurTXinscVro9V"),),
    )
    assert names(entries["6368"])[-2:] == [("'ABD-AL-'IZ", "weak"), ("ABU YASIR", "weak")]
    assert names(entries["10851"])[0] == ("Feliciano Semborio Jr. DELOS REYES", "primary")
    assert names(entries["7157"])[0] == ("FARMACIA VIDA SUPREMA, S.A. DE C.V.", "primary"), "a company is not turned"
    assert dates(entries["12057"])[:2] == [("1952", "1952", True), ("1961-03", "1961-03", True)]
    assert dates(entries["11748"]) == [("1979", "1982", True), ("1982", "1982", False)]
    assert dates(entries["15496"]) == [("1929", "1930", False)]
    assert entries["12057"].programmes == ("SDGT", "NPWMD", "IRGC", "IFSR", "IRAN-HR")
    assert entries["11648"].countries == ("KP",)
    assert [entries[number].kind for number in ("36", "4234", "15431")] == ["organisation", "vessel", "aircraft"]
    assert (report.code, report.published, len(report.files)) == ("ofac-sdn", None, 4)


def test_ofac_comments_without_their_entry_still_give_names_and_addresses() -> None:
    entries, report = imported("ofac-csv", DATA / "ofac-csv")
    assert names(entries["42496"]) == [("WAKEMEUPUPUP", "weak"), ("FAST4RELEASE", "weak")]
    assert [address.address for address in entries["42496"].addresses] == [
        "12jVCWW1ZhTLA5yVnroEJswqKwsfiZKsax",
        "1J378PbmTKn2sEw6NBrSWVfjZLBZW3DZem",
        "18aqbRhHupgvC9K8qEqD78phmTQQWs7B5d",
        "16ti2EXaae5izfkUZ1Zc59HMcsdnHpP5QJ",
    ]
    assert [(unread.file, unread.place, unread.code) for unread in report.unread] == [
        ("sdn_comments.csv", "line 3", "NO_ENTRY")
    ]


def test_ofac_remarks_go_on_in_the_comments_in_the_middle_of_an_address(tmp_path: Path) -> None:
    """The field is cut anywhere; joining it wrongly would lose addresses."""
    addresses = [
        ("XBT", "12jVCWW1ZhTLA5yVnroEJswqKwsfiZKsax"),
        ("BCH", "bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a"),
        ("TON", "EQBvW8Z5huBkMJYdnfAEM5JqTNkuWX3diqYENkWsIL0X_g-G"),
        ("ETH", "0x8589427373D6D84E98730D7795D8f6f8731FDA16"),
    ]
    remarks = "; alt. ".join(f"Digital Currency Address - {symbol} {address}" for symbol, address in addresses) + "."
    for cut in range(1, len(remarks)):
        row = f'9,"DOE, Jo","individual","X",{",".join(["-0- "] * 7)},"{remarks[:cut]}"\r\n'
        (tmp_path / "sdn.csv").write_text(row, encoding="utf-8", newline="")
        (tmp_path / "sdn_comments.csv").write_text(f'9,"{remarks[cut:]}"\r\n\x1a', encoding="utf-8", newline="")
        entries, report = imported("ofac-csv", tmp_path)
        assert [(a.symbol, a.address) for a in entries["9"].addresses] == addresses, remarks[cut - 9 : cut]
        assert {unread.code for unread in report.unread} == {"FILE_MISSING"}


def test_un_grades_dates_and_several_names_in_one_field() -> None:
    entries, report = imported("un-xml", DATA / "un_consolidated.xml")
    assert names(entries["CDi.014"]) == [
        ("LEOPOLD MUJYAMBERE", "primary"),
        ("Musenyeri", "weak"),
        ("Achille", "weak"),
        ("Frere Petrus Ibrahim", "weak"),
    ]
    assert names(entries["IRi.034"]) == [
        ("M. JAVAD KARIMI SABET", "primary"),
        ("Mohammed Sabet", "strong"),
        ("Mohammad Sabet", "strong"),
        ("M. Javad Kareemi Sabet", "strong"),
        ("M. Jawad Kareemi Sabet", "strong"),
        ("M. Jawad Karimi Sabet", "strong"),
    ]
    assert names(entries["IQi.002"])[1] == ("قصي صدام حسين التكريتي", "original-script")
    assert dates(entries["CDi.014"]) == [("1962-03-17", "1962-03-17", False), ("1966", "1966", True)]
    assert dates(entries["KPi.066"]) == [("1967", "1969", False)]
    assert entries["CDi.001"].countries == ("CD", "RW")
    assert (entries["YEe.001"].kind, entries["YEe.001"].programmes) == ("organisation", ("Yemen",))
    assert report.published == datetime(2026, 2, 27, 0, 0, 9, 554000, tzinfo=UTC)
    assert report.unread == ()


def test_ofac_xml() -> None:
    entries, report = imported("ofac-xml", INVENTED / "sdn.xml")
    person = entries["901"]
    assert names(person) == [("Pavel PRZYKLAD", "primary"), ("PASHA", "weak"), ("Pawel PRIMER", "strong")]
    assert dates(person) == [("1981-03-03", "1981-03-03", False), ("1980", "1980", True)]
    assert person.countries == ("RU", "MD", "BY")
    assert person.programmes == ("CYBER2", "DPRK3")
    assert person.addresses == (
        ListAddress("BCH", "bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a"),
        ListAddress("USDT", "TJRabPrwbZy45sbavfcjinPJC18kjpRTv8"),
    )
    assert names(entries["902"]) == [("MUSTER & SONS TRADING LLC", "primary")]
    assert (entries["903"].kind, entries["903"].countries) == ("vessel", ("PA",))
    assert (report.code, report.published, report.unread) == ("ofac-sdn", datetime(2026, 11, 14, tzinfo=UTC), ())


def test_ofac_xml_says_when_it_holds_another_number_of_entries_than_it_announces(tmp_path: Path) -> None:
    text = (INVENTED / "sdn.xml").read_text(encoding="utf-8").replace("<Record_Count>3<", "<Record_Count>4<")
    (tmp_path / "consolidated.xml").write_text(text, encoding="utf-8")
    _, report = imported("ofac-xml", tmp_path)
    assert [unread.code for unread in report.unread] == ["COUNT"]
    assert report.code == "ofac-cons"


def test_ofac_advanced_resolves_its_numbers() -> None:
    entries, report = imported("ofac-xml", INVENTED / "sdn_advanced.xml")
    person = entries["901"]
    assert names(person) == [
        ("Pavel PRZYKLAD", "primary"),
        ("Павел ПРЖИКЛАД", "original-script"),
        ("PASHA", "weak"),
    ]
    assert dates(person) == [("1981-03-03", "1981-03-03", False), ("1980", "1980", True)]
    assert (person.kind, person.countries, person.programmes) == ("person", ("RU", "MD"), ("CYBER2", "DPRK3"))
    assert person.addresses == (ListAddress("XBT", "12jVCWW1ZhTLA5yVnroEJswqKwsfiZKsax"),)
    assert (entries["902"].kind, entries["902"].programmes) == ("organisation", ("SDGT",))
    assert report.published == datetime(2026, 11, 14, tzinfo=UTC)


def test_eu_xml() -> None:
    entries, report = imported("eu-xml", INVENTED / "eu.xml")
    person = entries["EU.901.1"]
    assert names(person) == [
        ("Pavel Przyklad", "primary"),
        ("Павел Пржиклад", "original-script"),
        ("Pasha", "weak"),
        ("Pawel M. Primer", "strong"),
    ]
    assert dates(person) == [
        ("1981-03-03", "1981-03-03", False),
        ("1980", "1980", True),
        ("1979", "1982", False),
    ]
    assert person.countries[:3] == ("RU", "MD", "BY")
    assert (person.kind, person.programmes) == ("person", ("UKR",))
    assert person.addresses == (ListAddress("", "0x8589427373D6D84E98730D7795D8f6f8731FDA16"),)
    assert (entries["902"].kind, entries["902"].name) == ("organisation", "Muster Trading OOO")
    assert report.published == datetime(2026, 11, 13, 14, 12, tzinfo=UTC)


def test_uk_csv_puts_the_rows_of_a_designation_together() -> None:
    entries, report = imported("uk-csv", INVENTED / "uk.csv")
    person = entries["RUS0901"]
    assert names(person) == [
        ("Pavel PRZYKLAD", "primary"),
        ("Павел Пржиклад", "original-script"),
        ("Pawel PRIMER", "strong"),
        ("PASHA", "weak"),
    ]
    assert dates(person) == [("1981-03-03", "1981-03-03", False), ("1980", "1980", False), ("1979", "1979", False)]
    assert (person.kind, person.countries, person.programmes) == ("person", ("RU", "MD", "BY"), ("Russia",))
    assert person.addresses == (ListAddress("", "TJRabPrwbZy45sbavfcjinPJC18kjpRTv8"),)
    assert [entries[number].kind for number in ("RUS0902", "RUS0903")] == ["organisation", "vessel"]
    assert report.published == datetime(2026, 11, 13, tzinfo=UTC)


def test_opensanctions_csv() -> None:
    entries, report = imported("opensanctions-csv", INVENTED / "targets.simple.csv")
    person = entries["NK-901"]
    assert names(person) == [
        ("Pavel Przyklad", "primary"),
        ("Pawel Primer", "strong"),
        ("Przyklad; Pavel", "strong"),
        ("Павел Пржиклад", "original-script"),
    ]
    assert dates(person) == [("1981-03-03", "1981-03-03", False), ("1980", "1980", False)]
    assert (person.countries, person.programmes) == (("RU", "BY"), ("US-CYBER",))
    assert entries["NK-903"].addresses == (ListAddress("", "0x8589427373d6d84e98730d7795d8f6f8731fda16"),)
    assert (report.entries, report.skipped) == (3, 1)


def test_opensanctions_ftm() -> None:
    entries, report = imported("opensanctions-ftm", INVENTED / "entities.ftm.json")
    person = entries["NK-901"]
    assert names(person) == [
        ("Pavel Przyklad", "primary"),
        ("Павел Пржиклад", "original-script"),
        ("Pawel Primer", "strong"),
        ("Pavel Staryi", "strong"),
        ("Pasha", "weak"),
    ]
    assert dates(person) == [("1981-03-03", "1981-03-03", False), ("1980", "1980", False)]
    assert (person.countries, person.programmes) == (("RU", "MD"), ("US-CYBER",))
    assert entries["NK-903"].addresses == (ListAddress("TON", "EQBvW8Z5huBkMJYdnfAEM5JqTNkuWX3diqYENkWsIL0XggGG"),)
    assert entries.keys() == {"NK-901", "NK-902", "NK-903"}
    assert report.skipped == 2


def test_own_csv() -> None:
    entries, report = imported("own-csv", INVENTED / "own.csv")
    assert entries["7"] == ListEntry(
        "own",
        "7",
        "person",
        (
            ListName("Pavel Przyklad", "primary"),
            ListName("Pawel Primer", "strong"),
            ListName("P. Przyklad", "strong"),
            ListName("Pasha", "weak"),
        ),
        (BirthDate("1981-03-03", "1981-03-03"), BirthDate("1979", "1981")),
        ("RU", "BY"),
        ("fraud",),
        (
            ListAddress("XBT", "12jVCWW1ZhTLA5yVnroEJswqKwsfiZKsax"),
            ListAddress("", "0x8589427373D6D84E98730D7795D8f6f8731FDA16"),
        ),
    )
    assert names(entries["3"]) == [("Muster, Sons & Co.", "primary")]
    assert report.unread == ()


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("ofac-csv", DATA / "ofac-csv"),
        ("ofac-xml", INVENTED / "sdn.xml"),
        ("ofac-xml", INVENTED / "sdn_advanced.xml"),
        ("un-xml", DATA / "un_consolidated.xml"),
        ("eu-xml", INVENTED / "eu.xml"),
        ("uk-csv", INVENTED / "uk.csv"),
        ("opensanctions-csv", INVENTED / "targets.simple.csv"),
        ("opensanctions-ftm", INVENTED / "entities.ftm.json"),
        ("own-csv", INVENTED / "own.csv"),
    ],
)
def test_the_version_depends_on_what_the_list_says_and_on_nothing_else(name: str, path: Path, tmp_path: Path) -> None:
    first = import_list(name, [path])
    assert import_list(name, [path], "other-code").report.version == first.report.version
    files = path.iterdir() if path.is_dir() else [path]
    for file in files:  # with a byte order mark
        (tmp_path / file.name).write_bytes(b"\xef\xbb\xbf" + file.read_bytes())
    marked = import_list(name, [tmp_path])
    assert marked.report.version == first.report.version
    assert marked.report.files != first.report.files
    assert name in FORMATS
