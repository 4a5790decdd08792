"""From the description of a panel to Grafana's panel."""

from __future__ import annotations

from typing import Any

from grafana_foundation_sdk.builders import (
    common,
    dashboard,
    heatmap,
    prometheus,
    stat,
    statetimeline,
    table,
    timeseries,
)
from grafana_foundation_sdk.models import common as shapes
from grafana_foundation_sdk.models import dashboard as models
from grafana_foundation_sdk.models.heatmap import HeatmapColorMode
from grafana_foundation_sdk.models.prometheus import PromQueryFormat

from scripts.dashboards.specs import PanelQuery, PanelSpec

SOURCE = models.DataSourceRef(type_val="prometheus", uid="$datasource")
FIRST_COLOR = "green"


def panel_builder(spec: PanelSpec) -> Any:
    """Return the builder of a panel with its queries, unit, thresholds and colours."""
    builder = _KINDS[spec.kind](spec)
    for number, query in enumerate(spec.queries):
        builder.with_target(_target(spec, query, chr(ord("A") + number)))
    builder.title(spec.title).description(spec.description).datasource(SOURCE).unit(spec.unit)
    builder.span(spec.width).height(spec.height)
    for name, color in spec.colors.items():
        fixed = models.DynamicConfigValue("color", {"mode": "fixed", "fixedColor": color})
        builder.override_by_name(name, [fixed])
    return builder


def _target(spec: PanelSpec, query: PanelQuery, name: str) -> prometheus.Dataquery:
    target = prometheus.Dataquery().datasource(SOURCE).expr(query.expression).ref_id(name)
    target.legend_format(query.legend or spec.title)
    if spec.kind in ("stat", "table"):
        target.instant()
    else:
        target.range()
    if spec.kind == "heatmap":
        target.format(PromQueryFormat.HEATMAP)
    if spec.kind == "table":
        target.format(PromQueryFormat.TABLE)
    return target


def _thresholds(spec: PanelSpec) -> dashboard.ThresholdsConfig:
    steps = [models.Threshold(value=None, color=FIRST_COLOR)]
    steps += [models.Threshold(value=value, color=color) for value, color in spec.limits]
    return dashboard.ThresholdsConfig().mode(models.ThresholdsMode.ABSOLUTE).steps(steps)


def _stat(spec: PanelSpec) -> stat.Panel:
    newest = common.ReduceDataOptions().calcs(["lastNotNull"])
    return (
        stat.Panel()
        .reduce_options(newest)
        .graph_mode(shapes.BigValueGraphMode.NONE)
        .color_mode(shapes.BigValueColorMode.VALUE)
        .thresholds(_thresholds(spec))
        .no_value("none")
    )


def _lines(spec: PanelSpec) -> timeseries.Panel:
    builder = timeseries.Panel().min(0).line_width(2).fill_opacity(25 if spec.stacked else 5)
    builder.show_points(shapes.VisibilityMode.NEVER).tooltip(_tooltip()).legend(_legend())
    if spec.stacked:
        builder.stacking(common.StackingConfig().mode(shapes.StackingMode.NORMAL).group("A"))
    if spec.limits:
        style = common.GraphThresholdsStyleConfig().mode(shapes.GraphTresholdsStyleMode.DASHED)
        builder.thresholds(_thresholds(spec)).thresholds_style(style)
    return builder


def _bars(spec: PanelSpec) -> timeseries.Panel:
    builder = _lines(spec).draw_style(shapes.GraphDrawStyle.BARS).fill_opacity(80)
    return builder.stacking(common.StackingConfig().mode(shapes.StackingMode.NORMAL).group("A"))


def _heatmap(spec: PanelSpec) -> heatmap.Panel:
    color = heatmap.HeatmapColorOptions().mode(HeatmapColorMode.SCHEME).scheme("Oranges").steps(64)
    axis = heatmap.YAxisConfig().unit(spec.unit)
    return heatmap.Panel().calculate(calculate=False).color(color).y_axis(axis)


def _timeline(spec: PanelSpec) -> statetimeline.Panel:
    results = {
        str(value): models.ValueMappingResult(text=text, color=color) for value, (text, color) in spec.states.items()
    }
    builder = statetimeline.Panel().show_value(shapes.VisibilityMode.NEVER).merge_values(merge_values=True)
    return builder.mappings([models.ValueMap(options=results)]).legend(_legend()).row_height(0.8)


def _table(spec: PanelSpec) -> table.Panel:
    """The newest value of each series in a row, without the columns that are the same in all."""
    hidden = {"Time": True}
    organize = models.DataTransformerConfig(
        id_val="organize", options={"excludeByName": hidden, "indexByName": {}, "renameByName": {"Value": spec.title}}
    )
    builder = table.Panel().with_transformation(organize).thresholds(_thresholds(spec))
    color = models.DynamicConfigValue("custom.cellOptions", {"type": "color-text"})
    return builder.override_by_name(spec.title, [color])


def _legend() -> common.VizLegendOptions:
    legend = common.VizLegendOptions().show_legend(show_legend=True).placement(shapes.LegendPlacement.BOTTOM)
    return legend.display_mode(shapes.LegendDisplayMode.LIST).calcs([])


def _tooltip() -> common.VizTooltipOptions:
    return common.VizTooltipOptions().mode(shapes.TooltipDisplayMode.MULTI).sort(shapes.SortOrder.DESCENDING)


_KINDS = {
    "stat": _stat,
    "timeseries": _lines,
    "bars": _bars,
    "heatmap": _heatmap,
    "timeline": _timeline,
    "table": _table,
}
