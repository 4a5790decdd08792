"""The schema of the chart's values and the page that lists them: ``python -m scripts.chart_values``."""
