"""One picture of a whole dashboard: its panels where Grafana puts them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch
from PIL import Image

from scripts.dashboards.picture import graphs, numbers, theme
from scripts.dashboards.picture.answers import DrawnSeries, PictureTime, QuerySource, panel_series

HEAD_ROWS = 1.6
COLORS = 128
OVER_TIME = {"timeseries": graphs.draw_graph, "heatmap": graphs.draw_heatmap, "state-timeline": graphs.draw_timeline}
NEWEST = {"stat": numbers.draw_stat, "table": numbers.draw_table}


def draw_dashboard(dashboard: Mapping[str, Any], source: QuerySource, time: PictureTime, path: Path) -> list[str]:
    """Draw a dashboard into a PNG file; return the titles of the panels without data."""
    rows = max(panel["gridPos"]["y"] + panel["gridPos"]["h"] for panel in dashboard["panels"]) + HEAD_ROWS
    figure = Figure(figsize=(theme.COLUMNS * theme.COLUMN_INCHES, rows * theme.ROW_INCHES), facecolor=theme.PAGE)
    FigureCanvasAgg(figure)
    figure.text(0.008, 1 - 0.9 / rows, dashboard["title"], size=14, weight="bold", color=theme.TEXT, va="center")
    figure.text(0.992, 1 - 0.9 / rows, dashboard["description"], size=9, color=theme.FAINT, va="center", ha="right")
    empty = []
    for panel in dashboard["panels"]:
        if panel["type"] == "row":
            height = 1 - (panel["gridPos"]["y"] + 0.55 + HEAD_ROWS) / rows
            figure.text(0.008, height, panel["title"], size=10.5, color=theme.TEXT, va="center")
        elif not _draw_panel(figure, panel, rows, source, time):
            empty.append(panel["title"])
    _save(figure, path)
    return empty


def _save(figure: Figure, path: Path) -> None:
    """Write a PNG of few colours: a third of the size, and no difference that is seen."""
    drawn = BytesIO()
    figure.savefig(drawn, dpi=theme.DPI, facecolor=theme.PAGE)
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.open(drawn).convert("RGB").quantize(COLORS).save(path, optimize=True)


def _draw_panel(figure: Figure, panel: Mapping[str, Any], rows: float, source: QuerySource, time: PictureTime) -> bool:
    """Draw one panel; return whether it has data."""
    place = panel["gridPos"]
    across, down = theme.COLUMNS * theme.COLUMN_INCHES, rows * theme.ROW_INCHES
    left = place["x"] * theme.COLUMN_INCHES + theme.GAP_INCHES
    top = (place["y"] + HEAD_ROWS) * theme.ROW_INCHES + theme.GAP_INCHES
    width = place["w"] * theme.COLUMN_INCHES - 2 * theme.GAP_INCHES
    height = place["h"] * theme.ROW_INCHES - 2 * theme.GAP_INCHES
    card = FancyBboxPatch(
        (left / across, 1 - (top + height) / down), width / across, height / down,
        boxstyle="square,pad=0", transform=figure.transFigure, facecolor=theme.CARD, edgecolor=theme.BORDER,
        linewidth=0.8, zorder=-1,
    )  # fmt: skip
    figure.add_artist(card)
    figure.text(
        (left + 0.1) / across, 1 - (top + 0.17) / down, panel["title"],
        size=theme.TITLE_SIZE, color=theme.TEXT, va="center"
    )  # fmt: skip
    series = panel_series(panel, source, time)
    kind = panel["type"]
    plain = kind in NEWEST
    inset = (0.12, 0.12, 0.34, 0.08) if plain else _insets(panel, series, width)
    box = (left + inset[0], top + inset[2], width - inset[0] - inset[1], height - inset[2] - inset[3])
    axes = figure.add_axes((box[0] / across, 1 - (box[1] + box[3]) / down, box[2] / across, box[3] / down))
    if not series:
        axes.set_axis_off()
        axes.text(0.5, 0.45, "none" if kind == "stat" else "No data", size=11, color=theme.FAINT, ha="center")
        return False
    axes.tick_params(labelsize=theme.LABEL_SIZE, colors=theme.FAINT, length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)
    if plain:
        NEWEST[kind](axes, panel, series)
    else:
        OVER_TIME[kind](axes, panel, series, time)
    return True


def _insets(panel: Mapping[str, Any], series: Sequence[DrawnSeries], width: float) -> tuple[float, float, float, float]:
    """Inches around a graph for its axes and names: left, right, top, bottom."""
    names, left, right = [one.name for one in series], 0.62, 0.15
    if panel["type"] == "state-timeline":
        left, names = 0.2 + 0.058 * max(map(len, names), default=0), [""]
    _, rows = graphs.legend_shape(names, width - left - right)
    return left, right, 0.38, 0.27 + (0.15 * rows if panel["type"] != "heatmap" else 0)
