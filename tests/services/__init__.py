"""Real services for tests and people: Apache Kafka, PostgreSQL, Prometheus, and Chromium without a screen."""

from tests.services.chromium import Chromium
from tests.services.kafka import KafkaNode
from tests.services.kafka_cluster import KafkaCluster
from tests.services.postgres import GivenPostgres, PostgresServer, open_postgres
from tests.services.process import ServiceError
from tests.services.prometheus import PrometheusServer

__all__ = [
    "Chromium",
    "GivenPostgres",
    "KafkaCluster",
    "KafkaNode",
    "PostgresServer",
    "PrometheusServer",
    "ServiceError",
    "open_postgres",
]
