"""Kafka as a place: topics, codec, dead letters, the Faust application, publisher and the embedded broker."""
