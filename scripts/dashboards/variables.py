"""Grafana's variables in an expression, replaced as Grafana does when "All" is chosen."""

from __future__ import annotations

import re

ALL = ".+"
CHOICES = ("job", "instance", "vasp")


def expanded(expression: str, *, rate_interval: str, span: str) -> str:
    """Return the expression for Prometheus; ``rate_interval`` and ``span`` (of the page) are durations such as ``30s``.

    Raises:
        ValueError: a variable that dashboards do not have.
    """
    known = {"__rate_interval": rate_interval, "__range": span} | dict.fromkeys(CHOICES, ALL)

    def value(found: re.Match[str]) -> str:
        if found[1] not in known:
            raise ValueError(f"unknown variable ${found[1]} in {expression}")
        return known[found[1]]

    return re.sub(r"\$(\w+)", value, expression)
