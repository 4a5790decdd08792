"""The Grafana dashboards as code: ``python -m scripts.dashboards`` writes ``helm/travelrule/dashboards``."""
