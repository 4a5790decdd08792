"""Events on Kafka: the envelope and the ``data`` of each type, one file per topic.

Holds no rule beyond the schema; ``schemas.registry`` lists the types. Start at ``cloudevents``.
"""
