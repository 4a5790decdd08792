"""What the broker reports of a group's members, and the partitions that no member has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from aiokafka import TopicPartition
from aiokafka.coordinator.protocol import ConsumerProtocolMemberAssignment
from aiokafka.errors import GroupAuthorizationFailedError

from streams.group_members import assigned_partitions, unserved


def assignment(**topics: list[int]) -> bytes:
    return bytes(ConsumerProtocolMemberAssignment(0, list(topics.items()), b"").encode())


def member(name: str, content: bytes) -> tuple[Any, ...]:
    return (name, "client", "/127.0.0.1", b"", content)


@dataclass
class Response:
    groups: list[tuple[Any, ...]]


@dataclass
class Admin:
    """An admin client that reports these members."""

    members: list[tuple[Any, ...]]
    error: int = 0

    async def describe_consumer_groups(self, groups: list[str]) -> list[Response]:
        assert groups == ["workers"]
        return [Response([(self.error, "workers", "Stable", "consumer", "faust", self.members, -2147483648)])]


async def test_the_partitions_of_all_members_are_served() -> None:
    admin = Admin([member("a", assignment(deposits=[0, 2])), member("b", assignment(deposits=[1], txids=[0]))])
    assigned = await assigned_partitions(admin, "workers")  # type: ignore[arg-type]
    assert assigned == {TopicPartition("deposits", n) for n in range(3)} | {TopicPartition("txids", 0)}
    known = [*(TopicPartition("deposits", n) for n in range(4)), TopicPartition("txids", 0)]
    assert unserved(known, assigned) == {"deposits": 1, "txids": 0}


async def test_a_member_that_joins_has_nothing_yet_and_a_group_without_members_serves_nothing() -> None:
    assert await assigned_partitions(Admin([member("a", b"")]), "workers") == set()  # type: ignore[arg-type]
    assert await assigned_partitions(Admin([]), "workers") == set()  # type: ignore[arg-type]
    assert unserved([TopicPartition("txids", 0), TopicPartition("txids", 1)], set()) == {"txids": 2}


async def test_a_refused_request_is_an_error_and_not_an_empty_group() -> None:
    with pytest.raises(GroupAuthorizationFailedError):
        await assigned_partitions(Admin([], error=30), "workers")  # type: ignore[arg-type]
