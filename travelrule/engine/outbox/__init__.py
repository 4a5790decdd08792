"""Outbox: events that are committed become Kafka records.

The only place that publishes. Reads and marks the table ``outbox``; may not import ``apply``.
Start at ``relay``.
"""
