"""The policy file's form: TOML in, a policy or all of its faults out."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from travelrule.policy.causes import VERDICTS
from travelrule.policy.policy import Policy
from travelrule.policy.sections import (
    SUBJECT_DAYS_MIN,
    Asset,
    Exemptions,
    Names,
    Retention,
    Screening,
    Searches,
    TimeLimits,
)

SECTIONS: dict[str, type[BaseModel]] = {
    "exemptions": Exemptions,
    "names": Names,
    "retention": Retention,
    "screening": Screening,
    "searches": Searches,
    "time_limits": TimeLimits,
}

CODES = {
    "extra_forbidden": "UNKNOWN_NAME",
    "literal_error": "UNKNOWN_VALUE",
    "enum": "UNKNOWN_VALUE",
    "greater_than_equal": "OUT_OF_RANGE",
    "less_than_equal": "OUT_OF_RANGE",
}


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault of a policy file: where (dotted path), a stable code, what to write instead."""

    field: str
    code: str
    fix: str


class PolicyFaults(ValueError):  # noqa: N818  named after what it carries
    """The file is not a policy. ``faults`` holds every fault, in the order of the file's tables."""

    def __init__(self, faults: tuple[Fault, ...]) -> None:
        super().__init__("; ".join(f"{fault.field or 'file'}: {fault.code} ({fault.fix})" for fault in faults))
        self.faults = faults


def read(text: str) -> Policy:
    """Read a policy from TOML; raises ``PolicyFaults``."""
    try:
        content = tomllib.loads(text, parse_float=Decimal)
    except tomllib.TOMLDecodeError as error:
        raise PolicyFaults((Fault("", "NOT_TOML", str(error)),)) from None
    try:
        policy = Policy.model_validate(content)
    except ValidationError as error:
        raise PolicyFaults(tuple(_fault(detail) for detail in error.errors())) from None
    if faults := tuple(contradictions(policy)):
        raise PolicyFaults(faults)
    return policy


def contradictions(policy: Policy) -> Iterator[Fault]:
    """Name the rules that are well-formed but cannot mean anything together."""
    for entity in sorted(set(policy.allow_list) & set(policy.deny_list)):
        yield Fault("deny_list", "CONTRADICTION", f"{entity} is also in allow_list: remove it from one of them")
    for cause, word in policy.verdicts.items():
        movable = VERDICTS[cause].movable
        if word not in movable:
            allowed = " or ".join(movable) if movable else f"leave it out: it is always {VERDICTS[cause].verdict}"
            yield Fault(f"verdicts.{cause.value}", "NOT_MOVABLE", allowed)
    if policy.operator_limits and not policy.operator_override:
        yield Fault("operator_limits", "CONTRADICTION", "set operator_override = true, or remove the limits")
    if 0 < policy.retention.subjects < SUBJECT_DAYS_MIN:
        fix = f"at least {SUBJECT_DAYS_MIN} days, or 0 for ever; most laws want 5 years (1825)"
        yield Fault("retention.subjects", "OUT_OF_RANGE", fix)
    for currency in policy.report_moments:
        if policy.assets and currency not in policy.assets:
            yield Fault(f"report_moments.{currency}", "CONTRADICTION", f"{currency} is not in [assets]")


def _fault(detail: ErrorDetails) -> Fault:
    where = tuple(str(part) for part in detail["loc"] if part != "[key]")
    code = CODES.get(detail["type"], "INVALID_VALUE")
    fix = _suggestion(where) if code == "UNKNOWN_NAME" else detail["msg"]
    return Fault(".".join(where), code, fix)


def _suggestion(where: tuple[str, ...]) -> str:
    names = _names_at(where[:-1])
    close = difflib.get_close_matches(where[-1], names, n=1)
    return f"did you mean {close[0]}?" if close else f"one of: {', '.join(names)}"


def _names_at(path: tuple[str, ...]) -> list[str]:
    model: Any = Policy
    if path:
        model = Asset if path[0] == "assets" else SECTIONS.get(path[0], Policy)
    return sorted(model.model_fields)
