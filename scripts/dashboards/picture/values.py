"""Numbers with the units that panels name, as Grafana shows them."""

from __future__ import annotations

import math

SECONDS = ((1e-3, 1e6, "µs"), (1.0, 1e3, "ms"), (120.0, 1.0, "s"), (7200.0, 1 / 60, "min"), (172800.0, 1 / 3600, "h"))
DAY = 86400.0
YEAR = 365.25 * DAY
KILO = 1000.0
KIBI = 1024.0
RATES = {"cps": "c/s", "reqps": "req/s", "ops": "ops/s"}


def shown(value: float, unit: str) -> str:
    """Return a value as text. ``unit`` is one of Grafana's ids."""
    if math.isnan(value):
        return "-"
    if unit == "bool_yes_no":
        return "Yes" if value else "No"
    if unit == "percentunit":
        return f"{value * 100:.4g}%"
    if unit == "s":
        return _seconds(value)
    if unit == "bytes":
        return _scaled(value, KIBI, ("B", "KiB", "MiB", "GiB"))
    text = _scaled(value, KILO, ("", "K", "M", "G")).strip()
    return f"{text} {RATES[unit]}" if unit in RATES else text


def _seconds(value: float) -> str:
    if not math.isfinite(value):
        return "∞"
    size = abs(value)
    if size == 0:
        return "0 s"
    for below, factor, name in SECONDS:
        if size < below:
            return f"{value * factor:.3g} {name}"
    return f"{value / DAY:.3g} d" if size < YEAR else f"{value / YEAR:.3g} years"


def _scaled(value: float, step: float, names: tuple[str, ...]) -> str:
    if not math.isfinite(value):
        return "∞"
    place = 0
    while abs(value) >= step and place < len(names) - 1:
        value /= step
        place += 1
    return f"{value:.3g} {names[place]}"
