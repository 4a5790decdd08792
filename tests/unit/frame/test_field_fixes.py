"""No sentence of the validation library reaches an operator: each wrong field is answered in our own words."""

from __future__ import annotations

import math
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from travelrule.errors import ConfigurationError
from travelrule.field_fixes import fix_of
from travelrule.hub.members.network_file import NetworkFile
from travelrule.hub.spec_files import FileSpec
from travelrule.identity import profile
from travelrule.policy.policy import Policy
from travelrule.policy.policy_file import PolicyFaults
from travelrule.policy.sections import PolicyTable
from travelrule.sandbox.faults.fault_spec import FaultSpec
from travelrule.sandbox.world.world_file import World, parse_world
from travelrule.settings import Settings

THEIRS = ("Input should", "Value error", "String should", "Field required", "List should", "Tuple should", "unable to")
ODD: list[Any] = [None, True, "", " ", "x", "é\x00", "x" * 400, "-1", 3.5, math.nan, math.inf, -1, 10**12, [], [1]]
ODD += [["x"] * 500, {}, {"x": 1}, {"x": {}}, {1: 2}, Decimal("NaN"), Decimal("1E+400"), object()]


def models() -> Iterator[type[BaseModel]]:
    """Every model of a file or of the settings."""
    yield from (Settings, Policy, World, NetworkFile, FaultSpec)
    for root in (FileSpec, PolicyTable, profile.ProfileTable):
        yield from _below(root)


def _below(root: type[BaseModel]) -> Iterator[type[BaseModel]]:
    for model in root.__subclasses__():
        yield model
        yield from _below(model)


def wrong() -> Iterator[ErrorDetails]:
    """The library's message about every field of every model for an odd value."""
    for model in set(models()):
        for name, info in model.model_fields.items():
            # The values of settings come as texts.
            for value in (one for one in ODD if model is not Settings or isinstance(one, str)):
                try:
                    model.model_validate({info.alias or name: value})
                except ValidationError as error:
                    yield from error.errors()


def test_every_standard_fault_is_put_in_our_words() -> None:
    # That a default waits for another field is never shown: the other field is.
    found = [detail for detail in wrong() if detail["type"] != "default_factory_not_called"]
    assert len({detail["type"] for detail in found}) > 15, "the odd values find too little"
    for detail in found:
        fix = fix_of(detail)
        assert fix == fix.strip() != "", detail
        assert not any(theirs in fix for theirs in THEIRS), (detail["type"], fix)
        assert "not what is allowed here" not in fix, f"{detail['type']} has no words of its own"


@pytest.mark.parametrize(
    ("text", "fix"),
    [
        ('operator_override = "perhaps"', "must be true or false"),
        ('report_moment = "now"', "must be one of 'broadcast', 'mined' or 'final'"),
        ("[time_limits]\nparked = 0", "must be 1 or more"),
        ("[time_limits]\nparked = 99999999999", "must be 31536000 or less"),
        ("[time_limits]\nparked = 1.5", "must be a whole number"),
        ("[time_limits]\nparked = 'ten'", "must be a whole number"),
        ('[operator_limits]\nUSD = "ten"', "must be a decimal number"),
        ('deny_list = "north"', "must be a list"),
        ("deny_list = [1]", "must be a text in quotes"),
        ("names = 1", "must be a table or an object with named fields"),
        ("assets = 1", "must be a table or an object with named fields"),
    ],
)
def test_a_policy_file_is_refused_in_our_words(text: str, fix: str) -> None:
    with pytest.raises(PolicyFaults) as refused:
        Policy.from_toml(text)
    assert [fault.fix for fault in refused.value.faults] == [fix]


def test_a_world_a_profile_and_settings_are_refused_in_our_words(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError) as world:
        parse_world({"members": 5, "rateLimitPerMinute": -1, "allowHttpCallbacks": "maybe"})
    assert {(fault.name, fault.fix) for fault in world.value.faults} == {
        ("world members", "must be a list"),
        ("world rateLimitPerMinute", "must be 0 or more"),
        ("world allowHttpCallbacks", "must be true or false"),
    }
    with pytest.raises(ConfigurationError) as own:
        profile.VaspProfile.from_toml('legal_name = "N"\ncountry_of_registration = "SG"\naddress = 1')
    assert [(fault.name, fault.fix) for fault in own.value.faults] == [("VASP_PROFILE_FILE address", "must be a table")]
    with pytest.raises(ConfigurationError) as settings:
        Settings.load(
            {
                "TRAVELRULE_LOG_LEVEL": "loud",
                "TRAVELRULE_HEALTH_REFRESH_SECONDS": "0",
                "TRAVELRULE_VASP_ENTITY_ID": "a b",
            }
        )
    told = {fault.name.removeprefix("TRAVELRULE_"): fault.fix for fault in settings.value.faults}
    assert told["LOG_LEVEL"] == "must be one of 'debug', 'info', 'warning' or 'error'"
    assert told["HEALTH_REFRESH_SECONDS"] == "must be 1 or more"
    assert told["VASP_ENTITY_ID"].startswith("must be 1 to 128 letters, digits, dots, dashes and underscores")
