"""The rows of ``docs/generated/policy.md``: each rule of the policy's models, with its meaning, values and default."""

from __future__ import annotations

import typing
from collections.abc import Iterator
from typing import Annotated, Any, Literal

from annotated_types import Ge, Le
from pydantic import AwareDatetime, BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from travelrule.policy.policy import Policy

Row = tuple[str, str, str, str]

NAMES: dict[Any, str] = {
    str: "text",
    bool: "true or false",
    int: "whole number",
    AwareDatetime | None: "time with its zone, for example 2027-01-31T00:00:00Z",
}


def policy_rows() -> list[Row]:
    """Return a row for every rule, those of a table after the table itself."""
    return list(_rows("", Policy))


def _rows(path: str, model: type[BaseModel]) -> Iterator[Row]:
    for name, field in model.model_fields.items():
        form = field.annotation
        here = f"{path}{name}"
        inner = _arguments(form)[1] if typing.get_origin(form) is dict else None
        if _is_model(form):
            yield (f"`[{here}]`", _meaning(form.__doc__), "", "")
            yield from _rows(f"{here}.", form)
        elif _is_model(inner):
            yield (f"`[{here}.<NAME>]`", f"{_meaning(field.description)} {_meaning(inner.__doc__)}", "", "none")
            yield from _rows(f"{here}.<NAME>.", inner)
        elif inner is not None:
            yield (f"`{here}.<NAME>`", _meaning(field.description), _values(inner, ()), "none")
        else:
            yield (f"`{here}`", _meaning(field.description), _values(form, field.metadata), _default(field))


def _meaning(text: str | None) -> str:
    if not text:
        raise ValueError("every rule says what it means")
    return " ".join(text.split()).replace("``", "`").replace("|", "\\|")


def _values(form: Any, more: typing.Sequence[Any]) -> str:
    origin = typing.get_origin(form)
    if origin is Annotated:
        base, *metadata = typing.get_args(form)
        return _values(base, _flat(metadata))
    if origin is Literal:
        return ", ".join(f"`{word}`" for word in typing.get_args(form))
    if origin is tuple:
        return f"list of {_values(typing.get_args(form)[0], ())}"
    low = next((one.ge for one in _flat(more) if isinstance(one, Ge)), None)
    high = next((one.le for one in _flat(more) if isinstance(one, Le)), None)
    limits = f" {low} to {high}" if high is not None else f" from {low} on" if low is not None else ""
    return f"{NAMES.get(form, 'number')}{limits}"


def _flat(metadata: typing.Sequence[Any]) -> list[Any]:
    """Return all constraints, including those inside ``Field(...)``."""
    return [one for item in metadata for one in (item.metadata if isinstance(item, FieldInfo) else [item])]


def _default(field: FieldInfo) -> str:
    value = field.default
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if value is PydanticUndefined:
        return "required"
    if value is None:
        return "none"
    if isinstance(value, tuple):
        return ", ".join(f"`{one}`" for one in value) or "none"
    return f"`{value}`"


def _arguments(form: Any) -> tuple[Any, ...]:
    return typing.get_args(form)


def _is_model(form: Any) -> bool:
    return isinstance(form, type) and issubclass(form, BaseModel)
