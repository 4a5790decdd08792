"""Addresses that a callback may go to: a URL from a member must not direct the hub into its own network.

A host name is checked when it is resolved for the connection, so that it cannot change in between. An address in the
URL is checked as written.
"""

from __future__ import annotations

import re
import socket
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.resolver import ThreadedResolver

_USERINFO = re.compile(r"[^:/?#]*:?//[^/?#]*@")
_NUMBER = re.compile(r"[0-9]+|0[xX][0-9a-fA-F]*", re.ASCII)
_NAT64 = IPv6Network("64:ff9b::/96")


def has_userinfo(url: str) -> bool:
    """Whether a URL has a user part, even an empty one; parsers then disagree on which part is the host."""
    return _USERINFO.match(url) is not None


def literal_address(host: str) -> IPv4Address | IPv6Address | None:
    """Return ``host`` as an address, None for a name."""
    try:
        return ip_address(host.strip("[]"))
    except ValueError:
        return None


def is_disguised(host: str) -> bool:
    """Whether ``host`` is an address in an unusual form: its last part is a number, so it is no name either.

    Systems accept such a text as an address, and a client may connect to it without its resolver.
    """
    last = host.removesuffix(".").rpartition(".")[2]
    return literal_address(host) is None and _NUMBER.fullmatch(last) is not None


def is_public(address: IPv4Address | IPv6Address) -> bool:
    """Whether an address belongs to the public internet. An IPv4 address inside an IPv6 one must be public too."""
    if isinstance(address, IPv6Address):
        inner = [address.ipv4_mapped, address.sixtofour, *(address.teredo or ())]
        if address in _NAT64:
            inner.append(IPv4Address(int(address) & 0xFFFF_FFFF))
        if not all(is_public(one) for one in inner if one is not None):
            return False
        if address.ipv4_mapped is not None:
            return True
    return address.is_global and not (address.is_multicast or address.is_reserved or address.is_unspecified)


class PublicResolver(AbstractResolver):
    """Resolver that returns public addresses only."""

    def __init__(self, inner: AbstractResolver | None = None) -> None:
        self._inner = inner or ThreadedResolver()

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """Return the public addresses of ``host``; ``OSError`` if it has none."""
        found = await self._inner.resolve(host, port, family)
        public = [one for one in found if is_public(ip_address(one["host"].partition("%")[0]))]
        if not public:
            raise OSError("the name has no public address")
        return public

    async def close(self) -> None:
        """Close the inner resolver."""
        await self._inner.close()
