"""What a rule file consists of, and the two aggregations that all rules use.

Every rule aggregates by ``namespace`` and ``job``, which keeps several installations apart; ``namespace`` is empty
where Prometheus does not set it. No rule names a job.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

INSTALLATION = ("namespace", "job")
"""The labels of one installation, or of one of its roles where each role is scraped as a job of its own."""

Severity = Literal["critical", "warning"]
"""``critical``: a person is needed now. ``warning``: during the day."""


@dataclass(frozen=True, slots=True)
class AlertRule:
    """One alert. ``hold`` is how long ``expr`` holds before it fires, ``keep`` how long it fires after that ended.

    ``AGE`` in ``expr`` is ``age``, a limit in seconds of how long something may wait: a rehearsal waits less.
    ``summary`` is one line without values; ``description`` names what to read next. Both are Prometheus templates.
    """

    name: str
    severity: Severity
    expr: str
    summary: str
    description: str
    hold: str = ""
    keep: str = ""
    age: int = 0

    @property
    def condition(self) -> str:
        """The expression with its limit of age."""
        return self.expr.replace("AGE", str(self.age))


@dataclass(frozen=True, slots=True)
class RecordingRule:
    """One recorded series."""

    record: str
    expr: str
    labels: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class RuleGroup:
    """Rules that are evaluated one after the other."""

    name: str
    rules: tuple[AlertRule | RecordingRule, ...]


def by(*labels: str) -> str:
    """Return the ``by`` clause of an installation and further labels."""
    return f"by ({', '.join((*INSTALLATION, *labels))})"


def largest(selector: str, *labels: str) -> str:
    """Return the largest value per installation: of gauges that every worker shows alike, or whose worst counts."""
    return f"max {by(*labels)} ({selector})"


def counted(selector: str, window: str, *labels: str) -> str:
    """Return an expression that holds while a counter rose within ``window``.

    ``increase`` does not see the first event of a series, because the series begins with it. A series that did not
    exist before the window is therefore counted with its whole value.
    """
    rose = f"sum {by(*labels)} (increase({selector}[{window}])) > 0"
    began = f"sum {by(*labels)} ({selector} unless {selector} offset {window}) > 0"
    return f"{rose} or {began}"
