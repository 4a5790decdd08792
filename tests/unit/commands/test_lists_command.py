"""``lists import`` and the first lists of LISTS_DIR: what is said, what is in force afterwards, how it ends."""

from __future__ import annotations

import asyncio
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from tests.support.command_line import Cli
from travelrule.bootstrap.installation import Installation
from travelrule.bootstrap.list_import import addresses_of_folder, load_first_lists
from travelrule.errors import ConfigurationError
from travelrule.screening.lists.list_content import unpack
from travelrule.store import tables
from travelrule.store.list_versions import ListVersion

DATA = Path(__file__).parents[2] / "data" / "sanctions"
OWN = DATA / "invented" / "own.csv"
PERSONAL = ("Przyklad", "Pavel", "12jVCWW1ZhTLA5yVnroEJswqKwsfiZKsax")


def active(cli: Cli) -> dict[str, ListVersion]:
    async def read(opened: Installation) -> dict[str, ListVersion]:
        return await opened.lists.active()

    return cli.within(read)  # type: ignore[no-any-return]


def alerts(cli: Cli) -> list[tuple[str, str]]:
    async def read(opened: Installation) -> list[tuple[str, str]]:
        async with opened.database.read() as connection:
            values = (await connection.execute(select(tables.outbox.c.value))).scalars().all()
        events = [json.loads(value)["data"] for value in values]
        return [(event["subject"], event["code"]) for event in events]

    return cli.within(read)  # type: ignore[no-any-return]


def test_import_says_what_it_read_and_puts_it_in_force(installed: Cli) -> None:
    answer = installed.ask("lists", "import", "ofac-csv", str(DATA / "ofac-csv"))
    assert answer.code == 0, answer.err
    said = answer.json
    numbers = {name: said[name] for name in ("ok", "changed", "list", "format", "entries", "skipped", "faults")}
    assert numbers == {
        "ok": True,
        "changed": True,
        "list": "ofac-sdn",
        "format": "ofac-csv",
        "entries": 20,
        "skipped": 0,
        "faults": [],
    }
    assert [file["name"] for file in said["files"]] == ["add.csv", "alt.csv", "sdn.csv", "sdn_comments.csv"]
    assert (said["unreadTotal"], said["unread"][0]["place"]) == (1, "line 3")
    version = active(installed)["ofac-sdn"]
    assert (version.version, version.entries, version.names) == (said["version"], said["entries"], said["names"])
    assert json.loads(version.report)["files"] == said["files"]

    async def content(opened: Installation) -> bytes:
        return await opened.lists.content("ofac-sdn", version.version)

    entries = list(unpack("ofac-sdn", version.version, installed.within(content)))
    assert (len(entries), entries[0].name) == (20, "AEROCARIBBEAN AIRLINES")


def test_the_same_files_again_change_nothing_and_a_code_makes_another_list(installed: Cli) -> None:
    assert installed.ask("lists", "import", "own-csv", str(OWN)).json["changed"] is True
    assert installed.ask("lists", "import", "own-csv", str(OWN)).json["changed"] is False
    other = installed.ask("lists", "import", "own-csv", str(OWN), "--code", "blocked")
    assert (other.json["changed"], other.json["list"]) == (True, "blocked")
    assert active(installed).keys() == {"own", "blocked"}
    text = installed.run("lists", "import", "own-csv", str(OWN))
    assert text.code == 0
    assert "was in force already" in text.out
    for word in PERSONAL:
        assert word not in text.out + other.out


def test_a_cut_file_changes_nothing_says_every_fault_and_is_an_alert(installed: Cli, tmp_path: Path) -> None:
    assert installed.ask("lists", "import", "own-csv", str(OWN)).code == 0
    before = active(installed)
    cut = tmp_path / "cut.csv"
    cut.write_bytes(OWN.read_bytes()[:-20])
    answer = installed.ask("lists", "import", "own-csv", str(cut))
    assert answer.code == 1
    assert answer.json["ok"] is False
    (fault,) = answer.json["faults"]
    assert (fault["file"], fault["place"], fault["code"]) == ("cut.csv", "line 3", "TRUNCATED")
    assert fault["fix"]
    assert active(installed) == before
    assert alerts(installed) == [("list:own", "LIST_NOT_IMPORTED")]
    text = installed.run("lists", "import", "own-csv", str(cut))
    assert (text.code, text.out.startswith("cut.csv line 3: TRUNCATED: ")) == (1, True)
    assert len(text.out.splitlines()) == 1


UN = (DATA / "un_consolidated.xml").read_bytes()
HOSTILE = {
    "EMPTY": b"",
    "TRUNCATED": UN[: len(UN) // 2],
    "DOCTYPE": b'<!DOCTYPE a [<!ENTITY b "bb"><!ENTITY c "&b;&b;&b;">]>' + UN.partition(b"?>")[2],
    "ENCODING": UN.decode().encode("utf-16"),
    "OTHER_FORMAT": b"<html/>",
    "NOT_XML": b"not found",
    "NO_ENTRIES": b"<CONSOLIDATED_LIST/>",
}


@pytest.mark.parametrize("code", HOSTILE)
def test_no_file_however_broken_takes_the_list_in_force_away(code: str, installed: Cli, tmp_path: Path) -> None:
    assert installed.ask("lists", "import", "un-xml", str(DATA / "un_consolidated.xml")).code == 0
    before = active(installed)
    bad = tmp_path / "un.xml"
    bad.write_bytes(HOSTILE[code])
    answer = installed.ask("lists", "import", "un-xml", str(bad))
    assert answer.code == 1
    assert answer.json.keys() == {"ok", "list", "faults"}
    assert (answer.json["ok"], answer.json["list"]) == (False, "un")
    (fault,) = answer.json["faults"]
    assert fault.keys() == {"file", "place", "code", "fix"}
    assert (fault["file"], fault["code"]) == ("un.xml", code)
    assert active(installed) == before

    async def content(opened: Installation) -> bytes:
        return await opened.lists.content("un", before["un"].version)

    assert len(list(unpack("un", before["un"].version, installed.within(content)))) == before["un"].entries
    assert alerts(installed) == [("list:un", "LIST_NOT_IMPORTED")]


def test_a_list_that_lost_many_entries_is_taken_only_when_that_is_said(installed: Cli, tmp_path: Path) -> None:
    large, small = tmp_path / "large.csv", tmp_path / "small.csv"
    large.write_text("name\n" + "".join(f"Jo Doe {number}\n" for number in range(200)), encoding="utf-8")
    small.write_text("name\n" + "".join(f"Jo Doe {number}\n" for number in range(100)), encoding="utf-8")
    assert installed.ask("lists", "import", "own-csv", str(large)).code == 0
    refused = installed.ask("lists", "import", "own-csv", str(small))
    assert (refused.code, refused.json["faults"][0]["code"]) == (1, "SHRUNK")
    assert active(installed)["own"].entries == 200
    assert installed.ask("lists", "import", "own-csv", str(small), "--allow-shrink").code == 0
    assert active(installed)["own"].entries == 100


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("ofac", str(OWN)), "no such format"),
        (("own-csv", "none.csv"), "neither a file nor a folder"),
        (("own-csv", str(OWN), "--code", "Not A Code"), "a code has"),
    ],
)
def test_wrong_use_ends_with_2(installed: Cli, words: tuple[str, ...], said: str) -> None:
    answer = installed.ask("lists", "import", *words)
    assert (answer.code, answer.out) == (2, "")
    assert said in answer.err


def test_a_database_that_is_not_there_ends_with_3(installed: Cli) -> None:
    installed.set(DATABASE_URL="postgresql+asyncpg://nobody@127.0.0.1:9/none")
    answer = installed.ask("lists", "import", "own-csv", str(OWN))
    assert (answer.code, answer.out) == (3, "")
    assert "database could not be reached" in answer.err


def test_faults_are_said_even_when_the_alert_cannot_be_raised(cli: Cli, tmp_path: Path) -> None:
    empty = tmp_path / "empty.csv"
    empty.touch()
    answer = cli.ask("lists", "import", "own-csv", str(empty))
    assert (answer.code, answer.json["faults"][0]["code"]) == (1, "EMPTY")
    assert "no alert was raised" in answer.err


# --- LISTS_DIR


@pytest.fixture
def folder(installed: Cli) -> Path:
    found = installed.folder / "lists"
    shutil.copytree(DATA / "ofac-csv", found / "ofac-csv")
    (found / "own-csv@blocked").mkdir()
    shutil.copy(OWN, found / "own-csv@blocked" / "anything.csv")
    (found / "README.md").write_text("which lists these are", encoding="utf-8")
    (found / "..data").mkdir()
    installed.set(LISTS_DIR=str(found))
    return found


def test_the_first_start_loads_the_folder_and_a_later_one_leaves_what_is_there(installed: Cli, folder: Path) -> None:
    installed.within(load_first_lists)
    assert {code: version.entries for code, version in active(installed).items()} == {"blocked": 2, "ofac-sdn": 20}
    (folder / "own-csv@blocked" / "anything.csv").write_text("name\nJo Doe\n", encoding="utf-8")
    (folder / "own-csv").mkdir()
    shutil.copy(OWN, folder / "own-csv")
    installed.within(load_first_lists)
    assert {code: version.entries for code, version in active(installed).items()} == {
        "blocked": 2,
        "ofac-sdn": 20,
        "own": 2,
    }


def test_a_folder_with_something_that_is_no_list_is_refused_with_every_fault(installed: Cli, folder: Path) -> None:
    (folder / "ofac").mkdir()
    (folder / "sdn.csv").touch()
    shutil.copytree(folder / "own-csv@blocked", folder / "uk-csv@blocked")
    with pytest.raises(ConfigurationError) as caught:
        installed.within(load_first_lists)
    assert [fault.name for fault in caught.value.faults] == [
        "LISTS_DIR ofac",
        "LISTS_DIR sdn.csv",
        "LISTS_DIR uk-csv@blocked",
    ]
    assert active(installed) == {}


def test_a_broken_first_list_keeps_the_installation_from_starting(installed: Cli, folder: Path) -> None:
    (folder / "own-csv@blocked" / "anything.csv").write_bytes(b"name\n\xff\n")
    with pytest.raises(ConfigurationError, match=r"anything\.csv byte 5"):
        installed.within(load_first_lists)
    (folder / "own-csv@blocked" / "anything.csv").unlink()
    with pytest.raises(ConfigurationError, match="own-csv@blocked"):
        installed.within(load_first_lists)
    installed.set(LISTS_DIR=str(installed.folder / "none"))
    with pytest.raises(ConfigurationError, match="LISTS_DIR none"):
        installed.within(load_first_lists)


def test_without_a_folder_there_are_no_lists(installed: Cli) -> None:
    installed.within(load_first_lists)
    assert active(installed) == {}


def test_processes_that_start_at_once_end_with_one_version_each(installed: Cli, folder: Path) -> None:
    async def both(opened: Installation) -> Any:
        await asyncio.gather(load_first_lists(opened), load_first_lists(opened))
        return await opened.lists.kept("ofac-sdn")

    assert len(installed.within(both)) == 1


def matches(cli: Cli, *words: str) -> list[tuple[str, str]]:
    answer = cli.ask("lists", "search", *words)
    assert answer.code == 0, answer.err
    return [(match["list"], match["name"]) for match in answer.json["matches"]]


def test_search_finds_names_and_addresses_in_any_spelling(installed: Cli) -> None:
    assert installed.ask("lists", "import", "own-csv", str(OWN)).code == 0
    pavel, company = ("own", "Pavel Przyklad"), ("own", "Muster, Sons & Co.")
    assert matches(installed, "PRZYKLAD pavel") == [pavel]
    assert matches(installed, "Pawel Primer", "--kind", "person") == [("own", "Pawel Primer")]
    assert matches(installed, "Pavel Przyklad", "--kind", "organisation") == []
    assert matches(installed, "MUSTER sons & co", "--kind", "organisation") == [company]
    for words in (("0x8589427373d6d84e98730d7795d8f6f8731fda16",), ("12jVCWW1ZhTLA5yVnroEJswqKwsfiZKsax",)):
        assert matches(installed, *words, "--kind", "address") == [pavel]
        assert matches(installed, *words) == [pavel]
        assert matches(installed, *words, "--kind", "person") == []
    assert matches(installed, "Pavel Przyklad", "--kind", "address") == []
    (match,) = installed.ask("lists", "search", "Pavel Przyklad").json["matches"]
    assert (match.keys(), match["entry"], match["score"]) == ({"list", "entry", "name", "score", "reason"}, "7", 1.0)
    assert match["reason"]


def test_search_says_it_to_people_and_refuses_other_kinds(installed: Cli) -> None:
    assert installed.ask("lists", "import", "own-csv", str(OWN)).code == 0
    assert "own 7  1.000  Pavel Przyklad: " in installed.run("lists", "search", "Pavel Przyklad").out
    nothing = installed.run("lists", "search", "Nobody Whatever")
    assert (nothing.code, nothing.out) == (0, "nothing in 1 list(s)\n")
    assert installed.run("lists", "search", "Nobody", "--kind", "ship").code == 2


def test_search_for_what_is_no_name_is_wrong_use(installed: Cli) -> None:
    answer = installed.ask("lists", "search", "\u202e")
    assert (answer.code, answer.out) == (2, "")
    assert "at least one letter or digit" in answer.err


def test_search_without_lists_is_no_answer(installed: Cli) -> None:
    answer = installed.ask("lists", "search", "Pavel Przyklad")
    assert (answer.code, answer.json) == (1, {"matches": []})
    assert "no list is in force" in answer.err


def test_a_hub_screens_by_the_lists_of_a_folder(installed: Cli, folder: Path) -> None:
    listed = addresses_of_folder(folder)
    assert listed("0x8589427373d6d84e98730d7795d8f6f8731fda16")
    assert listed("12jVCWW1ZhTLA5yVnroEJswqKwsfiZKsax")
    assert not listed("12jvcww1zhtla5yvnroejswqkwsfizksax")
    (folder / "own-csv@blocked" / "anything.csv").write_bytes(b"name\n\xff\n")
    with pytest.raises(ConfigurationError, match="LISTS_DIR anything"):
        addresses_of_folder(folder)
    assert installed.run("hub", "--listen", "127.0.0.1:0").code == 2
