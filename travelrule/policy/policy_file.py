"""The policy file: TOML in, a policy or all of its faults out."""

from __future__ import annotations

import difflib
import tomllib
import typing
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from travelrule.field_fixes import fix_of
from travelrule.policy import decisions
from travelrule.policy.causes import VERDICTS, Cause
from travelrule.policy.policy import Policy
from travelrule.policy.sections import SUBJECT_DAYS_MIN, TimeLimits

CODES = {
    "extra_forbidden": "UNKNOWN_NAME",
    "literal_error": "UNKNOWN_VALUE",
    "enum": "UNKNOWN_VALUE",
    "greater_than_equal": "OUT_OF_RANGE",
    "less_than_equal": "OUT_OF_RANGE",
}


WAITS = {
    "status_search_every": "status_search_limit",
    "search_poll": "search_limit",
    "unreachable_retry": "unreachable_limit",
    "kyt_poll": "kyt_limit",
    "ownership_poll": "ownership",
}
"""Each wait between two tries, and the limit of the tries."""

NEVER_OF_DEPOSITS = frozenset(
    {
        Cause.DENIED_CORRECTABLE,
        Cause.DENIED,
        Cause.ADDRESS_NOT_FOUND,
        Cause.ASSET_NOT_LISTED,
        Cause.COUNTERPARTY_FOUND,
        Cause.COUNTERPARTY_UNKNOWN,
        Cause.COUNTERPARTY_AMBIGUOUS,
        Cause.NOT_FIRST_PARTY,
        Cause.OWNERSHIP_NOT_PROVEN,
    }
)
"""Causes of withdrawals only: a policy for deposits could not affect them."""


@dataclass(frozen=True, slots=True)
class PolicyFault:
    """One fault of a policy file: where (dotted path), a stable code, what to write instead."""

    field: str
    code: str
    fix: str


class PolicyFaults(ValueError):  # noqa: N818  named after what it carries
    """The file is not a policy. ``faults`` holds every fault, in the order of the file's tables."""

    def __init__(self, faults: tuple[PolicyFault, ...]) -> None:
        super().__init__("; ".join(f"{fault.field or 'file'}: {fault.code} ({fault.fix})" for fault in faults))
        self.faults = faults


def read(text: str) -> Policy:
    """Read a policy from TOML; raises ``PolicyFaults``."""
    try:
        content = tomllib.loads(text, parse_float=Decimal)
    except tomllib.TOMLDecodeError as error:
        raise PolicyFaults((PolicyFault("", "NOT_TOML", str(error)),)) from None
    try:
        policy = Policy.model_validate(content)
    except ValidationError as error:
        raise PolicyFaults(tuple(_fault(detail) for detail in error.errors())) from None
    if faults := tuple(contradictions(policy)):
        raise PolicyFaults(faults)
    return policy


def contradictions(policy: Policy) -> Iterator[PolicyFault]:
    """Yield rules that contradict each other."""
    for entity in sorted(set(policy.allow_list) & set(policy.deny_list)):
        yield PolicyFault("deny_list", "CONTRADICTION", f"{entity} is also in allow_list: remove it from one of them")
    for origin in policy.accept_origins:
        if origin.rpartition(":")[2] in policy.deny_list:
            yield PolicyFault(
                "deny_list", "CONTRADICTION", f"{origin} is in accept_origins: remove it from one of them"
            )
    for entity in sorted(set(policy.answers.vasps) & set(policy.deny_list)):
        yield PolicyFault(
            f"answers.vasps.{entity}", "CONTRADICTION", f"{entity} is in deny_list: remove it from one of them"
        )
    yield from _moved(policy)
    if policy.operator_limits and not policy.operator_override:
        yield PolicyFault("operator_limits", "CONTRADICTION", "set operator_override = true, or remove the limits")
    for field, fix in decisions.contradictions(policy.decisions):
        yield PolicyFault(field, "CONTRADICTION", fix)
    if 0 < policy.retention.subjects < SUBJECT_DAYS_MIN:
        fix = f"at least {SUBJECT_DAYS_MIN} days, or 0 for ever; most laws want 5 years (1825)"
        yield PolicyFault("retention.subjects", "OUT_OF_RANGE", fix)
    for currency in policy.report_moments:
        if policy.assets and currency not in policy.assets:
            yield PolicyFault(f"report_moments.{currency}", "CONTRADICTION", f"{currency} is not in [assets]")
    yield from _out_of_time(policy.time_limits)


def _moved(policy: Policy) -> Iterator[PolicyFault]:
    for table, verdicts in (("verdicts", policy.verdicts), ("deposit_verdicts", policy.deposit_verdicts)):
        for cause, word in verdicts.items():
            row = VERDICTS[cause]
            if word not in row.movable:
                allowed = " or ".join(row.movable) if row.movable else f"leave it out: it is always {row.verdict}"
                yield PolicyFault(f"{table}.{cause.value}", "NOT_MOVABLE", allowed)
    for cause in policy.deposit_verdicts:
        if cause in NEVER_OF_DEPOSITS:
            yield PolicyFault(
                f"deposit_verdicts.{cause.value}", "CONTRADICTION", "no deposit has this cause: use [verdicts]"
            )


def _out_of_time(limits: TimeLimits) -> Iterator[PolicyFault]:
    """Yield waits longer than their limit: nothing would be tried a second time."""
    for wait, limit in WAITS.items():
        if getattr(limits, wait) > getattr(limits, limit):
            yield PolicyFault(f"time_limits.{wait}", "CONTRADICTION", f"at most time_limits.{limit}, or raise that one")


def _fault(detail: ErrorDetails) -> PolicyFault:
    where = tuple(str(part) for part in detail["loc"] if part != "[key]")
    code = CODES.get(detail["type"], "INVALID_VALUE")
    fix = _suggestion(where) if code == "UNKNOWN_NAME" else fix_of(detail)
    return PolicyFault(".".join(where), code, fix)


def _suggestion(where: tuple[str, ...]) -> str:
    names = _names_at(where[:-1])
    close = difflib.get_close_matches(where[-1], names, n=1)
    return f"did you mean {close[0]}?" if close else f"one of: {', '.join(names)}"


def _names_at(path: tuple[str, ...]) -> list[str]:
    """Return the names that the table at this path may hold."""
    form: Any = Policy
    for part in path:
        form = form.model_fields[part].annotation if _is_model(form) else typing.get_args(form)[1]
    return sorted(form.model_fields)


def _is_model(form: Any) -> bool:
    return isinstance(form, type) and issubclass(form, BaseModel)
