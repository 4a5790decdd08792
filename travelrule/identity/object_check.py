"""Walks an object along its rules and names every fault."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from travelrule.identity.fault import Fault
from travelrule.identity.object_rules import Items, Object, Rule, Text


def is_absent(value: Any) -> bool:
    """Say whether a value means "nothing": null, ``""``, ``{}`` or ``[]`` (ivms101.md section 2)."""
    return value is None or value in ("", {}, [])


def says_something(value: Any) -> bool:
    """Say whether anything inside is not absent. The caller bounds the depth."""
    if isinstance(value, dict):
        return any(map(says_something, value.values()))
    if isinstance(value, list):
        return any(map(says_something, value))
    return not is_absent(value)


def present(holder: Any, name: str) -> Any:
    """Return a field of an object, None if it is absent or if the holder is no object."""
    value = holder.get(name) if isinstance(holder, dict) else None
    return None if is_absent(value) else value


def items(holder: Any, name: str) -> list[Any]:
    """Return the items of an array field; none if it is absent or no array."""
    value = present(holder, name)
    return value if isinstance(value, list) else []


def check(value: Any, rule: Rule, path: str, *, sending: bool) -> Iterator[Fault]:
    """Name the faults of one value. ``sending``: also what a receiver would overlook."""
    match rule:
        case Text():
            yield from _check_text(value, rule, path, sending=sending)
        case Items():
            if not isinstance(value, list):
                yield Fault(path, "WRONG_TYPE", "must be a JSON array")
                return
            for place, item in enumerate(value):
                yield from check(item, rule.of, f"{path}[{place}]", sending=sending)
        case Object():
            yield from _check_object(value, rule, path, sending=sending)


def _check_object(value: Any, rule: Object, path: str, *, sending: bool) -> Iterator[Fault]:
    if not isinstance(value, dict):
        yield Fault(path, "WRONG_TYPE", "must be a JSON object")
        return
    for name in (*rule.required, *(rule.wanted if sending else ())):
        if is_absent(value.get(name)):
            yield Fault(f"{path}.{name}", "MISSING_FIELD", "add the field")
    for name, inner in rule.fields.items():
        if is_absent(value.get(name)):
            continue
        if sending and name in rule.excluded:
            yield Fault(f"{path}.{name}", "UNEXPECTED_FIELD", rule.excluded[name])
        yield from check(value[name], inner, f"{path}.{name}", sending=sending)


def _check_text(value: Any, rule: Text, path: str, *, sending: bool) -> Iterator[Fault]:
    if isinstance(value, bool | int) and not sending:
        value = str(value)  # sloppy peers forget the quotes
    if not isinstance(value, str):
        yield Fault(path, "WRONG_TYPE", "must be a JSON string")
        return
    compared = value if sending else value.upper()  # values are compared without case on reading
    if rule.choices:
        if compared not in rule.choices:
            yield Fault(path, "INVALID_VALUE", f"must be one of {', '.join(sorted(rule.choices))}")
        return
    if len(value) < rule.low:
        yield Fault(path, "MISSING_FIELD", "must not be empty")
    elif rule.high is not None and len(value) > rule.high:
        yield Fault(path, "TOO_LONG", f"at most {rule.high} characters")
    elif "\n" in value or "\r" in value:
        yield Fault(path, "SEVERAL_LINES", "must be on one line")
    elif rule.form and not rule.form(compared) and (sending or rule.form_code != "INVALID_NAME"):
        yield Fault(path, rule.form_code, rule.form_fix)
