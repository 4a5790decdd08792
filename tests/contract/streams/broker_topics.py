"""A broker with the topics of one test."""

from __future__ import annotations

from dataclasses import dataclass

from streams.connection import Connection
from streams.topics import Topics
from travelrule.settings import Settings


@dataclass(frozen=True)
class BrokerTopics:
    """A broker with the topics of one test."""

    connection: Connection
    topics: Topics
    settings: Settings
