"""Panels over time: lines, bars, heat maps and timelines of states."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.dates import AutoDateLocator, DateFormatter, date2num
from matplotlib.ticker import FuncFormatter, MaxNLocator

from scripts.dashboards.picture import theme
from scripts.dashboards.picture.answers import DrawnSeries, PictureTime
from scripts.dashboards.picture.values import shown

LEGEND_ROWS = 3
LETTER_INCHES = 0.056
LEGEND_INCHES = 0.22
SHORT_SECONDS = 600
"""Below this length of a picture its time axis shows seconds."""
ROWS_MIN = 5
"""Rows of a timeline that there is room for, so that a single one is no block."""
MIN_TOP = {"percentunit": 1.05}
"""Axes that always show all of their range."""


def draw_graph(axes: Axes, panel: Mapping[str, Any], series: Sequence[DrawnSeries], time: PictureTime) -> None:
    """Draw a ``timeseries`` panel: lines, stacked areas or bars."""
    custom = panel["fieldConfig"]["defaults"].get("custom", {})
    moments = _moments(time)
    columns, rows_of_names = legend_shape([one.name for one in series], axes.get_window_extent().width / theme.DPI)
    if len(series) > columns * rows_of_names:  # not all are named: the largest are
        series = sorted(series, key=lambda one: -max(value for _, value in one.points if not math.isnan(value)))
    rows = [_on(moments, one, time) for one in series]
    colors = _colors(panel, series)
    names = [one.name for one in series]
    if custom.get("drawStyle") == "bars":
        _bars(axes, moments, rows, names, colors, time)
    elif custom.get("stacking", {}).get("mode") == "normal":
        dates = _dates(moments)
        axes.stackplot(
            dates, [np.nan_to_num(row) for row in rows], labels=names, colors=colors, alpha=0.75, linewidth=0
        )
    else:
        for row, name, color in zip(rows, names, colors, strict=True):
            axes.plot(_dates(moments), row, label=name, color=color, linewidth=1.4)
    for step in panel["fieldConfig"]["defaults"].get("thresholds", {}).get("steps", [])[1:]:
        axes.axhline(step["value"], color=theme.color(step["color"]), linestyle="--", linewidth=0.9)
    _axes(axes, panel, time)
    axes.set_ylim(bottom=0)
    if axes.get_ylim()[1] < MIN_TOP.get(_unit(panel), 0):
        axes.set_ylim(top=MIN_TOP[_unit(panel)])
    _legend(axes)


def draw_heatmap(axes: Axes, panel: Mapping[str, Any], series: Sequence[DrawnSeries], time: PictureTime) -> None:
    """Draw a ``heatmap`` panel from the cumulative buckets of a histogram."""
    bounds = sorted((float(one.labels["le"]), one) for one in series)
    moments = _moments(time)
    cumulative = np.array([np.nan_to_num(_on(moments, one, time)) for _, one in bounds])
    counts = np.diff(cumulative, axis=0, prepend=0).clip(min=0)
    counts[counts == 0] = np.nan
    edges = np.arange(len(bounds) + 1)
    half = time.step / 2
    across = _dates([moments[0] - half, *(moment + half for moment in moments)])
    axes.pcolormesh(across, edges, counts, cmap="Oranges", vmin=0)
    _axes(axes, panel, time)
    axes.set_yticks(edges[1::2], [shown(bound, _unit(panel)) for bound, _ in bounds[::2]])
    axes.grid(visible=False)


def draw_timeline(axes: Axes, panel: Mapping[str, Any], series: Sequence[DrawnSeries], time: PictureTime) -> None:
    """Draw a ``state-timeline`` panel: a row for each series, in the colour of its state."""
    (mapping,) = panel["fieldConfig"]["defaults"]["mappings"]
    states = {float(value): state for value, state in mapping["options"].items()}
    rows = list(reversed(series))
    for height, one in enumerate(rows):
        for moment, value in one.points:
            if value in states:
                left, right = _dates([moment - time.step / 2, moment + time.step / 2])
                tint = theme.color(states[value]["color"])
                axes.barh(height, right - left, left=left, height=0.72, color=tint, linewidth=0.3, edgecolor=tint)
    _axes(axes, panel, time)
    axes.set_ylim(min(len(rows) - ROWS_MIN, 0) - 0.6, len(rows) - 0.4)
    axes.set_yticks(range(len(rows)), [one.name for one in rows])
    axes.tick_params(axis="y", labelsize=min(theme.LABEL_SIZE, 150 / max(len(rows), 1)))
    axes.grid(visible=False)
    for state in states.values():
        axes.bar(_dates([time.start])[0], 0, color=theme.color(state["color"]), label=state["text"])
    _legend(axes)


def _bars(
    axes: Axes,
    moments: Sequence[float],
    rows: Sequence[np.ndarray],
    names: Sequence[str],
    colors: Sequence[str],
    time: PictureTime,
) -> None:
    bottom = np.zeros(len(moments))
    width = time.step / 86400
    for row, name, color in zip(rows, names, colors, strict=True):
        heights = np.nan_to_num(row)
        axes.bar(_dates(moments), heights, bottom=bottom, width=width, label=name, color=color)
        bottom += heights


def _axes(axes: Axes, panel: Mapping[str, Any], time: PictureTime) -> None:
    axes.set_xlim(*_dates([time.start, time.end]))
    locator = AutoDateLocator(minticks=3, maxticks=6)
    axes.xaxis.set_major_locator(locator)
    axes.xaxis.set_major_formatter(
        DateFormatter("%H:%M:%S" if time.end - time.start < SHORT_SECONDS else "%H:%M", tz=UTC)
    )
    axes.yaxis.set_major_locator(MaxNLocator(4, min_n_ticks=3))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: shown(value, _unit(panel))))
    axes.grid(color=theme.GRID, linewidth=0.8)
    axes.set_axisbelow(True)


def legend_shape(names: Sequence[str], inches: float) -> tuple[int, int]:
    """Return columns and rows of the names below a graph of this width."""
    columns = max(int(inches / ((max(map(len, names), default=1) + 5) * LETTER_INCHES)), 1)
    return columns, min(math.ceil(len(names) / columns), LEGEND_ROWS)


def _legend(axes: Axes) -> None:
    """Names below the graph; those that do not fit are counted."""
    handles, names = axes.get_legend_handles_labels()
    box = axes.get_window_extent()
    columns, rows = legend_shape(names, box.width / theme.DPI)
    most = columns * rows
    if len(names) > most:
        names = [*names[: most - 1], f"and {len(names) - most + 1} more"]
    axes.legend(
        handles[: len(names)], names, loc="upper left", bbox_to_anchor=(0, -LEGEND_INCHES * theme.DPI / box.height),
        ncols=columns, fontsize=theme.LEGEND_SIZE, frameon=False, labelcolor=theme.FAINT, handlelength=1.0,
        handletextpad=0.4, columnspacing=1.0, borderpad=0, borderaxespad=0,
    )  # fmt: skip


def _moments(time: PictureTime) -> list[float]:
    count = math.floor((time.end - time.start) / time.step) + 1
    return [time.start + number * time.step for number in range(count)]


def _on(moments: Sequence[float], one: DrawnSeries, time: PictureTime) -> np.ndarray:
    """The values of a series at the moments; where it has none, not a number."""
    row = np.full(len(moments), np.nan)
    for moment, value in one.points:
        row[min(round((moment - time.start) / time.step), len(moments) - 1)] = value if math.isfinite(value) else np.nan
    return row


def _dates(moments: Sequence[float]) -> Any:
    return date2num([datetime.fromtimestamp(moment, UTC) for moment in moments])


def _unit(panel: Mapping[str, Any]) -> str:
    return str(panel["fieldConfig"]["defaults"].get("unit", "short"))


def _colors(panel: Mapping[str, Any], series: Sequence[DrawnSeries]) -> list[str]:
    fixed = {
        override["matcher"]["options"]: theme.color(item["value"]["fixedColor"])
        for override in panel["fieldConfig"].get("overrides", [])
        for item in override["properties"]
        if item["id"] == "color"
    }
    others = [color for color in theme.SERIES if color not in fixed.values()]
    free = iter(others * (len(series) // len(others) + 1))
    return [fixed.get(one.name) or next(free) for one in series]
