"""The guides of world files and lists: each block of them is read by the program."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.support.sandbox import sandbox
from travelrule.sandbox.world.world_file import World, load_world
from travelrule.screening.lists.list_importer import import_list

GUIDES = Path(__file__).parents[3] / "docs" / "guides"


def blocks(page: str, mark: str) -> list[tuple[str, str]]:
    """The blocks behind a mark: their language and text."""
    text = (GUIDES / page).read_text(encoding="utf-8")
    return re.findall(rf"<!-- {mark} -->\n```(\w+)\n(.*?)\n```", text, re.DOTALL)


WORLDS = blocks("world-file.md", "world")
FAULTS = blocks("world-file.md", "fault")


@pytest.mark.parametrize(("language", "text"), WORLDS)
def test_each_world_of_the_guide_is_a_world(language: str, text: str, tmp_path: Path) -> None:
    world = read(language, text, tmp_path)
    assert world.members or world.screening.wallets


def test_the_first_world_is_the_same_in_both_languages(tmp_path: Path) -> None:
    assert [language for language, _ in WORLDS[:2]] == ["json", "toml"]
    assert read(*WORLDS[0], tmp_path) == read(*WORLDS[1], tmp_path)


def read(language: str, text: str, folder: Path) -> World:
    path = folder / f"world.{language}"
    path.write_text(text, encoding="utf-8")
    return load_world(path)


@pytest.mark.parametrize(("_", "text"), FAULTS)
async def test_each_fault_of_the_guide_is_accepted(_: str, text: str) -> None:
    world = sandbox()
    answer = await world.fault(**json.loads(text))
    assert answer.status_code == 201, answer.text
    assert len(FAULTS) == 4


async def test_the_member_of_the_guide_is_added() -> None:
    world = sandbox()
    ((_, text),) = blocks("world-file.md", "member")
    answer = await world.client.put("/sandbox/members/east", json=json.loads(text))
    assert (answer.status_code, answer.json()["vaspEntityId"]) == (201, "east")


def test_the_operators_list_of_the_guide_is_imported(tmp_path: Path) -> None:
    ((_, text),) = blocks("lists.md", "operator list")
    path = tmp_path / "own.csv"
    path.write_text(text, encoding="utf-8")
    report = import_list("own-csv", [path], None).report
    assert (report.entries, report.addresses, report.unread_total) == (2, 1, 0)
