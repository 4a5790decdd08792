"""The headers of a dead letter (contract section 3): the original ones, then ours in two families.

``__streams.errors.*`` are the names of Kafka Streams (KIP-1034), which common tools read; exception, message and stack
trace hold the stable code, because any other text might hold personal data. Field (a path of our field names and
positions) and fix (one of our sentences) repeat nothing of the message.
"""

from __future__ import annotations

from datetime import UTC, datetime

from streams.topics import Topics
from travelrule.machine.input import Rejected

Header = tuple[str, bytes]

_ATTEMPTS = "travelrule.attempts"
_FIRST_FAILURE = "travelrule.first_failure_at"
_OURS = ("__streams.errors.", "travelrule.")


class DeadLetterHeaders:
    """Builds the headers of refused messages of one installation."""

    def __init__(self, topics: Topics) -> None:
        self._topics = topics

    def __call__(self, rejected: Rejected, now: datetime) -> list[Header]:
        """Return the headers of the dead letter of ``rejected``; ``now`` is the time of its first failure.

        A replayed message already has our headers: its attempts are counted further, its first failure stays.
        """
        raw = rejected.raw
        former = {name: value or b"" for name, value in raw.headers if name.startswith(_OURS)}
        kept = [(name, value or b"") for name, value in raw.headers if not name.startswith(_OURS)]
        code = rejected.code.encode()
        return [
            *kept,
            ("__streams.errors.topic", self._topics.physical(raw.topic).encode()),
            ("__streams.errors.partition", str(raw.partition).encode()),
            ("__streams.errors.offset", str(raw.offset).encode()),
            ("__streams.errors.exception", code),
            ("__streams.errors.message", code),
            ("__streams.errors.stacktrace", code),
            ("travelrule.error.code", code),
            ("travelrule.error.field", rejected.field.encode()),
            ("travelrule.error.fix", rejected.fix.encode()),
            (_ATTEMPTS, str(_count(former.get(_ATTEMPTS)) + 1).encode()),
            (_FIRST_FAILURE, _former_moment(former.get(_FIRST_FAILURE)) or _moment(now)),
        ]


def _count(former: bytes | None) -> int:
    """Return the attempts so far; a header that is not ours counts as none."""
    return int(former) if former is not None and former.isdigit() and len(former) < len(b"1000000") else 0


def _former_moment(former: bytes | None) -> bytes | None:
    """Return the first failure so far; a text that is too long for a time is not ours."""
    return former if former is not None and len(former) <= len(b"2026-01-31T09:00:00.000000+00:00") else None


def _moment(now: datetime) -> bytes:
    return now.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z").encode()
