"""Kafka: the Faust application, codec, dead-letter headers, publisher, topics and the embedded broker.

Decides nothing and touches no table: records become inputs, rows of the outbox become records.
Start with ``app.py`` for consuming, ``codec.py`` for reading, ``publisher.py`` for writing.
"""
