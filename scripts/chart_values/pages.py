"""The generated files of the chart."""

from __future__ import annotations

import json
from pathlib import Path

import yaml

from scripts.chart_values.presence import with_presence
from scripts.chart_values.schema import values_schema
from scripts.chart_values.value_table import value_page

ROOT = Path(__file__).parents[2]
CHART = ROOT / "helm" / "travelrule"


def pages() -> dict[Path, str]:
    """The text of each file by its path."""
    defaults = yaml.safe_load((CHART / "values.yaml").read_text(encoding="utf-8"))
    return {
        CHART / "values.schema.json": json.dumps(with_presence(values_schema(), defaults), indent=1) + "\n",
        ROOT / "docs" / "generated" / "chart-values.md": value_page(CHART / "values.yaml"),
    }
