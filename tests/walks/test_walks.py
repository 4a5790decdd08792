"""The page of walks is what runs, and what ARCHITECTURE.md names is on the walks."""

import re

import pytest

from tests.walks.__main__ import PAGE, recorded
from tests.walks.journeys import WALKS
from tests.walks.recorder import ROOT

OUTSIDE = {
    "agents/deposits.py",
    "agents/txids.py",
    "agents/withdrawals.py",
    "streams/codec.py",
    "travelrule/engine/intake.py",
    "travelrule/engine/outbox/relay.py",
}
"""Before and after the recorded part: Kafka in, Kafka out."""


@pytest.mark.parametrize("title", WALKS)
def test_the_page_holds_what_runs(title: str) -> None:
    assert recorded(title) in PAGE.read_text(encoding="utf-8"), "run make docs"


@pytest.mark.parametrize("title", WALKS)
def test_the_short_walk_names_files_of_the_long_one(title: str) -> None:
    short = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8").partition(f"### {title}\n")[2].partition("\n#")[0]
    named = set(re.findall(r"`((?:travelrule|streams|agents|schemas)/[a-z0-9_/]+\.py)`", short))
    assert named, "the walk is told in ARCHITECTURE.md, file by file"
    entered = set(re.findall(r"- `([^`]+)`", recorded(title)))
    assert {name for name in named if not (ROOT / name).is_file()} == set()
    assert named - entered <= OUTSIDE
