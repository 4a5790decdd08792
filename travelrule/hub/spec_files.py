"""Files that an operator writes for the hub: TOML or JSON; all faults are reported at once, with their fixes."""

from __future__ import annotations

import difflib
import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.alias_generators import to_camel
from pydantic_core import ErrorDetails

from travelrule.errors import ConfigurationError, ConfigurationFault
from travelrule.field_fixes import fix_of
from travelrule.given_files import UnreadableError, read_text


class FileSpec(BaseModel):
    """A part of such a file: camelCase names; an unknown name is a fault, mostly a typing error."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        populate_by_name=True,
        alias_generator=to_camel,
        hide_input_in_errors=True,
        use_attribute_docstrings=True,
    )

    def __repr__(self) -> str:
        """Return the class name only: these files hold seeds and persons."""
        return f"<{type(self).__name__}>"

    __str__ = __repr__


AnySpec = TypeVar("AnySpec", bound=FileSpec)


def read_document(path: Path) -> Any:
    """Return the content of a ``.toml`` file, or of any other file as JSON. Raises ``ConfigurationError``."""
    try:
        text = read_text(path)
    except UnreadableError as error:
        raise ConfigurationError(path.name, f"{error.reason}: {path}") from None
    try:
        content = tomllib.loads(text) if path.suffix == ".toml" else json.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError(path.name, f"is no TOML: {error}") from None
    except json.JSONDecodeError as error:
        raise ConfigurationError(
            path.name, f"is no JSON: {error.msg} in line {error.lineno}, column {error.colno}"
        ) from None
    if isinstance(content, dict):
        content.pop("$schema", None)  # for editors
    return content


def parse_spec(model: type[AnySpec], content: Any, name: str) -> AnySpec:
    """Return ``content`` as ``model``.

    Raises ``ConfigurationError`` with every fault; ``name`` precedes the place of each.
    """
    try:
        return model.model_validate(content)
    except ValidationError as error:
        details = error.errors(include_url=False, include_input=False)
        raise ConfigurationError.of(_fault(detail, name) for detail in details) from None


def _fault(detail: ErrorDetails, name: str) -> ConfigurationFault:
    place = name
    for part in detail["loc"]:
        place += f"[{part}]" if isinstance(part, int) else f" {part}" if place == name else f".{part}"
    return ConfigurationFault(place, _fix(detail))


def _fix(detail: ErrorDetails) -> str:
    if detail["type"] != "extra_forbidden":
        return fix_of(detail)
    name, names = str(detail["loc"][-1]), set(_names(FileSpec))
    if name in names:
        return "is not known here: move or remove it"
    near = difflib.get_close_matches(name, names, n=1)
    return f"is not known: did you mean {near[0]}?" if near else fix_of(detail)


def _names(model: type[FileSpec]) -> Iterator[str]:
    for below in model.__subclasses__():
        yield from (info.alias or name for name, info in below.model_fields.items())
        yield from _names(below)
