"""Rules for a rehearsal: the same expressions and names with shorter times, so that a fault shows within a minute.

A window, an offset and a ``for`` of n seconds become n / ``speed``, at least ``SECONDS_MIN``: enough for a scrape each
second. A limit of age becomes age / ``speed`` within ``AGE_SECONDS``: metrics that a job writes are some seconds
old.
"""

from __future__ import annotations

import re
from dataclasses import replace

from scripts.alert_rules.rule import AlertRule, RecordingRule

SECONDS_MIN = 5
AGE_SECONDS = (20, 30)
DAYS_SECONDS = 100
"""In place of a limit of days: longer than one pass of the check of a small audit."""
UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
_DURATION = re.compile(r"(?<=\[)(\d+)([smhd])(?=\])|(?<=offset )(\d+)([smhd])")


def seconds(duration: str) -> int:
    """Return the seconds of a Prometheus duration with one unit."""
    return int(duration[:-1]) * UNITS[duration[-1]]


def shorter(duration: str, speed: int) -> str:
    """Return a duration divided by ``speed``; none stays none."""
    return f"{max(seconds(duration) // speed, SECONDS_MIN)}s" if duration else ""


def hurried(expression: str, speed: int) -> str:
    """Return an expression with shorter windows and offsets."""
    return _DURATION.sub(lambda found: shorter(found[0], speed), expression)


def rehearsed(rule: AlertRule | RecordingRule, speed: int) -> AlertRule | RecordingRule:
    """Return a rule with shorter times."""
    expr = hurried(rule.expr, speed)
    if isinstance(rule, RecordingRule):
        return replace(rule, expr=expr)
    return replace(
        rule, expr=expr, hold=shorter(rule.hold, speed), keep=shorter(rule.keep, speed), age=_age(rule.age, speed)
    )


def _age(age: int, speed: int) -> int:
    if age >= UNITS["d"]:
        return DAYS_SECONDS
    least, most = AGE_SECONDS
    return min(max(age // speed, least), most)
