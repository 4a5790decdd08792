"""``docs/generated/access.md``: who may write and read which topic, and the lines for ``kafka-acls.sh``."""

from __future__ import annotations

from collections.abc import Iterator

from schemas.registry import TOPICS
from schemas.topic_access import ACCESS, PRINCIPALS, reads_in_a_group, rights

PREFIX = "travelrule."
GROUP = "travelrule"

Row = tuple[str, ...]

INTRO = """\
Rights on the topics of an installation, made from `schemas/topic_access.py`; how to use them is in
[access.md](../access.md). A topic has the writers and readers named here and no others."""


def principal_rows() -> list[Row]:
    """Return the table of principals."""
    return [(f"`{name}`", meaning) for name, meaning in PRINCIPALS.items()]


def right_rows() -> list[Row]:
    """Return the table of topics: who may write and read each, and the worst possible misuse."""
    return [
        (
            f"`{PREFIX}{name}`",
            ", ".join(ACCESS[name].writers),
            ACCESS[name].worst_write,
            ", ".join(ACCESS[name].readers),
            ACCESS[name].worst_read,
        )
        for name in TOPICS
    ]


def acl_lines() -> Iterator[str]:
    """Return one command for each principal and set of operations, and one for its group."""
    for principal in PRINCIPALS:
        topics: dict[tuple[str, ...], list[str]] = {}
        for name, operations in rights(principal):
            topics.setdefault(operations, []).append(name)
        for operations, names in topics.items():
            yield _line(principal, operations, [f"--topic {PREFIX}{name}" for name in names])
        if reads_in_a_group(principal):
            group = GROUP if principal == "worker" else principal
            yield _line(principal, ("Read",), [f"--group {group}"])


def _line(principal: str, operations: tuple[str, ...], resources: list[str]) -> str:
    words = [f"--operation {operation}" for operation in operations]
    return " ".join(["acls --add", f"--allow-principal User:{principal}", *words, *resources])


def script() -> str:
    """Return the commands as a shell script."""
    head = 'acls() { kafka-acls.sh --bootstrap-server "$BROKER" --command-config admin.properties "$@"; }'
    return "\n".join([head, *acl_lines()])
