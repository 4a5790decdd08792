"""Which addresses a callback may go to, however they are written."""

from __future__ import annotations

from ipaddress import ip_address

import pytest
from aiohttp.abc import AbstractResolver

from travelrule.hub.callback_addresses import PublicResolver, is_public, literal_address

INSIDE = [
    "127.0.0.1",
    "127.8.8.8",
    "0.0.0.0",
    "10.1.2.3",
    "172.16.0.1",
    "192.168.1.1",
    "100.64.0.1",
    "169.254.169.254",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "::1",
    "::",
    "fe80::1",
    "fd00::1",
    "ff02::1",
    "::ffff:127.0.0.1",
    "::ffff:169.254.169.254",
    "64:ff9b::7f00:1",
    "2002:7f00:1::1",
]


@pytest.mark.parametrize("text", INSIDE)
def test_what_is_inside_is_not_public(text: str) -> None:
    assert not is_public(ip_address(text))


@pytest.mark.parametrize("text", ["8.8.8.8", "1.1.1.1", "2606:4700:4700::1111", "::ffff:8.8.8.8"])
def test_what_is_outside_is_public(text: str) -> None:
    assert is_public(ip_address(text))


def test_only_addresses_are_literal() -> None:
    assert str(literal_address("[::1]")) == "::1"
    assert str(literal_address("127.0.0.1")) == "127.0.0.1"
    assert literal_address("127.1") is None  # a name to the resolver, which says what it means
    assert literal_address("localhost") is None


class _Fixed(AbstractResolver):
    def __init__(self, *hosts: str) -> None:
        self.hosts = hosts

    async def resolve(self, host, port=0, family=0):
        return [
            {"hostname": host, "host": one, "port": port, "family": family, "proto": 0, "flags": 0}
            for one in self.hosts
        ]

    async def close(self) -> None:
        self.hosts = ()


async def test_a_name_goes_only_to_its_public_addresses() -> None:
    found = await PublicResolver(_Fixed("127.0.0.1", "8.8.8.8", "fe80::1%eth0")).resolve("north.invalid", 443)
    assert [one["host"] for one in found] == ["8.8.8.8"]
    with pytest.raises(OSError, match="no public address"):
        await PublicResolver(_Fixed("10.0.0.1", "::1")).resolve("north.invalid", 443)


@pytest.mark.parametrize("name", ["localhost", "127.1", "2130706433", "0x7f.1"])
async def test_the_system_resolves_disguised_addresses_and_they_are_refused(name: str) -> None:
    with pytest.raises(OSError):  # noqa: PT011 -- either the system knows no such name, or it is inside
        await PublicResolver().resolve(name, 443)
