"""Faults of an object against the tables of `object_rules`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from travelrule.identity.fault import PayloadFault
from travelrule.identity.json_fields import is_absent
from travelrule.identity.object_rules import Items, Object, Rule, Text


def value_faults(value: Any, rule: Rule, path: str, *, sending: bool) -> Iterator[PayloadFault]:
    """Yield the faults of one value. ``sending``: also those that a receiver accepts."""
    match rule:
        case Text():
            yield from _check_text(value, rule, path, sending=sending)
        case Items():
            if not isinstance(value, list):
                yield PayloadFault(path, "WRONG_TYPE", "must be a JSON array")
                return
            for place, item in enumerate(value):
                yield from value_faults(item, rule.of, f"{path}[{place}]", sending=sending)
        case Object():
            yield from _check_object(value, rule, path, sending=sending)


def _check_object(value: Any, rule: Object, path: str, *, sending: bool) -> Iterator[PayloadFault]:
    if not isinstance(value, dict):
        yield PayloadFault(path, "WRONG_TYPE", "must be a JSON object")
        return
    for name in (*rule.required, *(rule.wanted if sending else ())):
        if is_absent(value.get(name)):
            yield PayloadFault(f"{path}.{name}", "MISSING_FIELD", "add the field")
    for name, inner in rule.fields.items():
        if is_absent(value.get(name)):
            continue
        if sending and name in rule.excluded:
            yield PayloadFault(f"{path}.{name}", "UNEXPECTED_FIELD", rule.excluded[name])
        yield from value_faults(value[name], inner, f"{path}.{name}", sending=sending)


def _check_text(value: Any, rule: Text, path: str, *, sending: bool) -> Iterator[PayloadFault]:
    if isinstance(value, bool | int) and not sending:
        value = str(value)  # some peers omit the quotes
    if not isinstance(value, str):
        yield PayloadFault(path, "WRONG_TYPE", "must be a JSON string")
        return
    compared = value if sending else value.upper()  # values are compared without case on reading
    if rule.choices:
        if compared not in rule.choices:
            yield PayloadFault(path, "INVALID_VALUE", f"must be one of {', '.join(sorted(rule.choices))}")
        return
    if len(value) < rule.low:
        yield PayloadFault(path, "MISSING_FIELD", "must not be empty")
    elif rule.high is not None and len(value) > rule.high:
        yield PayloadFault(path, "TOO_LONG", f"at most {rule.high} characters")
    elif "\n" in value or "\r" in value:
        yield PayloadFault(path, "SEVERAL_LINES", "must be on one line")
    elif rule.form and not rule.form(compared) and (sending or rule.form_code != "INVALID_NAME"):
        yield PayloadFault(path, rule.form_code, rule.form_fix)
