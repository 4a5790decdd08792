"""The world file's schema and page: every key is described, every example works, schema and program agree."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from pydantic import BaseModel, TypeAdapter

from scripts.world_page import sections, world_schema
from tests.support.sandbox import listed
from tests.unit.sandbox.test_world import CONTRACT
from travelrule.errors import ConfigurationError
from travelrule.hub.members.network_file import NetworkFile
from travelrule.hub.spec_files import FileSpec
from travelrule.sandbox.faults.fault_spec import FaultSpec
from travelrule.sandbox.world.world_file import World, load_world, parse_world

SCHEMA = world_schema()
VALIDATOR = Draft202012Validator(SCHEMA)


def models() -> Iterator[type[BaseModel]]:
    """Every part of a world file."""
    waiting: list[type[BaseModel]] = list(FileSpec.__subclasses__())
    for model in waiting:
        waiting += model.__subclasses__()
        if model not in (FaultSpec, NetworkFile) and model.__module__.startswith(
            ("travelrule.hub", "travelrule.sandb")
        ):
            yield model


def test_every_key_says_what_it_means_and_has_an_example() -> None:
    rows = [row for _, meaning, rows in sections(SCHEMA) for row in rows if meaning]
    assert len(rows) > 60
    for path, kind, default, meaning, example in rows:
        assert all((path, kind, default, example)), path
        assert meaning.endswith((".", ".)")), path
        assert meaning[0].isupper() or meaning[0] == "`", path


def test_every_part_of_the_file_is_on_the_page() -> None:
    described = {path for path, _, _ in sections(SCHEMA)}
    assert described >= {"members[].robot.withdrawals[]", "screening.kyt.<KEY>", "coinNetworks[].networkList[]", "hub"}


@pytest.mark.parametrize("model", list(models()), ids=lambda model: model.__name__)
def test_every_example_is_taken(model: type[BaseModel]) -> None:
    for name, info in model.model_fields.items():
        schema = TypeAdapter(model).json_schema(by_alias=True)
        form = schema.get("properties", {}).get(info.alias or name, {})
        for example in form.get("examples", ()):
            alone: Any = TypeAdapter(info.rebuild_annotation())
            assert alone.validate_python(example) is not None


def agree(content: Any) -> bool:
    """Whether schema and program say the same, and what."""
    taken = VALIDATOR.is_valid(content)
    try:
        parse_world(content)
    except ConfigurationError:
        assert not taken, "the schema takes what the program refuses"
        return False
    assert taken, [error.message for error in VALIDATOR.iter_errors(content)]
    return True


def test_schema_and_program_take_the_same_files(request: pytest.FixtureRequest) -> None:
    example = json.loads((request.config.rootpath / "examples" / "world.json").read_text(encoding="utf-8"))
    assert agree(CONTRACT)
    assert agree(example)
    assert agree({})
    robot = listed("a", robot={"wallets": [{"address": "r", "currency": "X", "owner": {"natural": {"lastName": "L"}}}]})
    assert agree({"members": [robot]})


@pytest.mark.parametrize(
    "content",
    [
        {"memberz": []},
        {"members": [{"vaspEntityId": "a b", "vaspLegalName": "A", "countryOfRegistration": "DE"}]},
        {"members": [{"vaspEntityId": "a"}]},
        {"members": [listed("a", robot={"answers": "maybe"})]},
        {"members": [listed("a", robot={"delaySeconds": -1})]},
        {"members": [listed("a", robot={"wallets": [{"address": "r", "currency": "X", "owner": 5}]})]},
        {"members": [listed("a", robot={"wallets": [{"address": "r", "currency": "X"}]})]},
        {"screening": {"wallets": {"r": {"category": "RED"}}}},
        {"rateLimitPerMinute": -1},
        {"memberTimeoutSeconds": 0},
        {"coinNetworks": [{"coin": "", "networkList": []}]},
        [],
    ],
    ids=str,
)
def test_schema_and_program_refuse_the_same_files(content: Any) -> None:
    assert not agree(content)


def test_a_file_may_name_its_schema(tmp_path: Path) -> None:
    file = tmp_path / "world.json"
    file.write_text('{"$schema": "world.schema.json", "rateLimitPerMinute": 3}', encoding="utf-8")
    assert load_world(file).rate_limit_per_minute == 3
    assert VALIDATOR.is_valid(json.loads(file.read_text(encoding="utf-8")))
    assert World.model_json_schema()["additionalProperties"] is False
