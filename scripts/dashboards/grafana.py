"""From the description of a dashboard to Grafana's JSON, with the variables and links that all dashboards have."""

from __future__ import annotations

import json

from grafana_foundation_sdk.builders import dashboard
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models import dashboard as models

from scripts.dashboards.panels import SOURCE, panel_builder
from scripts.dashboards.specs import DashboardSpec

TAG = "travelrule"
ANY = ".+"
REFRESH = "30s"
LISTED = "travelrule_build_info"
"""Every role serves it, so that its series name all jobs and instances."""


def dashboard_json(spec: DashboardSpec) -> str:
    """Return the dashboard as Grafana imports it, ended by a line break."""
    builder = dashboard.Dashboard(spec.title).uid(f"{TAG}-{spec.name}").description(spec.description)
    builder.tags([TAG]).readonly().timezone("browser").time("now-3h", "now").refresh(REFRESH)
    builder.tooltip(models.DashboardCursorSync.CROSSHAIR).link(_others())
    for variable in _variables(spec):
        builder.with_variable(variable)
    for section in spec.sections:
        builder.with_row(dashboard.Row(section.title))
        for panel in section.panels:
            builder.with_panel(panel_builder(panel))
    built = builder.build()
    for number, panel in enumerate(built.panels or [], start=1):
        panel.id_val = number
    return json.dumps(built, cls=JSONEncoder, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def _variables(spec: DashboardSpec) -> list[dashboard.DatasourceVariable | dashboard.QueryVariable]:
    found: list[dashboard.DatasourceVariable | dashboard.QueryVariable] = [
        dashboard.DatasourceVariable("datasource").label("Data source").type("prometheus"),
        _query_variable("job", f"label_values({LISTED}, job)"),
        _query_variable("instance", f'label_values({LISTED}{{job=~"$job"}}, instance)'),
    ]
    if spec.by_vasp:
        found.append(_query_variable("vasp", 'label_values(travelrule_counterparty_up{job=~"$job"}, vasp)'))
    return found


def _query_variable(name: str, query: str) -> dashboard.QueryVariable:
    every = models.VariableOption(selected=True, text="All", value="$__all")
    variable = dashboard.QueryVariable(name).label(name).query(query).datasource(SOURCE).current(every)
    variable.multi(multi=True).include_all(include_all=True).all_value(ANY)
    return variable.refresh(models.VariableRefresh.ON_TIME_RANGE_CHANGED).sort(models.VariableSort.ALPHABETICAL_ASC)


def _others() -> dashboard.DashboardLink:
    """A menu of all dashboards that keeps the time and the chosen jobs."""
    link = dashboard.DashboardLink("Travel Rule").type(models.DashboardLinkType.DASHBOARDS).tags([TAG])
    return link.as_dropdown(as_dropdown=True).include_vars(include_vars=True).keep_time(keep_time=True)
