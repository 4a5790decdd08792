"""JSON Schema of ``settings``: the fields of ``travelrule.settings``, by the names of docs/generated/settings.md.

Secrets, files and listen addresses are accepted here in any form, because a template refuses each with a sentence.
"""

from __future__ import annotations

from ipaddress import IPv4Network
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from pydantic.fields import FieldInfo

from scripts.chart_values.parts import Schema, closed
from travelrule.environment import FILE_SUFFIX
from travelrule.setting_types import HostPort
from travelrule.settings import Settings

_TEXT: Schema = {"type": "string"}
_FORMS: dict[str, Schema] = {
    "broker_url": {"type": "string", "pattern": r"^(kafka://[^,:/]+:[0-9]+(,[^,:/]+:[0-9]+)*|embedded://|)$"},
    "hub_url": {"type": "string", "pattern": r"^(https?://[^/]+.*|)$"},
    "public_url": {"type": "string", "pattern": r"^(https?://[^/]+.*|)$"},
    "builder_url": {"type": "string", "pattern": r"^(https?://[^/]+.*|)$"},
}
"""Settings whose form pydantic checks with a function."""


def settings_schema() -> Schema:
    """The schema of one ``settings`` object."""
    properties = {name.upper(): _form(name, field) for name, field in Settings.model_fields.items()}
    properties |= {f"{name}{FILE_SUFFIX}": {} for name in Settings.secret_names()}
    return closed(dict(sorted(properties.items())))


def _form(name: str, field: FieldInfo) -> Schema:
    kinds = _kinds(field.annotation)
    if name.upper() in Settings.secret_names() or kinds & {Path, HostPort}:
        return {}
    described = {"description": field.description or ""}
    if name in _FORMS:
        return _FORMS[name] | described
    if choices := [one for kind in kinds if get_origin(kind) is Literal for one in get_args(kind)]:
        return {"type": "string", "enum": [*choices, ""]} | described
    if bool in kinds:
        return {"type": "boolean"} | described
    if int in kinds:
        least = next((mark.ge for mark in field.metadata if hasattr(mark, "ge")), 0)
        return {"type": "integer", "minimum": least} | described
    if IPv4Network in kinds:
        network = r"[0-9a-fA-F.:]+(/[0-9]+)?"
        text = {"type": "string", "pattern": rf"^({network}(,{network})*)?$"}
        return {"anyOf": [text, {"type": "array", "items": {"type": "string", "pattern": rf"^{network}$"}}]} | described
    return _TEXT | _pattern(field) | described


def _kinds(annotation: Any) -> set[Any]:
    """The types of an annotation, without its wrappers; a ``Literal`` is one type."""
    if get_origin(annotation) is Literal or not get_args(annotation):
        return {annotation}
    return {kind for part in get_args(annotation) for kind in _kinds(part)}


def _pattern(field: FieldInfo) -> Schema:
    """The pattern of a text; empty means not set."""
    marks = [*field.metadata]
    for part in get_args(field.annotation):
        marks += getattr(part, "__metadata__", ())
    for mark in marks:
        for one in (mark, *getattr(mark, "metadata", ())):
            if pattern := getattr(one, "pattern", None):
                return {"pattern": f"^({pattern.removeprefix('^').removesuffix('$')}|)$"}
    return {}
