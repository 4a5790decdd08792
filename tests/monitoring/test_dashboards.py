"""The dashboards' files: what the code writes, the rules of Grafana's dashboard linter, and names that exist."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import promql_parser
import pytest

from scripts.dashboards.__main__ import DASHBOARDS, FOLDER, drift
from scripts.dashboards.variables import expanded
from tests.monitoring.expression_names import names_in, served, unknown, walk
from travelrule.metrics import METRICS

UNITS = {"short", "s", "cps", "reqps", "ops", "bytes", "percentunit", "bool_yes_no"}
"""Ids of Grafana's units that are used."""
OF_THE_RELEASE = {"Alerts firing": "alerts of a whole release have no instance"}
"""Panels whose queries choose no instance, with the reason."""
NOT_SHOWN: dict[str, str] = {}
"""Metrics on no dashboard, with the reason."""
PAGES: dict[str, dict[str, Any]] = {path.name: json.loads(path.read_text()) for path in sorted(FOLDER.glob("*.json"))}


def panels() -> Iterator[tuple[str, dict[str, Any]]]:
    """Every panel with the name of its file."""
    for name, page in PAGES.items():
        yield from ((name, panel) for panel in page["panels"] if panel["type"] != "row")


def targets() -> Iterator[tuple[str, dict[str, Any], str]]:
    """Every query with its panel and its place; the query with variables replaced."""
    for name, panel in panels():
        for target in panel["targets"]:
            place = f"{name}: {panel['title']} {target['refId']}"
            yield place, panel, expanded(target["expr"], rate_interval="5m", span="3h")


def test_the_files_are_what_the_code_writes() -> None:
    assert drift() == [], "run make docs"
    assert len(PAGES) == len(DASHBOARDS) == 4


@pytest.mark.parametrize("page", PAGES.values(), ids=PAGES)
def test_the_variables_choose_source_job_and_instance(page: dict[str, Any]) -> None:
    source, *chosen = page["templating"]["list"]
    assert (source["type"], source["query"], source["name"]) == ("datasource", "prometheus", "datasource")
    assert [variable["name"] for variable in chosen][:2] == ["job", "instance"]
    for variable in chosen:
        assert variable["label"] == variable["name"]
        assert variable["datasource"] == {"type": "prometheus", "uid": "$datasource"}
        assert (variable["multi"], variable["includeAll"], variable["allValue"]) == (True, True, ".+")
        assert variable["refresh"] == 2, "values follow the time shown"
        selector, label = re.fullmatch(r"label_values\((.+), (\w+)\)", variable["query"]).groups()  # type: ignore[union-attr]
        assert unknown(f"count by ({label}) ({expanded(selector, rate_interval='5m', span='3h')})") == []
        assert label == variable["name"]


def test_each_dashboard_is_identified_described_and_not_editable() -> None:
    assert len({page["uid"] for page in PAGES.values()}) == len(PAGES)
    for name, page in PAGES.items():
        assert page["uid"] == f"travelrule-{name.removesuffix('.json')}"
        assert page["editable"] is False
        assert page["title"]
        assert page["description"]
        assert page["tags"] == page["links"][0]["tags"] == ["travelrule"], "each links the others"


def test_panels_are_titled_described_and_have_a_unit() -> None:
    for name, panel in panels():
        place = f"{name}: {panel['title']}"
        assert panel["title"], place
        assert panel["description"].endswith("."), place
        assert panel["fieldConfig"]["defaults"]["unit"] in UNITS, place
        assert panel["targets"], place
        assert panel["datasource"] == {"type": "prometheus", "uid": "$datasource"}, place
        assert all(target["datasource"] == panel["datasource"] for target in panel["targets"]), place
        steps = [step["value"] for step in panel["fieldConfig"]["defaults"].get("thresholds", {}).get("steps", [])]
        assert steps[1:] == sorted(steps[1:]), place


@pytest.mark.parametrize("page", PAGES.values(), ids=PAGES)
def test_panels_do_not_overlap_and_have_ids_and_titles_of_their_own(page: dict[str, Any]) -> None:
    cells = Counter(
        (column, row)
        for place in (panel["gridPos"] for panel in page["panels"])
        for column in range(place["x"], place["x"] + place["w"])
        for row in range(place["y"], place["y"] + place["h"])
    )
    assert max(cells.values()) == 1
    assert max(column for column, _ in cells) < 24
    for key in ("id", "title"):
        assert max(Counter(panel[key] for panel in page["panels"]).values()) == 1, key


def test_queries_name_metrics_and_labels_that_processes_serve() -> None:
    assert {place: missing for place, _, query in targets() if (missing := unknown(query))} == {}


def test_queries_choose_job_and_instance() -> None:
    for place, panel, query in targets():
        selected = names_in(query).selected
        wanted = {"job"} if panel["title"] in OF_THE_RELEASE else {"job", "instance"}
        for metric in names_in(query).metrics:
            assert wanted <= {label for name, label in selected if name == metric}, place


def test_counters_are_read_as_rates_over_the_interval_of_a_point() -> None:
    counters = {name for spec in METRICS if spec.type != "gauge" for name, _ in served(spec)}
    for name, panel in panels():
        for target in panel["targets"]:
            place = f"{name}: {panel['title']}"
            ranges = re.findall(r"\[(.+?)\]", target["expr"])
            assert set(ranges) <= {"$__rate_interval", "$__range"}, place
            query = expanded(target["expr"], rate_interval="5m", span="3h")
            parts = list(walk(promql_parser.parse(query)))
            calls = [part for part in parts if isinstance(part, promql_parser.Call)]
            rated = Counter(rated_metric(call) for call in calls if call.func.name in ("rate", "increase"))
            read = Counter(part.name for part in parts if isinstance(part, promql_parser.VectorSelector))
            assert {metric: times for metric, times in (read - rated).items() if metric in counters} == {}, place


def rated_metric(call: promql_parser.Call) -> str:
    """The metric that ``rate`` or ``increase`` is applied to."""
    return str(call.args[0].vector_selector.name)


def test_legends_name_labels_that_the_answer_has() -> None:
    for place, panel, query in targets():
        (target,) = [one for one in panel["targets"] if place.endswith(f" {one['refId']}")]
        legend = set(re.findall(r"{{(\w+)}}", target["legendFormat"]))
        outer = re.match(r"(?:histogram_quantile\([\d.]+, |time\(\) - )?\w+ by \(([^)]*)\)", query)
        grouped = set(re.split(r", ", outer[1])) if outer else set()
        if grouped:
            assert legend <= grouped, place
            assert grouped - legend <= {"le", "namespace", "job"}, f"{place}: series with the same name"


def test_every_metric_is_on_a_dashboard() -> None:
    shown = {name for _, _, query in targets() for name in names_in(query).metrics}
    missing = {spec.name for spec in METRICS if shown.isdisjoint(name for name, _ in served(spec))}
    assert missing == set(NOT_SHOWN)
