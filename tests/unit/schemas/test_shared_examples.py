"""The network's published example messages, read where they stand: the project does not carry them."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator

from schemas.ivms101 import Ivms101

EXAMPLES_PUBLISHED = 11

pytestmark = pytest.mark.shared


@pytest.fixture
def folder() -> Path:
    root = os.environ.get("TRAVELRULE_TEST_SHARED")
    if not root:
        pytest.fail("set TRAVELRULE_TEST_SHARED to the folder that holds protocol/ivms101")
    return Path(root) / "protocol" / "ivms101"


@pytest.fixture
def examples(folder: Path) -> dict[str, Any]:
    paths = sorted(folder.glob("*example*.json"))
    return {path.name: json.loads(path.read_text(encoding="utf-8")) for path in paths}


def test_all_published_examples_are_there(examples: dict[str, Any]) -> None:
    assert len(examples) == EXAMPLES_PUBLISHED


def test_no_known_field_is_lost_in_reading_and_writing(examples: dict[str, Any]) -> None:
    for name, sent in examples.items():
        assert Ivms101.model_validate(sent).to_wire() == sent, name


def test_what_we_write_passes_the_published_schema(folder: Path, examples: dict[str, Any]) -> None:
    schema = json.loads((folder / "json-schema.json").read_text(encoding="utf-8"))
    for name, sent in examples.items():
        relaxed = Draft7Validator({**schema, "required": sorted(sent)})
        relaxed.validate(Ivms101.model_validate(sent).to_wire())
        assert relaxed.is_valid(sent), name
