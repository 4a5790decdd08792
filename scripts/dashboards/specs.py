"""What a dashboard consists of, before it is written as Grafana's JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["stat", "timeseries", "bars", "heatmap", "timeline", "table"]


@dataclass(frozen=True, slots=True)
class PanelQuery:
    """One query of a panel. ``legend`` names the series: ``{{label}}`` is replaced by a value.

    ``empty_without`` is set where a running system may have no such series, and names the event that makes one.
    """

    expression: str
    legend: str = ""
    empty_without: str = ""


@dataclass(frozen=True, slots=True)
class PanelSpec:
    """One panel. ``width`` is in 24ths of the page, ``height`` in rows of about 30 pixels.

    ``limits`` are values from which on the colour changes, the first colour is green; ``colors`` fixes the colour of a
    series by its name. A ``timeline`` shows states: ``states`` names each value with its colour.
    """

    title: str
    description: str
    queries: tuple[PanelQuery, ...]
    unit: str = "short"
    kind: Kind = "timeseries"
    width: int = 8
    height: int = 7
    stacked: bool = False
    limits: tuple[tuple[float, str], ...] = ()
    colors: Mapping[str, str] = field(default_factory=dict)
    states: Mapping[int, tuple[str, str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SectionSpec:
    """A row of the dashboard with its panels."""

    title: str
    panels: tuple[PanelSpec, ...]


@dataclass(frozen=True, slots=True)
class DashboardSpec:
    """One dashboard; ``name`` is its file's. ``by_vasp`` adds a variable that chooses counterparties."""

    name: str
    title: str
    description: str
    sections: tuple[SectionSpec, ...]
    by_vasp: bool = False

    def panels(self) -> Iterator[PanelSpec]:
        """All panels in their order."""
        for section in self.sections:
            yield from section.panels


def stat(title: str, description: str, query: PanelQuery, unit: str, *limits: tuple[float, str]) -> PanelSpec:
    """One number."""
    return PanelSpec(title, description, (query,), unit, "stat", width=4, height=4, limits=limits)
