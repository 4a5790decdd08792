"""``travelrule demo``: a network on one machine, and the scenarios that are played on it through Kafka."""
