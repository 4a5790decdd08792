"""The generated files of the chart."""

from __future__ import annotations

import json
from pathlib import Path

from scripts.chart_values.schema import values_schema
from scripts.chart_values.value_table import value_page

ROOT = Path(__file__).parents[2]
CHART = ROOT / "helm" / "travelrule"


def pages() -> dict[Path, str]:
    """The text of each file by its path."""
    return {
        CHART / "values.schema.json": json.dumps(values_schema(), indent=1) + "\n",
        ROOT / "docs" / "generated" / "chart-values.md": value_page(CHART / "values.yaml"),
    }
