"""Metadata requests that create no topics.

Many brokers create a topic when a client requests its metadata, with their default partitions and settings: a worker
that starts before ``travelrule topics apply`` would create wrong ones. aiokafka allows it and has no option to forbid
it.
"""

from __future__ import annotations

from functools import wraps
from typing import Any

from aiokafka.protocol.metadata import MetadataRequest

MARK = "creates_nothing"


def forbid_topic_creation() -> None:
    """Make every aiokafka client of this process request metadata without creating topics. May be called repeatedly."""
    original = MetadataRequest.__init__
    if getattr(original, MARK, False):
        return

    @wraps(original)
    def init(self: MetadataRequest, topics: Any = None, allow_auto_topic_creation: bool | None = None) -> None:  # noqa: FBT001
        original(self, topics, bool(allow_auto_topic_creation))

    setattr(init, MARK, True)
    MetadataRequest.__init__ = init
