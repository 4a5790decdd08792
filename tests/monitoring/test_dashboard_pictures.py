"""Pictures of dashboards: each kind of panel is drawn from its JSON, an empty one is reported, units are readable."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path

import pytest
from matplotlib.image import imread

from scripts.dashboards.grafana import dashboard_json
from scripts.dashboards.picture.answers import PictureTime, panel_series
from scripts.dashboards.picture.page import draw_dashboard
from scripts.dashboards.picture.values import shown
from scripts.dashboards.specs import DashboardSpec, PanelQuery, PanelSpec, SectionSpec
from scripts.dashboards.variables import expanded
from tests.services.prometheus import Series

TIME = PictureTime(1_700_000_000.0, 1_700_000_600.0, 10.0)
KINDS = ("stat", "timeseries", "bars", "heatmap", "timeline", "table")


class FixedAnswers:
    """Answers every query except ``nothing`` with three series, one without a number, and keeps what was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def query(self, expression: str, at: float) -> Sequence[Series]:
        return self.query_range(expression, at, at, 1)

    def query_range(self, expression: str, start: float, end: float, step: float) -> Sequence[Series]:
        self.asked.append(expression)
        moments = [start + number * step for number in range(int((end - start) / step) + 1)]
        one = Series({"le": "1.0", "vasp": "a"}, tuple((moment, 1.0) for moment in moments))
        two = Series({"le": "+Inf", "vasp": "b"}, ((start, 2.0), *((moment, math.nan) for moment in moments[1:])))
        none = Series({"le": "5.0", "vasp": "c"}, tuple((moment, math.nan) for moment in moments))
        return [] if expression == "nothing" else [none, two, one]


def page(*queries: PanelQuery) -> dict[str, object]:
    panels = tuple(
        PanelSpec(
            f"{kind} {number}", "A panel.", (query,), "s", kind, states={1: ("up", "green")}, limits=((1, "red"),)
        )
        for number, query in enumerate(queries)
        for kind in KINDS
    )
    return dict(json.loads(dashboard_json(DashboardSpec("one", "One", "A page.", (SectionSpec("Row", panels),)))))


def test_each_kind_of_panel_is_drawn_and_an_empty_one_reported(tmp_path: Path) -> None:
    answers = FixedAnswers()
    full, without = PanelQuery("rate(x[$__rate_interval])", "{{vasp}}"), PanelQuery("nothing", "{{vasp}}")
    empty = draw_dashboard(page(full, without), answers, TIME, tmp_path / "one.png")
    assert empty == [f"{kind} 1" for kind in KINDS]
    assert set(answers.asked) == {"rate(x[40s])", "nothing"}
    drawn = imread(tmp_path / "one.png")
    assert drawn.shape[1] == 1488
    assert len({tuple(dot) for dot in drawn[::7, ::7].reshape(-1, 4)}) > 10, "more than an empty page"


def test_series_have_the_names_of_the_legend_in_order() -> None:
    panel = page(PanelQuery("x", "of {{vasp}}"))["panels"][2]  # type: ignore[index]
    assert [one.name for one in panel_series(panel, FixedAnswers(), TIME)] == ["of a", "of b"]


def test_an_unknown_variable_is_refused() -> None:
    assert expanded('x{job=~"$job"}[$__range]', rate_interval="1m", span="3h") == 'x{job=~".+"}[3h]'
    with pytest.raises(ValueError, match=r"\$cluster"):
        expanded('x{c="$cluster"}', rate_interval="1m", span="3h")


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (0.0005, "s", "500 µs"),
        (0.25, "s", "250 ms"),
        (90, "s", "90 s"),
        (600, "s", "10 min"),
        (-7200, "s", "-2 h"),
        (86400 * 30, "s", "30 d"),
        (86400 * 3652.5, "s", "10 years"),
        (math.inf, "s", "∞"),
        (0.9951, "percentunit", "99.51%"),
        (3 * 1024**2, "bytes", "3 MiB"),
        (1500, "short", "1.5 K"),
        (12.0, "reqps", "12 req/s"),
        (1, "bool_yes_no", "Yes"),
        (math.nan, "short", "-"),
    ],
)
def test_values_are_shown_with_their_unit(value: float, unit: str, text: str) -> None:
    assert shown(value, unit) == text
