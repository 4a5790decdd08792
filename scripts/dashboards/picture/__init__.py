"""Pictures of dashboards: the panels of a dashboard's JSON, drawn from the answers of a Prometheus."""
