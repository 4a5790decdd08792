"""Panels of the newest values: single numbers and tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes

from scripts.dashboards.picture import theme
from scripts.dashboards.picture.answers import DrawnSeries
from scripts.dashboards.picture.values import shown

ROWS_MAX = 14


def draw_stat(axes: Axes, panel: Mapping[str, Any], series: Sequence[DrawnSeries]) -> None:
    """Draw a ``stat`` panel: one number in the colour of its limits."""
    defaults = panel["fieldConfig"]["defaults"]
    value = series[0].points[-1][1]
    axes.set_axis_off()
    text = shown(value, defaults["unit"])
    axes.text(0.5, 0.42, text, size=21, weight="bold", ha="center", va="center", color=_tint(panel, value))


def draw_table(axes: Axes, panel: Mapping[str, Any], series: Sequence[DrawnSeries]) -> None:
    """Draw a ``table`` panel: a row for each series with its labels and its newest value."""
    rows = sorted(series, key=lambda one: -one.points[-1][1])[:ROWS_MAX]
    names = sorted({name for one in rows for name in one.labels})
    axes.set_axis_off()
    axes.set_xlim(0, 1)
    axes.set_ylim(len(rows) + 0.2, -1)
    places = [place * 0.62 / max(len(names), 1) for place in range(len(names))]
    for place, name in zip(places, names, strict=True):
        axes.text(place, -0.4, name, size=theme.LABEL_SIZE, color=theme.FAINT, weight="bold")
    unit = panel["fieldConfig"]["defaults"]["unit"]
    for height, one in enumerate(rows):
        value = one.points[-1][1]
        axes.axhline(height - 0.25, color=theme.GRID, linewidth=0.8)
        for place, name in zip(places, names, strict=True):
            axes.text(place, height + 0.4, one.labels.get(name, ""), size=theme.LABEL_SIZE, color=theme.TEXT)
        tint = _tint(panel, value)
        axes.text(0.98, height + 0.4, shown(value, unit), size=theme.LABEL_SIZE, color=tint, ha="right", weight="bold")
    if len(series) > len(rows):
        axes.text(0.98, -0.4, f"{len(rows)} of {len(series)}", size=theme.LABEL_SIZE, color=theme.FAINT, ha="right")


def _tint(panel: Mapping[str, Any], value: float) -> str:
    steps = panel["fieldConfig"]["defaults"].get("thresholds", {}).get("steps", [])
    reached = [step["color"] for step in steps if step["value"] is None or value >= step["value"]]
    return theme.color(reached[-1]) if reached else theme.TEXT
