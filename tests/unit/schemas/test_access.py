"""The table of rights: every topic is in it, only the program writes what is its own, and the lines say the same."""

from __future__ import annotations

import re
import subprocess

import pytest

from schemas.registry import TOPICS
from schemas.topic_access import ACCESS, PRINCIPALS, reads_in_a_group, rights
from scripts.access import acl_lines, script


def test_every_topic_has_its_rights() -> None:
    assert list(ACCESS) == list(TOPICS)
    assert all(one.worst_write and one.worst_read for one in ACCESS.values())


@pytest.mark.parametrize("name", TOPICS)
def test_the_worker_is_on_the_right_side_of_every_topic(name: str) -> None:
    access = ACCESS[name]
    if TOPICS[name].direction == "in":
        assert access.readers == ("worker",)
        assert "worker" not in access.writers
    else:
        assert access.writers == ("worker",)
        assert "worker" not in access.readers


def test_only_an_operator_writes_decisions() -> None:
    assert ACCESS["decisions"].writers == ("operator",)


def test_every_principal_is_known_and_needs_something_but_the_gateway() -> None:
    named = {name for one in ACCESS.values() for name in (*one.writers, *one.readers)}
    assert named <= PRINCIPALS.keys()
    assert [name for name in PRINCIPALS if not list(rights(name))] == ["gateway"]


def test_the_lines_give_exactly_the_rights() -> None:
    given = set()
    for line in acl_lines():
        (principal,) = re.findall(r"User:(\w+)", line)
        for operation in re.findall(r"--operation (\w+)", line):
            given |= {(principal, operation, topic) for topic in re.findall(r"--topic travelrule\.(\S+)", line)}
            given |= {(principal, operation, "group") for _ in re.findall(r"--group", line)}
    wanted = {
        (principal, operation, topic)
        for principal in PRINCIPALS
        for topic, operations in rights(principal)
        for operation in operations
    }
    assert given == wanted | {(name, "Read", "group") for name in PRINCIPALS if reads_in_a_group(name)}


def test_the_lines_are_a_shell_script() -> None:
    assert subprocess.run(["bash", "-n"], input=script(), text=True, check=False).returncode == 0
