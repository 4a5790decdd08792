"""What the generator of JSON Schemas makes of docstrings, other names and patterns."""

from __future__ import annotations

from typing import Annotated, Any

from jsonschema import Draft202012Validator
from pydantic import AliasChoices, Field

from schemas.input_forms import LenientForm, absent, upper
from schemas.json_schema import WireJsonSchema
from schemas.texts import Country, Id, MaybeText
from schemas.wire_model import Wire


class Sample(Wire):
    """A sample
    over two lines with ``code``.
    """

    own_name: Annotated[Id, Field(validation_alias=AliasChoices("ownName", "otherName"))]
    """Meaning of the field
    over two lines with ``code``.
    Example: "x: y"
    """
    country: Annotated[Country | None, absent] = None
    """Where it is."""
    detail: Annotated[Country | None, LenientForm(lambda: None)] = None
    """Evidence only."""
    word: Annotated[MaybeText, upper] = None
    """Any word."""


SCHEMA: dict[str, Any] = Sample.model_json_schema(schema_generator=WireJsonSchema)
VALIDATOR = Draft202012Validator(SCHEMA)


def takes(**fields: Any) -> bool:
    return VALIDATOR.is_valid({"ownName": "x", **fields})


def test_a_docstring_is_description_and_example() -> None:
    assert SCHEMA["description"] == "A sample over two lines with `code`."
    field = SCHEMA["properties"]["ownName"]
    assert (field["description"], field["examples"]) == ("Meaning of the field over two lines with `code`.", ["x: y"])


def test_a_field_may_stand_under_its_other_name() -> None:
    assert VALIDATOR.is_valid({"otherName": "x"})
    assert VALIDATOR.is_valid({"ownName": "x", "otherName": 5}), "not read beside the first name"
    assert not VALIDATOR.is_valid({"otherName": ""})
    assert not VALIDATOR.is_valid({})
    assert "description" in SCHEMA["properties"]["otherName"]


def test_absent_and_left_out_are_what_the_reader_takes() -> None:
    for nothing in (None, "", {}):
        assert takes(country=nothing)
        assert Sample.from_wire({"ownName": "x", "country": nothing}).country is None
    assert takes(detail=[5])
    assert Sample.from_wire({"ownName": "x", "detail": [5]}).detail is None
    assert not takes(country=[])


def test_a_pattern_refuses_a_last_line_break_in_every_dialect() -> None:
    assert takes(country="SE")
    assert not takes(country="SE\n")


def test_what_is_written_is_narrower_than_what_is_read() -> None:
    written = Sample.model_json_schema(schema_generator=WireJsonSchema, mode="serialization")
    assert not Draft202012Validator(written).is_valid({"ownName": "x", "country": ""})


def test_python_names_are_unknown_fields_on_the_wire() -> None:
    read = Sample.from_wire({"ownName": "x", "own_name": 5})
    assert read.own_name == "x"
    assert Sample(own_name="y").own_name == "y"
