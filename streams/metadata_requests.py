"""Asking a broker about a topic must not create it.

Many brokers create a topic that a client asks for, with partitions and settings of their own: a worker that starts
before ``travelrule topics apply`` would leave wrong ones behind. aiokafka asks so and has no option for it.
"""

from __future__ import annotations

from functools import wraps
from typing import Any

from aiokafka.protocol.metadata import MetadataRequest

MARK = "creates_nothing"


def forbid_topic_creation() -> None:
    """Make every aiokafka client of this process ask without creating; may be called any number of times."""
    original = MetadataRequest.__init__
    if getattr(original, MARK, False):
        return

    @wraps(original)
    def init(self: MetadataRequest, topics: Any = None, allow_auto_topic_creation: bool | None = None) -> None:  # noqa: FBT001
        original(self, topics, bool(allow_auto_topic_creation))

    setattr(init, MARK, True)
    MetadataRequest.__init__ = init
